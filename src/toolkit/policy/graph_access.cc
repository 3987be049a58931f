#include "toolkit/policy/graph_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "sources/sparql/algebra/analysis.h"

namespace helve::toolkit {

namespace {

using sparql::Constant;
using sparql::Pattern;
using sparql::Variable;

class ReachCollector {
 public:
  void add(const Pattern& pattern) {
    if (const auto* service = pattern.if_is<sparql::Service>()) {
      reaches_.services.push_back(service);
      sparql::for_each_pattern(*service->inner, [this](const Pattern& inner) {
        if (inner.if_is<sparql::Graph>() != nullptr) elsewhere_.insert(&inner);
      });
    } else if (const auto* graph = pattern.if_is<sparql::Graph>()) {
      if (!elsewhere_.contains(&pattern)) reaches_.graphs.push_back(graph);
    }
  }
  Reaches take() { return std::move(reaches_); }

 private:
  Reaches reaches_;
  std::unordered_set<const Pattern*> elsewhere_;
};

std::string listed(const auto& names) {
  constexpr std::size_t kShown = 10;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count == kShown) return text + ", ...";
    text += fmt::format("{}<{}>", count++ == 0 ? "" : ", ", name);
  }
  return text.empty() ? "none" : text;
}

Error denied_graph(std::string_view how, std::string_view iri, const GraphNames& allowed) {
  return {ErrorCode::Denied, fmt::format("{} <{}>: the policy does not allow this graph", how, iri),
          fmt::format("allowed graphs: {}", listed(allowed))};
}

}  // namespace

Reaches reaches_of(const sparql::Query& query) {
  ReachCollector collector;
  // A service comes before what stands in it: its text begins earlier, or the tree has it first.
  for (const sparql::PatternPart& part : sparql::pattern_parts(query)) {
    const bool is_reach = part.kind == sparql::PatternPart::Kind::Graph ||
                          part.kind == sparql::PatternPart::Kind::Service;
    if (is_reach) collector.add(*part.pattern);
  }
  return collector.take();
}

Reaches reaches_of(const Pattern& pattern) {
  ReachCollector collector;
  sparql::for_each_pattern(pattern, [&](const Pattern& node) { collector.add(node); });
  return collector.take();
}

Result<void> check_endpoints(const Policy& policy, const Reaches& reaches) {
  const auto& allowed = policy.allowed_endpoints;
  for (const sparql::Service* service : reaches.services) {
    const auto* endpoint = std::get_if<Constant>(&service->endpoint);
    if (endpoint == nullptr) {
      return Error{ErrorCode::Denied,
                   fmt::format("SERVICE ?{}: an endpoint that the data chooses is never asked",
                               std::get<Variable>(service->endpoint).name),
                   fmt::format("name it; allowed endpoints: {}", listed(allowed))};
    }
    if (std::find(allowed.begin(), allowed.end(), endpoint->term.value) == allowed.end()) {
      return Error{
          ErrorCode::Denied,
          fmt::format("SERVICE <{}>: the policy does not allow this endpoint",
                      endpoint->term.value),
          fmt::format("leave the SERVICE part out; allowed endpoints: {}", listed(allowed))};
    }
  }
  return {};
}

Result<QueryDataset> dataset_within(const GraphNames& allowed, const QueryDataset& asked,
                                    const Reaches& reaches) {
  for (const sparql::DatasetGraph& graph : asked) {
    if (!allowed.contains(graph.iri)) {
      return denied_graph(graph.is_named ? "FROM NAMED" : "FROM", graph.iri, allowed);
    }
  }
  for (const sparql::Graph* graph : reaches.graphs) {
    const auto* name = std::get_if<Constant>(&graph->name);
    if (name != nullptr && !allowed.contains(name->term.value)) {
      return denied_graph("GRAPH", name->term.value, allowed);
    }
  }
  if (!asked.empty()) return asked;
  QueryDataset dataset;
  for (const bool is_named : {false, true}) {
    for (const std::string& iri : allowed) dataset.push_back({iri, is_named, {}});
  }
  return dataset;
}

}  // namespace helve::toolkit
