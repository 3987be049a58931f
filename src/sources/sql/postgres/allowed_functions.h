// What a statement may call and name in PostgreSQL: data for statement_guard.h.
#pragma once

#include <string_view>
#include <vector>

namespace helve::sql {

// Of pg_catalog, with any arguments; names as the database keeps them (lower case). current_setting
// and ts_rewrite are not among them: they depend on their arguments.
bool is_allowed_function(std::string_view name);
std::vector<std::string_view> near_functions(std::string_view name);  // nearest first, at most 3

// Settings that tell nothing of the machine: for SHOW and current_setting(). In any case.
bool is_shown_setting(std::string_view name);

// Tables of pg_catalog that hold secrets or show files.
bool is_closed_table(std::string_view name);

}  // namespace helve::sql
