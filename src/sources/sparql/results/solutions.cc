#include "sources/sparql/results/solutions.h"

namespace helve::sparql {

Result<void> SolutionTable::variables(const std::vector<std::string>& new_names) {
  names = new_names;
  return {};
}

Result<void> SolutionTable::solution(std::span<const std::optional<rdf::TermView>> terms) {
  auto& row = rows.emplace_back();
  row.reserve(terms.size());
  for (const auto& term : terms) {
    row.push_back(term ? std::optional<rdf::Term>(rdf::Term(*term)) : std::nullopt);
  }
  return {};
}

Result<void> SolutionTable::boolean(bool new_answer) {
  answer = new_answer;
  return {};
}

Result<void> SolutionTable::send(SolutionSink& sink) const {
  if (answer) return sink.boolean(*answer);
  HELVE_TRY(sink.variables(names));
  std::vector<std::optional<rdf::TermView>> terms;
  for (const auto& row : rows) {
    terms.clear();
    for (const auto& term : row) {
      terms.push_back(term ? std::optional<rdf::TermView>(term->view()) : std::nullopt);
    }
    HELVE_TRY(sink.solution(terms));
  }
  return {};
}

}  // namespace helve::sparql
