// Guard: judges a query before it runs, on its algebra and on what is known of the graph's size. It
// refuses only what it can show to exceed the deadline many times over there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sources/sparql/algebra/query.h"
#include "toolkit/guard/profile.h"

namespace helve::toolkit {

enum class FindingKind : std::uint8_t {
  UnboundPredicate,   // ?s ?p ?o without an anchoring subject, object or type
  AllPredicates,      // grouping over all predicates
  StringFilter,       // CONTAINS, REGEX ... over everything
  CartesianProduct,   // parts that share no variable
  PropertyDiscovery,  // ?p of all instances of a huge class
  UnanchoredPath,     // p* or p+ with both ends free
  LargeResult,        // more than 100,000 rows
  LateFilter,         // a FILTER behind a broad pattern
  TooHeavyBefore,     // queries of its shape were, and none was answered
};
std::string_view name_of(FindingKind kind);

struct Finding {
  FindingKind kind;
  bool is_refusal = false;
  std::string reason;   // with the numbers it rests on
  std::string pattern;  // the offending part, as SPARQL
  sparql::SourceSpan span;
  double estimated_rows = 0;
  double estimated_seconds = 0;
  std::string suggestion;                  // what to do instead, in a sentence
  std::optional<sparql::Query> rewritten;  // a query that answers what can be answered cheaply
};

struct GuardVerdict {
  std::vector<Finding> findings;  // refusals first
  bool is_refused() const { return !findings.empty() && findings.front().is_refusal; }
};

struct GuardRequest {
  Duration deadline = std::chrono::seconds(30);
  bool is_deadline_of_endpoint = false;  // it gives a query no more than that
  bool is_validating = true;             // false: refusals become warnings
  // No more rows than these will be fetched: counts as a LIMIT of the query.
  std::optional<std::uint64_t> rows_max;
  // What the engine itself expects of the query, where it was asked. A local graph refuses nothing
  // that its engine expects to finish.
  std::optional<double> engine_cost_ns;
};

// Pure, and quick: some microseconds for a usual query. A `rewritten` query passes itself.
GuardVerdict judge(const sparql::Query& query, const GraphProfile& profile,
                   const GuardRequest& request);

// A query that is light there and answers some of the same: for one that took too long after all.
// nullopt where there is none, or nothing in the query is known to be slow.
std::optional<sparql::Query> lighter_query(const sparql::Query& query, const GraphProfile& profile,
                                           const GuardRequest& request);

// The time that the query takes there at least, as far as that can be told; 0: nothing in it is
// known to be slow. `rows_max`: no more rows are fetched.
double least_seconds(const sparql::Query& query, const GraphProfile& profile,
                     std::optional<std::uint64_t> rows_max);

}  // namespace helve::toolkit
