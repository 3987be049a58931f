// Solutions as terms: what leaves the engine, and what result files and remote endpoints give.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/term.h"

namespace helve::sparql {

// Receives the result of a SELECT or ASK. Either boolean() once, or variables() once and then a
// solution() for each row. An error stops whoever is sending and is its result.
class SolutionSink {
 public:
  virtual ~SolutionSink() = default;
  virtual Result<void> variables(const std::vector<std::string>& names) = 0;
  // As many terms as variables; nullopt is unbound. The views are valid during the call only.
  virtual Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) = 0;
  virtual Result<void> boolean(bool answer) = 0;
};

// A whole result in memory. A sink that collects.
struct SolutionTable final : SolutionSink {
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<rdf::Term>>> rows;
  std::optional<bool> answer;  // of ASK

  Result<void> variables(const std::vector<std::string>& new_names) override;
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override;
  Result<void> boolean(bool new_answer) override;
  // Sends itself.
  Result<void> send(SolutionSink& sink) const;
};

// How two results compare. Blank nodes match by a one-to-one renaming over the whole result.
struct CompareOptions {
  bool is_ordered = false;      // rows in this order; otherwise as a bag
  bool ignores_counts = false;  // REDUCED: as sets, whatever the order
};
// Columns are matched by name; the names of a table are all different. LimitExceeded when blank
// nodes could be matched in too many ways (Limits::isomorphism_steps_max).
Result<bool> are_same_solutions(const SolutionTable& a, const SolutionTable& b,
                                const CompareOptions& options = {}, const OpContext& context = {});

}  // namespace helve::sparql
