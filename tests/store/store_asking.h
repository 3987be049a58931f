// Questions to a store as users put them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/live/live_store.h"

namespace helve {

struct AnswerLines final : sparql::SolutionSink {
  Result<void> variables(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> boolean(bool answer) override {
    lines.emplace_back(answer ? "true" : "false");
    return {};
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    std::string& line = lines.emplace_back();
    for (const auto& term : terms) line += term ? rdf::to_ntriples(*term) + " " : "- ";
    return {};
  }
  std::vector<std::string> lines;
};

// Rows as text.
inline Result<std::vector<std::string>> ask(std::shared_ptr<const sparql::Snapshot> data,
                                            std::string_view text) {
  const OpContext context;
  HELVE_ASSIGN(const auto parsed, sparql::parse_query(text, {}));
  HELVE_ASSIGN(auto run, sparql::QueryRun::start(parsed.query, std::move(data), {}, context));
  AnswerLines lines;
  HELVE_TRY(run.send(lines));
  return std::move(lines.lines);
}

inline Result<store::CommitReport> change(store::LiveStore& store, std::string_view text) {
  HELVE_ASSIGN(const auto parsed, sparql::parse_update(text, {}));
  return store.update(parsed.update, {}, OpContext());
}

}  // namespace helve
