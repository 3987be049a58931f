// Why a SELECT found nothing, by asking the database small questions and not by guessing. Its
// neighbour toolkit/diagnosis does the same for graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/op_context.h"
#include "sources/sql_tokens.h"
#include "sources/table_source.h"

namespace helve::toolkit {

enum class TableCause : std::uint8_t {
  TableEmpty,        // a table has no rows
  ValueCase,         // the value is there in other letters
  ValueSpace,        // ... with blanks around it
  ValueType,         // ... as a number, or as a text
  ValueFormat,       // dates are written otherwise there
  ValueUnknown,      // no row has it; the nearest that are there are told
  OutOfRange,        // below the least or above the greatest value
  PatternMismatch,   // LIKE without a wildcard, or with that of another language
  NullComparison,    // = NULL is never true
  NoNulls,           // IS NULL, and there are none; or IS NOT NULL, and there is nothing else
  JoinMismatch,      // the keys of two tables have no value in common
  FilterRemovesAll,  // the others keep rows, this one removes every one of them
  TrulyEmpty,        // every part matches, all together do not
};
std::string_view name_of(TableCause cause);  // "value_case"

struct TableDiagnosis {
  TableCause cause = TableCause::TrulyEmpty;
  std::string says;                     // one or two sentences, with what the probes saw
  std::vector<std::string> parts;       // of the statement, that keep rows away
  std::vector<std::string> candidates;  // values or columns that are there
  std::string suggestion;               // a changed statement that gives rows; may be empty
  std::uint64_t probes = 0;             // that were asked
};

// What is asked about.
struct EmptyStatement {
  std::string_view sql;  // its feeds bound
  const std::vector<SqlValue>& parameters;
  const TableSource& source;
  const Catalogue& catalogue;
};

// REQUIRES: it gave no rows, or a count of 0. At most 40 probes, within the context. nullopt where
// the statement is not understood or nothing could be found out.
std::optional<TableDiagnosis> diagnose_empty_rows(const EmptyStatement& statement,
                                                  const OpContext& context);

}  // namespace helve::toolkit
