// Queries as judges run them: through the toolkit, whole results or none. Both judges use it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/judge/judge.h"
#include "toolkit/handles/row_table.h"

namespace helve::agent {

// What a query brought, all of it.
struct JudgedResult {
  toolkit::RowTablePtr rows;  // of ASK one cell; of a graph s, p, o
  bool is_graph = false;
};

inline constexpr std::uint64_t kJudgedRowsMax = 1'000'000;

// Errors of the query itself are InvalidInput, NotFound or Denied; LimitExceeded where it asks for
// more than there is time, rows or memory for. Where the source is at fault (it is away, it lets
// nobody in, its answer was cut) it is Unavailable: nothing can be said then. Nothing is learnt of
// it. Thread-safe.
class JudgedQueries {
 public:
  explicit JudgedQueries(const JudgeParts& parts, std::uint64_t rows_max = kJudgedRowsMax);
  Result<JudgedResult> run(const std::string& query, learning::QueryLanguage language,
                           const OpContext& context) const;

  // Whether the source still answers a query that it has answered, asked anew. Databases have one
  // error for a login that they refuse and for a table that they do. Those of this machine do.
  Result<void> check_source(const std::string& query, learning::QueryLanguage language,
                            const OpContext& context) const;

 private:
  Result<JudgedResult> read(const toolkit::Reply& reply, bool is_remote,
                            const OpContext& context) const;

  toolkit::Toolkit& toolkit_;
  toolkit::Caller caller_;
  const std::string source_;
  mutable std::atomic<std::uint64_t> checks_{0};
};

// Whether the query is at fault, and not what it was run on.
bool is_of_query(const Error& error);
// Whether it names results of a session (results_0), which no other one has.
bool draws_on_handles(std::string_view query);
// The same error, as one that leaves no verdict.
Error cannot_be_judged(Error error, std::string_view what);

}  // namespace helve::agent
