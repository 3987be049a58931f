// A SQL database as a policy lets it be seen: the rules go with every statement, and the catalogue
// tells of nothing else. restricted_source.h is the same for graphs.
#pragma once

#include <memory>

#include "sources/table_source.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// The source itself where the policy has no rules for tables. The adapter holds the rules: SQLite
// by its authorizer, the others by the rights of the connection, or it refuses.
std::shared_ptr<const TableSource> restrict_tables(std::shared_ptr<const TableSource> source,
                                                   const Policy& policy);

// Whether the rules let a table be read, or a column of it.
bool allows_table(const TableRules& rules, const TableInfo& table, const Catalogue& catalogue);
bool allows_column(const TableRules& rules, const TableInfo& table, const Catalogue& catalogue,
                   std::string_view column);

}  // namespace helve::toolkit
