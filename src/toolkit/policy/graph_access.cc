#include "toolkit/policy/graph_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
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

std::string list_iris(const auto& names) {
  constexpr std::size_t kShown = 10;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count == kShown) return text + ", ...";
    text += (count++ == 0 ? "" : ", ") + quote_iri(name);
  }
  return text.empty() ? "none" : text;
}

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

Error denied_graph(std::string_view how, std::string_view iri, const VisibleGraphs& visible) {
  return {ErrorCode::Denied, fmt::format("{} <{}>: the policy does not allow this graph", how, iri),
          fmt::format("allowed graphs: {}", list_iris(visible.names))};
}

// In the words of the engine, whose hint could name graphs that are hidden.
Error unknown_graph(std::string_view how, std::string_view iri, const VisibleGraphs& visible) {
  return {ErrorCode::Denied, fmt::format("{} <{}>: the data has no such graph", how, iri),
          fmt::format("graphs named in a query are never fetched; known graphs: {}",
                      list_iris(visible.names))};
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
  if (reaches.services.empty()) return {};
  const std::vector<std::string> allowed = endpoints_of(policy);
  for (const sparql::Service* service : reaches.services) {
    const auto* endpoint = std::get_if<Constant>(&service->endpoint);
    if (endpoint == nullptr) {
      return Error{ErrorCode::Denied,
                   fmt::format("SERVICE ?{}: an endpoint that the data chooses is never asked",
                               std::get<Variable>(service->endpoint).name),
                   fmt::format("name it; allowed endpoints: {}", list_iris(allowed))};
    }
    if (!has(allowed, endpoint->term.value)) {
      return Error{
          ErrorCode::Denied,
          fmt::format("SERVICE <{}>: the policy does not allow this endpoint",
                      endpoint->term.value),
          fmt::format("leave the SERVICE part out; allowed endpoints: {}", list_iris(allowed))};
    }
  }
  return {};
}

Result<void> check_endpoint(const Policy& policy, std::string_view url) {
  const std::vector<std::string> allowed = endpoints_of(policy);
  if (has(allowed, url)) return {};
  return Error{ErrorCode::Denied, fmt::format("the policy does not allow this endpoint: {}", url),
               fmt::format("allowed endpoints: {}", list_iris(allowed))};
}

std::string_view rule_against_graph(const Policy& policy, std::string_view iri) {
  if (has(policy.denied_graphs, iri)) return "denied_graphs";
  if (policy.allowed_graphs && !has(*policy.allowed_graphs, iri)) return "allowed_graphs";
  return {};
}

Result<void> check_graphs(const Policy& policy, const QueryDataset& asked, const Reaches& reaches,
                          const VisibleGraphs& visible) {
  const auto is_denied = [&policy](std::string_view iri) {
    return !rule_against_graph(policy, iri).empty();
  };
  for (const sparql::DatasetGraph& graph : asked) {
    const std::string_view how = graph.is_named ? "FROM NAMED" : "FROM";
    if (is_denied(graph.iri)) return denied_graph(how, graph.iri, visible);
    if (!visible.names.contains(graph.iri)) return unknown_graph(how, graph.iri, visible);
  }
  for (const sparql::Graph* graph : reaches.graphs) {
    const auto* name = std::get_if<Constant>(&graph->name);
    if (name != nullptr && is_denied(name->term.value)) {
      return denied_graph("GRAPH", name->term.value, visible);
    }
  }
  return {};
}

QueryDataset dataset_within(const VisibleGraphs& visible, const QueryDataset& asked) {
  if (!asked.empty() || visible.is_all) return asked;
  QueryDataset dataset;
  if (visible.has_unnamed) dataset.push_back({"", false, {}});
  for (const bool is_named : {false, true}) {
    for (const std::string& iri : visible.names) dataset.push_back({iri, is_named, {}});
  }
  return dataset;
}

}  // namespace helve::toolkit
