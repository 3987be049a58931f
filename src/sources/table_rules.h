// What TableRules::allowed_columns leaves of a table, for all who hold rules against what a
// database has. table_source.h has the rules themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sources/table_source.h"

namespace helve {

// Whether allowed_columns names columns of the table. Without a schema a rule is about the tables
// of that name in all schemas.
bool limits_columns(const TableRules& rules, std::string_view schema, std::string_view table);

// Whether allowed_columns leaves a column to be read. A table that is named in several ways
// ("customer.name", "sales.customer.name") has what each of them leaves.
bool leaves_column(const TableRules& rules, std::string_view schema, std::string_view table,
                   std::string_view column);

// What two lists of allowed columns leave together. A table that neither leaves anything of has the
// entry "table.", which is the name of no column.
std::vector<std::string> common_columns(const std::vector<std::string>& a,
                                        const std::vector<std::string>& b);

}  // namespace helve
