// What instances of a class are like, told from some of them. explore.h declares it.
#include <fmt/format.h>

#include <algorithm>

#include "sources/rdf/vocabulary.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/graph_access.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kSampled = 200;
constexpr std::uint64_t kPropertiesMax = 100;

Result<ClassFacts> look_at_class(const std::string& iri, const GraphSource& graph,
                                 const OpContext& op) {
  const std::string some =
      fmt::format("{{ SELECT ?s {{ ?s a {} }} LIMIT {} }}", in_query(iri), kSampled);
  ClassFacts facts;
  HELVE_ASSIGN(const SmallTable table,
               ask_small(graph,
                         fmt::format("SELECT ?p (COUNT(DISTINCT ?s) AS ?n) {{ {} ?s ?p ?o }} "
                                     "GROUP BY ?p ORDER BY DESC(?n) ?p LIMIT {}",
                                     some, kPropertiesMax),
                         kPropertiesMax, op));
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::uint64_t instances = table.number(row, 1);
    facts.sampled = std::max(facts.sampled, instances);  // all have their class
    facts.properties.push_back({table.rows[row][0]->value, instances, instances == facts.sampled});
  }
  return facts;
}

}  // namespace

Result<std::shared_ptr<const ClassFacts>> class_facts(const std::string& iri,
                                                      const GraphSource& graph, ToolCall& call) {
  return call.facts.get<ClassFacts>(fmt::format("class {} {}", graph.fingerprint(), iri),
                                    [&] { return look_at_class(iri, graph, call.op); });
}

ReplyValue::List common_properties(const ClassFacts& facts, std::size_t count) {
  ReplyValue::List common;
  for (const ClassProperty& property : facts.properties) {
    if (common.size() == count) break;
    if (property.iri != rdf::kRdfType) common.push_back(ReplyValue::iri(property.iri));
  }
  return common;
}

ReplyValue text_or_null(const std::string& text) {
  return text.empty() ? ReplyValue() : ReplyValue(text);
}

ReplyValue first_or_null(const std::vector<std::string>& iris) {
  return iris.empty() ? ReplyValue() : ReplyValue::iri(iris.front());
}

std::string_view name_of(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::Object:
      return "object";
    case PropertyKind::Datatype:
      return "datatype";
    case PropertyKind::Mixed:
      return "mixed";
    case PropertyKind::Annotation:
      return "annotation";
    case PropertyKind::Unknown:
      break;
  }
  return "unknown";
}

ResourceKind kind_of_resource(const std::string& iri, const GraphSchema& schema) {
  if (schema.find_class(iri) != nullptr) return ResourceKind::Class;
  if (schema.find_property(iri) != nullptr) return ResourceKind::Property;
  return ResourceKind::Instance;
}

}  // namespace helve::toolkit
