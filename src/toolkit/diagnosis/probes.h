// Probes: small questions to a graph, counted and paid from a share of the caller's time.
// Everything else in this folder asks through it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "sources/graph_source.h"
#include "sources/sparql/algebra/query.h"
#include "toolkit/diagnosis/group_parts.h"
#include "toolkit/guard/profile.h"

namespace helve::toolkit {

// Not thread-safe. Once time or the number of probes is spent every answer is nullopt. What is
// known to take an endpoint longer than there is time for a probe is not asked of it.
class Probes {
 public:
  Probes(const GraphSource& source, const OpContext& context);

  // nullopt: not known, because of an error or because nothing is left to spend.
  std::optional<bool> has_rows(const sparql::Pattern& pattern, const Scope& scope);
  std::optional<GraphCount> count(const sparql::Pattern& pattern, const Scope& scope,
                                  std::uint64_t cap);
  std::optional<bool> knows(const rdf::TermView& term);
  // Different values of a variable, at most so many, in the order the source gives.
  std::optional<std::vector<rdf::Term>> values(const sparql::Pattern& pattern, const Scope& scope,
                                               const std::string& variable, std::size_t values_max);
  // Whether a whole query gives a row (for one that counts: whether its pattern does).
  std::optional<bool> answers(const sparql::Query& query);
  // Rows of a SELECT, counted no further than `cap`.
  std::optional<GraphCount> count_rows(const sparql::Query& query, std::uint64_t cap);

  bool is_spent() const;
  std::uint64_t asked() const { return asked_; }
  // True once any probe failed or was not asked for want of time.
  bool has_gaps() const { return has_gaps_; }
  const GraphSource& source() const { return source_; }
  const OpContext& context() const { return context_; }

 private:
  bool may_ask();
  bool may_ask(const sparql::Query& query, std::uint64_t rows_max);
  // For one probe: a part of what is left, so that a slow one does not take all.
  OpContext one_share() const;
  template <typename T>
  std::optional<T> settled(Result<T> answer);

  const GraphSource& source_;
  OpContext context_;
  std::optional<GraphProfile> profile_;  // of an endpoint
  std::uint64_t asked_ = 0;
  bool has_gaps_ = false;
  std::map<std::string, bool, std::less<>> known_iris_;
};

}  // namespace helve::toolkit
