// Batch: solutions as columns of ids, the unit in which operators work. Schema says which column is
// which variable.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/rdf/id.h"

namespace helve::sparql {

using rdf::Id;

// The variables of an operator's columns, each once. Blank nodes of patterns are variables too,
// named "_:label".
class Schema {
 public:
  Schema() = default;
  explicit Schema(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    return std::nullopt;
  }
  // The column of the variable, added behind the others if there is none.
  std::size_t add(std::string_view name) {
    if (const auto found = find(name)) return *found;
    names_.emplace_back(name);
    return names_.size() - 1;
  }

 private:
  std::vector<std::string> names_;
};

// Undefined ids are unbound variables. All columns have `rows` entries; a schema without variables
// has rows all the same.
struct Batch {
  static constexpr std::size_t kRows = 2'048;  // what an operator gives at most

  std::vector<std::vector<Id>> columns;
  std::size_t rows = 0;

  // Empty, with that many columns; keeps their memory.
  void reset(std::size_t column_count) {
    columns.resize(column_count);
    for (auto& column : columns) column.clear();
    rows = 0;
  }
  // REQUIRES: rows > 0.
  void drop_last() {
    for (auto& column : columns) column.pop_back();
    --rows;
  }
  Id at(std::size_t column, std::size_t row) const { return columns[column][row]; }
};

}  // namespace helve::sparql
