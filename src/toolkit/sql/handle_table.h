// HandleTable: the rows of a handle as a table of SQL, where they lie. TermFinder gives results
// their terms back.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/sqlite.h"
#include "toolkit/handles/row_table.h"
#include "toolkit/sql/sql_value.h"

namespace helve::toolkit {

// As reals where each of the long numbers of all the tables has a double of its own, so that what
// is equal there is equal here.
LongNumbers long_numbers_of(const std::vector<RowTablePtr>& tables);
// The columns that have long numbers.
std::vector<std::string> columns_of_long_numbers(const RowTable& table);

// Columns have the names of the handle's; where two differ by case alone, the later gets a number.
// Every column x has the hidden companions x__type (iri, bnode, literal), x__lang and x__datatype.
// Not thread-safe: columns are indexed when they are first searched.
class HandleTable final : public sqlite::Table {
 public:
  explicit HandleTable(RowTablePtr rows, LongNumbers long_numbers = LongNumbers::AsReals);

  const std::vector<Column>& columns() const override { return columns_; }
  std::uint64_t rows() const override { return rows_->rows(); }
  sqlite::Value value(std::uint64_t row, std::size_t column) const override;
  bool can_find(std::size_t column) const override { return column < data_columns(); }
  std::span<const std::uint32_t> find(std::size_t column,
                                      const sqlite::Value& value) const override;

  const RowTable& data() const { return *rows_; }
  std::size_t data_columns() const { return rows_->columns().size(); }
  // The value of a term of the table; valid as long as the table.
  sqlite::Value value_of(std::uint32_t term) const;

 private:
  // Rows by key: those of key k are rows[ends[k - 1], ends[k]).
  struct Index {
    std::unordered_map<SqlKey, std::uint32_t, SqlKeyHash> keys;
    std::vector<std::uint32_t> ends;
    std::vector<std::uint32_t> rows;
  };
  struct Companion {
    enum class Kind : std::uint8_t { Type, Language, Datatype };
    std::size_t column = 0;
    Kind kind = Kind::Type;
  };

  Index make_index(std::size_t column) const;
  sqlite::Value companion_value(const Companion& companion, std::uint64_t row) const;

  RowTablePtr rows_;
  LongNumbers long_numbers_;
  std::vector<Column> columns_;
  std::vector<Companion> companions_;  // of the columns behind the data
  mutable std::vector<std::unique_ptr<Index>> indexes_;
  mutable std::unordered_map<std::uint32_t, std::string> blanks_;  // texts of blank nodes
};

// Which term a value of a result came from.
class TermFinder {
 public:
  // The tables must outlive it.
  explicit TermFinder(const std::vector<std::pair<std::string, const HandleTable*>>& tables)
      : tables_(tables) {}

  // Of a column of a handle that was handed through. Where several terms have the same value (one
  // text in two languages), nullopt: what they differ in is lost.
  std::optional<rdf::TermView> find(const sqlite::ColumnOrigin& origin, const sqlite::Value& value);
  // A text that was computed and is an IRI or blank node of any of the tables.
  std::optional<rdf::TermView> find_name(std::string_view text);
  // Columns where terms were not told apart.
  bool met_ambiguity() const { return met_ambiguity_; }

 private:
  static constexpr std::uint32_t kSeveral = 0;
  using Terms = std::unordered_map<SqlKey, std::uint32_t, SqlKeyHash>;

  std::vector<std::pair<std::string, const HandleTable*>> tables_;
  std::unordered_map<std::string, std::pair<const HandleTable*, Terms>> columns_;  // by origin
  std::unordered_map<std::string_view, rdf::TermView> names_;
  bool has_names_ = false;
  bool met_ambiguity_ = false;
};

}  // namespace helve::toolkit
