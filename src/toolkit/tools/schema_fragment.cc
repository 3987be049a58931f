#include "toolkit/tools/schema_fragment.h"

#include <algorithm>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/algebra/analysis.h"
#include "toolkit/tools/explore.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kClassesShown = 2;
constexpr std::size_t kFragmentPropertiesShown = 4;
constexpr std::size_t kOfAClassShown = 8;

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

struct TouchedNames {
  std::vector<std::string> classes;
  std::vector<std::string> properties;
};

TouchedNames names_of(const sparql::Query& query) {
  TouchedNames names;
  for (const sparql::PatternPart& part : sparql::pattern_parts(query)) {
    if (part.triple == nullptr) continue;
    const auto* predicate = std::get_if<sparql::Constant>(&part.triple->predicate);
    if (predicate == nullptr) continue;
    if (predicate->term.value != rdf::kRdfType) {
      add_new(names.properties, predicate->term.value);
    } else if (const auto* type = std::get_if<sparql::Constant>(&part.triple->object)) {
      add_new(names.classes, type->term.value);
    }
  }
  return names;
}

}  // namespace

std::optional<ReplyList> schema_fragment(const sparql::Query& query, const GraphSource& graph,
                                         ToolCall& call) {
  const auto schema = graph.schema(call.op);
  if (!schema) return std::nullopt;
  const TouchedNames names = names_of(query);
  ReplyList list{"schema_fragment", {}, {}};
  std::size_t classes = 0;
  for (const std::string& iri : names.classes) {
    if ((*schema)->find_class(iri) == nullptr || ++classes > kClassesShown) continue;
    const auto facts = class_facts(iri, graph, call);
    if (!facts || (*facts)->properties.empty()) continue;
    ReplyValue::List properties;
    for (const ClassProperty& property : (*facts)->properties) {
      if (properties.size() < kOfAClassShown) properties.push_back(ReplyValue::iri(property.iri));
    }
    list.items.emplace_back(ReplyValue::Members{{"class", ReplyValue::iri(iri)},
                                                {"properties", std::move(properties)}});
  }
  std::size_t properties = 0;
  for (const std::string& iri : names.properties) {
    const PropertyInfo* info = (*schema)->find_property(iri);
    if (info == nullptr || ++properties > kFragmentPropertiesShown) continue;
    list.items.emplace_back(ReplyValue::Members{{"property", ReplyValue::iri(iri)},
                                                {"domain", first_or_null(info->domains)},
                                                {"range", first_or_null(info->ranges)}});
  }
  if (list.items.empty()) return std::nullopt;
  return list;
}

}  // namespace helve::toolkit
