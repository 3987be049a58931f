// Workload: the work that a query cannot avoid, estimated from below, and what in the query causes
// it. Joins count as if every lookup found one row: what is large here is large in truth.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "toolkit/guard/group.h"
#include "toolkit/guard/guard.h"

namespace helve::toolkit {

// A part of the query that makes it expensive.
struct Burden {
  FindingKind kind = FindingKind::LargeResult;
  double work = 0;  // rows that must be walked through; a look into a text counts as several
  Place place;      // what is shown
  std::vector<Place> bulk;             // steps that bring in many rows, in the order they run
  std::optional<Condition> condition;  // the text search, for StringFilter
  std::string class_iri;               // for PropertyDiscovery
  std::string few;                     // the variable of few values that is free
  bool needs_all_rows = false;         // only a burden where no LIMIT ends it early
  bool needs_grouping = false;         // only a burden where the values of `few` are collected
  bool ignores_limit = false;          // a LIMIT does not help
  bool is_any_path = false;            // any predicate, any number of steps
  sparql::Body* body = nullptr;        // of the query or sub-query it stands in
  bool is_streaming = false;           // a LIMIT on `body` would help
};

struct QueryWork {
  std::vector<Burden> burdens;
  double work = 0;           // rows to walk through for all of it, at least
  double rows = 0;           // of the result, roughly
  double filtered_rows = 0;  // the most that a condition is asked of
  const sparql::Expression* filter = nullptr;
  std::optional<Place> unbound;  // ?s ?p ?o that starts from nothing, cheap or not
};

// The query must outlive what comes back, which points into it. `rows_max`: no more rows are asked
// for, whatever the query says.
QueryWork measure(sparql::Query& query, const GraphProfile& profile,
                  std::optional<std::uint64_t> rows_max);

}  // namespace helve::toolkit
