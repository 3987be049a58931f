// Which patterns of a query an endpoint is asked to count before the query is sent: those that must
// match, whose size nobody knows, and that nothing small leads to. cost_gate.h asks.
#pragma once

#include <string>
#include <vector>

#include "toolkit/guard/profile.h"

namespace helve::toolkit {

struct ProbeCandidate {
  sparql::Pattern pattern;  // one triple, within its GRAPH
  std::string key;          // in GraphProfile::found
  std::string text;         // as SPARQL, with the prefixes of the query
  // It matches stored triples and nothing that the engine computes, so that no match is no answer.
  bool is_plain = false;
};

// The most selective first, as far as can be told from their form. None where what is known
// suffices: every part of the query has a small start, or it is one pattern, which the query itself
// counts as well as a probe.
std::vector<ProbeCandidate> probe_candidates(const sparql::Query& query,
                                             const GraphProfile& profile);

// Whether a required pattern without matches means that there are no rows (SELECT) or that the
// answer is no (ASK). Not so for counts without GROUP BY, which have a row of their own.
bool is_empty_without_matches(const sparql::Query& query);

}  // namespace helve::toolkit
