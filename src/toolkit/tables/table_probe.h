// Small questions that tools ask a SQL database by themselves: bounded in rows, number and time.
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
#include "toolkit/tables/statement_outline.h"

namespace helve::toolkit {

using ProbeRow = std::vector<SqlValue>;

class TableProbe {
 public:
  // Both must outlive it.
  TableProbe(const TableSource& source, const OpContext& context, std::uint64_t probes_max)
      : source_(source), context_(context), probes_max_(probes_max) {}

  // nullopt: it failed, or there is no time or number left.
  std::optional<std::vector<ProbeRow>> ask(const TableQuery& query);
  std::uint64_t asked() const { return asked_; }
  const TableSource& source() const { return source_; }

 private:
  const TableSource& source_;
  const OpContext& context_;
  std::uint64_t probes_max_;
  std::uint64_t asked_ = 0;
};

// A question made of parts of a statement, with the parameters that these parts have.
class ProbeText {
 public:
  // All must outlive it.
  ProbeText(std::string_view sql, std::span<const SqlToken> tokens,
            const std::vector<SqlValue>& parameters, SqlDialect dialect)
      : sql_(sql), tokens_(tokens), parameters_(parameters), dialect_(dialect) {}

  ProbeText& raw(std::string_view text);
  ProbeText& span(const SqlSpan& span);
  ProbeText& value(SqlValue value);  // as a parameter
  TableQuery query(std::uint64_t rows_max) const;

 private:
  std::string_view sql_;
  std::span<const SqlToken> tokens_;
  const std::vector<SqlValue>& parameters_;
  SqlDialect dialect_;
  TableQuery query_;
};

// An expression as text: CAST(x AS ...).
std::string as_text(std::string_view expression, SqlDialect dialect);
// What stands around an expression whose values shall come as they are stored, for statements to be
// written with them: SQLite gives dates and truths of declared columns their types.
std::string_view stored_form_begin(SqlDialect dialect);
std::string_view stored_form_end(SqlDialect dialect);
// A value as it is written in a statement: 'text', 42, NULL.
std::string literal_of(const SqlValue& value, SqlDialect dialect);
// The same for people, at most some 60 characters.
std::string shown_value(const SqlValue& value);

struct ColumnSample {
  std::string column;
  std::vector<SqlValue> values;  // different ones, no NULL
};

// A few values of each column of a table, by one question for some rows; where that is denied, one
// for each of the first columns. Columns without values are left out.
std::vector<ColumnSample> sample_values(const TableSource& source, const TableInfo& table,
                                        const Catalogue& catalogue, std::size_t values_max,
                                        const OpContext& context);

}  // namespace helve::toolkit
