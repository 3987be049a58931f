// CREATE statements as SQLite keeps them, read for the few things that it does not tell otherwise.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace helve::sql {

// The expressions of CHECK (...), of columns and of the table, as far as the text can be read.
std::vector<std::string> checks_of(std::string_view create_table);

// The parts of CREATE INDEX ... ON t (a, lower(b) DESC), without their order and collation.
std::vector<std::string> parts_of(std::string_view create_index);

// What the definition of each column has in it besides its name: all that may be the name of
// another column. In lower case, names of columns too. Empty for what cannot be read for certain.
std::map<std::string, std::set<std::string, std::less<>>, std::less<>> column_words(
    std::string_view create_table);

// CREATE VIRTUAL TABLE ... USING module(...).
struct VirtualDefinition {
  std::string module;                  // in lower case
  std::optional<std::string> content;  // in lower case: the table whose rows a search index is of
};

// nullopt for what cannot be read for certain.
std::optional<VirtualDefinition> read_virtual_definition(std::string_view create_table);

}  // namespace helve::sql
