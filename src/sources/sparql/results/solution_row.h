// SolutionRow: the columns of a result file being read and the row under way. Shared by the
// readers.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"
#include "base/op_context.h"
#include "base/paced_check.h"
#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

// What a file says of a term, before it is one.
struct WrittenTerm {
  enum class Kind : std::uint8_t { Unknown, Uri, Literal, BlankNode };
  Kind kind = Kind::Unknown;
  std::string value;
  std::string datatype;
  std::string language;

  void clear();
  // InvalidInput, without a position, when the parts do not go together: a datatype beside a
  // language, a tag that is none, an empty IRI or label.
  Result<rdf::TermView> to_term() const;
};

class SolutionRow {
 public:
  // Context and sink must outlive it.
  SolutionRow(const OpContext& context, SolutionSink& sink);

  // InvalidInput for a name that is none or was added already; LimitExceeded beyond
  // Limits::query_parts_max columns.
  Result<void> add_column(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }
  // nullopt when there is no such column. Fast where names come in the order of the columns.
  std::optional<std::size_t> find_column(std::string_view name);

  bool is_bound(std::size_t column) const { return terms_[column].has_value(); }
  // Copies the term. REQUIRES: not bound in this row.
  Result<void> bind(std::size_t column, const rdf::TermView& term);
  // Does not: its texts must last until the row is sent or kept, or until hold().
  Result<void> bind_view(std::size_t column, const rdf::TermView& term);
  // Copies what bind_view() bound in this row.
  void hold();
  // Likely to be bound next.
  std::size_t next_column() const { return next_column_; }

  // Sends the names of the columns; call it once, before the first row.
  Result<void> send_variables();
  // Sends the row and begins the next one.
  Result<void> send();
  // Keeps the row instead, until send_kept(); takes memory.
  Result<void> keep();
  // Gives the columns another order, and new ones; InvalidInput when one is missing in `names`.
  Result<void> set_columns(const std::vector<std::string>& names);
  Result<void> send_kept();

 private:
  struct Text {
    std::string value, datatype, language;
  };

  void copy(std::size_t column);
  Result<void> count_bound(std::size_t column);
  Result<void> account();
  void clear();

  const OpContext& context_;
  SolutionSink& sink_;
  PacedCheck check_;
  MemoryCharge charge_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> columns_;
  std::deque<Text> texts_;  // of the columns, reused from row to row; where terms_ point
  std::vector<std::optional<rdf::TermView>> terms_;
  std::vector<std::size_t> bound_;  // columns
  std::size_t held_ = 0;            // the first so many of bound_ are in texts_
  std::size_t next_column_ = 0;     // likely to come next
  std::size_t row_bytes_ = 0;
  MemoryCharge row_charge_;
  std::vector<std::vector<std::pair<std::size_t, rdf::Term>>> kept_;
  MemoryCharge kept_charge_;
};

// A row binds a variable that the head does not list.
Error undeclared(std::string_view variable);
// A line has more or fewer fields than the first.
Error ragged_row(std::size_t met, std::size_t expected, std::string hint);

// VARNAME of the SPARQL grammar, and what else files hold as names of columns: anything but the
// empty string, control characters, white space, "?" and "$".
bool is_column_name(std::string_view name);

}  // namespace helve::sparql
