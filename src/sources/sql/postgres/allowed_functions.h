// What a statement may call and name in PostgreSQL: data for statement_guard.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace helve::sql {

// Of pg_catalog, with any arguments; names as the database keeps them (lower case). current_setting
// and ts_rewrite are not among them: they depend on their arguments.
bool is_allowed_function(std::string_view name);
std::vector<std::string_view> near_functions(std::string_view name);  // nearest first, at most 3

// Whether value.name could call a function of pg_catalog that is not allowed: PostgreSQL takes
// (1).pg_advisory_lock for pg_advisory_lock(1) where there is no such column.
bool is_closed_attribute(std::string_view name);

// Functions that describe tables, columns and other objects by their numbers or names, and types
// whose texts are the names of such objects: they show what a policy hides.
bool is_lookup_function(std::string_view name);
bool is_lookup_type(std::string_view name);  // arrays too: "_regclass"

// A type of pg_catalog that has neither rows nor names of objects, written without its schema.
bool is_plain_type(std::string_view name);

// Extensions whose functions compute from their arguments, but for those that are volatile: they
// run no SQL that is given as text.
std::span<const std::string_view> computing_extensions();

// Settings that tell nothing of the machine: for SHOW and current_setting(). In any case.
bool is_shown_setting(std::string_view name);

// Tables of pg_catalog and information_schema that hold secrets or show files.
bool is_closed_table(std::string_view name);

}  // namespace helve::sql
