#include "toolkit/examples/query_reach.h"

#include <algorithm>
#include <unordered_map>

#include "sources/sparql/algebra/analysis.h"

namespace helve::toolkit {

namespace {

using sparql::Pattern;
using sparql::PatternPart;

// The IRI, or null for a variable.
const std::string* iri_of(const std::variant<sparql::Variable, sparql::Constant>& name) {
  const auto* constant = std::get_if<sparql::Constant>(&name);
  return constant != nullptr ? &constant->term.value : nullptr;
}

class ReachReader {
 public:
  void add_service(const sparql::Service& service) {
    const std::string* endpoint = iri_of(service.endpoint);
    if (endpoint == nullptr) {
      reach_.has_variable_service = true;
    } else {
      reach_.services.push_back(*endpoint);
    }
    // Nobody knows whose graphs those inside of SERVICE ?x are.
    sparql::for_each_pattern(*service.inner, [&](const Pattern& inner) {
      if (inner.if_is<sparql::Graph>() != nullptr) elsewhere_[&inner] = endpoint;
    });
  }

  void add_graph(const Pattern& pattern) {
    const std::string* iri = iri_of(pattern.if_is<sparql::Graph>()->name);
    if (iri == nullptr) {
      reach_.has_variable_graph = true;
      return;
    }
    const auto found = elsewhere_.find(&pattern);
    if (found == elsewhere_.end()) {
      reach_.graphs.push_back({*iri, {}});
    } else if (found->second != nullptr) {
      reach_.graphs.push_back({*iri, *found->second});
    }
  }

  void add_dataset(const sparql::DatasetGraph& graph) { reach_.graphs.push_back({graph.iri, {}}); }

  QueryReach take() {
    sort_unique(reach_.services);
    sort_unique(reach_.graphs);
    return std::move(reach_);
  }

 private:
  static void sort_unique(auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  QueryReach reach_;
  // Graphs inside of a SERVICE, and the innermost one's endpoint; null: a variable.
  std::unordered_map<const Pattern*, const std::string*> elsewhere_;
};

}  // namespace

QueryReach reach_of(const sparql::Query& query) {
  ReachReader reader;
  for (const sparql::DatasetGraph& graph : query.dataset) reader.add_dataset(graph);
  // A service comes before what stands in it, since its text begins earlier.
  for (const PatternPart& part : sparql::pattern_parts(query)) {
    if (part.kind == PatternPart::Kind::Service) {
      reader.add_service(*part.pattern->if_is<sparql::Service>());
    } else if (part.kind == PatternPart::Kind::Graph) {
      reader.add_graph(*part.pattern);
    }
  }
  return reader.take();
}

}  // namespace helve::toolkit
