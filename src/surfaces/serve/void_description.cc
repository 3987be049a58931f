#include "surfaces/serve/void_description.h"

#include <fmt/format.h>

#include <algorithm>

#include "sources/rdf/vocabulary.h"

namespace helve::serve {

namespace {

using Node = Description::Node;

Node void_term(std::string_view name) { return Description::iri(kVoid, name); }

void add_cut(Description& description, const Node& dataset, std::size_t count,
             std::string_view noun) {
  if (count <= kPartitionsListedMax) return;
  description.add_text(
      dataset, Description::iri(rdf::kRdfs, "comment"),
      fmt::format("the {} largest of {} {} are listed", kPartitionsListedMax, count, noun));
}

// Declared ones without instances are no part of the data.
void add_classes(Description& description, const Node& dataset, const GraphSchema& schema) {
  std::vector<const ClassInfo*> used;
  for (const ClassInfo& info : schema.classes) {
    if (info.instances > 0) used.push_back(&info);
  }
  description.add_count(dataset, void_term("classes"), used.size());
  add_cut(description, dataset, used.size(), "classes");
  used.resize(std::min(used.size(), kPartitionsListedMax));
  for (const ClassInfo* info : used) {
    const Node part = description.blank();
    description.add(dataset, void_term("classPartition"), part);
    description.add(part, void_term("class"), Description::iri(info->iri));
    description.add_count(part, void_term("entities"), info->instances);
  }
}

void add_properties(Description& description, const Node& dataset, const GraphSchema& schema) {
  std::vector<const PropertyInfo*> used;
  for (const PropertyInfo& info : schema.properties) {
    if (info.triples > 0) used.push_back(&info);
  }
  description.add_count(dataset, void_term("properties"), used.size());
  add_cut(description, dataset, used.size(), "properties");
  used.resize(std::min(used.size(), kPartitionsListedMax));
  for (const PropertyInfo* info : used) {
    const Node part = description.blank();
    description.add(dataset, void_term("propertyPartition"), part);
    description.add(part, void_term("property"), Description::iri(info->iri));
    description.add_count(part, void_term("triples"), info->triples);
    description.add_count(part, void_term("distinctSubjects"), info->subjects);
    description.add_count(part, void_term("distinctObjects"), info->objects);
  }
}

}  // namespace

Description describe_void(const VoidFacts& facts, const GraphSchema& schema) {
  Description description;
  const Node document = Description::iri(facts.document);
  const Node dataset = Description::iri(facts.document + "#dataset");
  description.add_type(document, void_term("DatasetDescription"));
  description.add(document, Description::iri(kFoaf, "primaryTopic"), dataset);
  description.add_type(dataset, void_term("Dataset"));
  description.add(dataset, void_term("sparqlEndpoint"), Description::iri(facts.endpoint));
  description.add_count(dataset, void_term("triples"), schema.triples);
  description.add_count(dataset, void_term("distinctSubjects"), schema.subjects);
  description.add_count(dataset, void_term("distinctObjects"), schema.objects);
  add_classes(description, dataset, schema);
  add_properties(description, dataset, schema);
  return description;
}

}  // namespace helve::serve
