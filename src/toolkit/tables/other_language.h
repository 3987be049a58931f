// Statements in the wrong language: what they are, for hints.
#pragma once

#include <string>
#include <string_view>

namespace helve::toolkit {

// SPARQL where SQL is expected: variables and braces, or a prologue.
bool is_like_sparql(std::string_view text);
// SQL where SPARQL is expected: words of SQL, neither variables nor braces.
bool is_like_sql(std::string_view text);

// results_0, which is a handle and no table.
bool is_handle_name(std::string_view name);

// What to do instead of a statement that asks for tables or columns in the way of one database:
// SHOW TABLES, DESCRIBE t, PRAGMA table_info(t), \d. Empty: it does not.
std::string instead_of_listing(std::string_view sql);

}  // namespace helve::toolkit
