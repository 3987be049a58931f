// A SQL database as a policy lets it be seen: the rules go with every statement, and the catalogue
// tells of nothing else. restricted_source.h is the same for graphs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sources/table_source.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// The source itself where the policy has no rules for tables. The adapter holds the rules: SQLite
// by its authorizer, the others by the rights of the connection, or it refuses.
std::shared_ptr<const TableSource> restrict_tables(std::shared_ptr<const TableSource> source,
                                                   const Policy& policy);

// The rules for tables that a policy has; is_any() tells whether it has some.
TableRules table_rules(const Policy& policy);

// A name of the rules that the catalogue does not have.
struct UnmetName {
  std::string key;   // of the policy: "denied_columns"
  std::string name;  // as the policy has it
  std::string near;  // what was probably meant; empty: nothing is like it
  // It denies something, and protects nothing: a column of a table that is there, or a table whose
  // name is much like that of one.
  bool is_open = false;
};

// In the order of the rules. None where the catalogue is not complete. A connection that may not
// read a table may not see its name either.
std::vector<UnmetName> unknown_names(const TableRules& rules, const Catalogue& catalogue);

// Whether the rules let a table be read, or a column of it.
bool allows_table(const TableRules& rules, const TableInfo& table, const Catalogue& catalogue);
bool allows_column(const TableRules& rules, const TableInfo& table, const Catalogue& catalogue,
                   std::string_view column);

}  // namespace helve::toolkit
