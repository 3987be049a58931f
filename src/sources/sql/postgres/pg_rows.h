// Rows of our own queries over the catalogue, cell by cell.
#pragma once

#include <libpq-fe.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sources/sql/postgres/pq_library.h"

namespace helve::sql {

// REQUIRES (of all): row and column within bounds.
class PgRows {
 public:
  explicit PgRows(const PGresult* result) : result_(result) {}

  int rows() const { return pq().ntuples(result_); }
  bool is_null(int row, int column) const { return pq().getisnull(result_, row, column) == 1; }
  std::string_view view(int row, int column) const {
    return {pq().getvalue(result_, row, column),
            static_cast<std::size_t>(pq().getlength(result_, row, column))};
  }
  // Valid UTF-8.
  std::string text(int row, int column) const {
    const std::string_view value = view(row, column);
    return utf8_valid_prefix(value) == value.size() ? std::string(value)
                                                    : escape_for_terminal(value);
  }
  bool truth(int row, int column) const { return view(row, column) == "t"; }
  template <typename T>
  T number(int row, int column) const {
    T value{};
    const std::string_view digits = view(row, column);
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }
  // Of a JSON list of texts.
  std::vector<std::string> texts(int row, int column) const {
    std::vector<std::string> found;
    const auto list = parse_json(view(row, column));
    if (!list || list->if_array() == nullptr) return found;
    for (const JsonValue& item : *list->if_array()) {
      found.push_back(item.if_string() == nullptr ? std::string() : *item.if_string());
    }
    return found;
  }

 private:
  const PGresult* result_;
};

}  // namespace helve::sql
