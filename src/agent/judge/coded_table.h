// CodedTable: a table by codes that mean the same in two tables which are compared. column_match.h
// and row_match.h work on these alone.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/handles/row_table.h"

namespace helve::agent {

// Equal codes are equal values. What differs beyond that is beside it.
struct CellCode {
  std::uint32_t exact = 0;     // 0: unbound; one for all blank nodes
  std::uint32_t rough = 0;     // one for numbers that are close, where doubles are about
  std::uint32_t language = 0;  // of a text; 0: none
  std::uint32_t blank = 0;     // which blank node of its table; 0: none
};

struct CodedColumn {
  bool is_approximate = false;  // has doubles
  bool has_languages = false;
  bool has_blanks = false;
  std::uint64_t distinct = 0;        // rough values
  std::uint64_t bag_print = 0;       // of rough values, however the rows are ordered
  std::uint64_t sequence_print = 0;  // of everything, in the order of the rows
};

// The table outlives it.
struct CodedTable {
  const toolkit::RowTable* table = nullptr;
  std::vector<CellCode> terms;  // by their number in the table; 0 is unbound
  std::vector<CodedColumn> columns;
  std::vector<std::uint64_t> masks;  // by rough code: the columns that have it, a bit each

  const CellCode& at(std::uint64_t row, std::size_t column) const {
    return terms[table->number(row, column)];
  }
};
inline constexpr std::size_t kCodedColumnsMax = 64;

struct CodedTables {
  CodedTable reference;
  CodedTable candidate;
};

// Gives codes to values, the same in both tables. Numbers that are close to their neighbours, of
// either table, have one rough code: whatever digits were cut, some sums would fall on both sides.
class ValueCodes {
 public:
  explicit ValueCodes(const OpContext& context)
      : context_(context), charge_(*context.memory, "comparing results") {}

  // REQUIRES: at most kCodedColumnsMax columns. Called once.
  Result<CodedTables> encode(const toolkit::RowTable& reference,
                             const toolkit::RowTable& candidate);

 private:
  struct Number {
    double value = 0;
    std::uint32_t code = 0;
    bool is_single = false;
  };

  Result<std::uint32_t> code_of(const std::string& key);
  Result<CellCode> code_of(const rdf::TermView& term, std::uint32_t number, bool& is_approximate);
  Result<void> encode_terms(CodedTable& coded, std::vector<bool>& approximate);
  Result<void> join_numbers();
  Result<void> encode_cells(CodedTable& coded, const std::vector<bool>& approximate);

  const OpContext& context_;
  MemoryCharge charge_;
  std::unordered_map<std::string, std::uint32_t> codes_;
  std::vector<Number> numbers_;
  std::vector<std::uint32_t> rough_;  // by exact code
};

}  // namespace helve::agent
