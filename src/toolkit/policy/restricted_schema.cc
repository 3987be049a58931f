#include "toolkit/policy/restricted_schema.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kListedMax = 2'000;  // classes, properties
constexpr std::uint64_t kFactsMax = 20'000;  // labels, domains, ranges

// Rows as the texts of their terms.
class TextRows final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    std::vector<std::string>& row = rows.emplace_back();
    for (const auto& cell : cells) row.emplace_back(cell ? cell->value : std::string_view());
    return {};
  }
  std::vector<std::vector<std::string>> rows;
};

std::uint64_t number_of(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class SchemaReader {
 public:
  SchemaReader(const GraphSource& source, const QueryDataset& dataset, const OpContext& context)
      : source_(source), dataset_(dataset), context_(context) {}

  Result<GraphSchema> read() {
    HELVE_TRY(read_classes());
    HELVE_TRY(read_properties());
    HELVE_TRY(read_labels());
    HELVE_TRY(read_ends());
    count_namespaces();
    return std::move(schema_);
  }

 private:
  using Rows = std::vector<std::vector<std::string>>;

  Result<Rows> ask(std::string_view text, std::uint64_t rows_max) {
    auto parsed = sparql::parse_query(text);
    HELVE_CHECK(parsed.has_value());
    parsed->query.dataset = dataset_;
    TextRows rows;
    const GraphRun run = source_.run(parsed->query, rows_max, rows, context_);
    if (run.error) return *run.error;
    if (run.has_more) schema_.is_complete = false;
    return std::move(rows.rows);
  }

  Result<void> read_classes() {
    HELVE_ASSIGN(const Rows used,
                 ask("SELECT ?c (COUNT(*) AS ?n) { ?x a ?c FILTER(isIRI(?c)) } GROUP BY ?c "
                     "ORDER BY DESC(?n) ?c",
                     kListedMax));
    for (const auto& row : used) schema_.classes.push_back({row[0], {}, number_of(row[1]), false});
    HELVE_ASSIGN(const Rows declared,
                 ask("SELECT DISTINCT ?c { VALUES ?t { owl:Class rdfs:Class } ?c a ?t "
                     "FILTER(isIRI(?c)) } ORDER BY ?c",
                     kListedMax));
    add_declared(declared, schema_.classes);
    return {};
  }

  Result<void> read_properties() {
    HELVE_ASSIGN(const Rows used, ask("SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p "
                                      "ORDER BY DESC(?n) ?p",
                                      kListedMax));
    for (const auto& row : used) {
      PropertyInfo property;
      property.iri = row[0];
      property.triples = number_of(row[1]);
      schema_.properties.push_back(std::move(property));
    }
    HELVE_ASSIGN(const Rows declared,
                 ask("SELECT DISTINCT ?p ?t { VALUES ?t { owl:ObjectProperty owl:DatatypeProperty "
                     "owl:AnnotationProperty rdf:Property } ?p a ?t FILTER(isIRI(?p)) } "
                     "ORDER BY ?p",
                     kListedMax));
    add_declared(declared, schema_.properties);
    for (const auto& row : declared) set_kind(row[0], row[1]);
    return {};
  }

  template <typename Info>
  void add_declared(const Rows& rows, std::vector<Info>& into) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < into.size(); ++i) places.emplace(into[i].iri, i);
    for (const auto& row : rows) {
      const auto [place, is_new] = places.emplace(row[0], into.size());
      if (is_new) into.emplace_back().iri = row[0];
      into[place->second].is_declared = true;
    }
  }

  void set_kind(const std::string& iri, std::string_view type) {
    PropertyInfo* property = property_of(iri);
    if (property == nullptr) return;
    if (type.ends_with("#ObjectProperty")) property->kind = PropertyKind::Object;
    if (type.ends_with("#DatatypeProperty")) property->kind = PropertyKind::Datatype;
    if (type.ends_with("#AnnotationProperty")) property->kind = PropertyKind::Annotation;
  }

  Result<void> read_labels() {
    HELVE_ASSIGN(const Rows rows,
                 ask("SELECT ?x ?l { { SELECT DISTINCT ?x { { ?i a ?x } UNION { VALUES ?t { "
                     "owl:Class rdfs:Class owl:ObjectProperty owl:DatatypeProperty "
                     "owl:AnnotationProperty rdf:Property } ?x a ?t } } } ?x rdfs:label ?l }",
                     kFactsMax));
    std::map<std::string, std::string> labels;
    for (const auto& row : rows) labels.emplace(row[0], row[1]);
    for (ClassInfo& item : schema_.classes) item.label = labels[item.iri];
    for (PropertyInfo& item : schema_.properties) item.label = labels[item.iri];
    return {};
  }

  Result<void> read_ends() {
    HELVE_ASSIGN(const Rows domains,
                 ask("SELECT DISTINCT ?p ?c { ?p rdfs:domain ?c FILTER(isIRI(?c)) }", kFactsMax));
    for (const auto& row : domains) {
      if (PropertyInfo* property = property_of(row[0])) property->domains.push_back(row[1]);
    }
    HELVE_ASSIGN(const Rows ranges,
                 ask("SELECT DISTINCT ?p ?c { ?p rdfs:range ?c FILTER(isIRI(?c)) }", kFactsMax));
    for (const auto& row : ranges) {
      if (PropertyInfo* property = property_of(row[0])) property->ranges.push_back(row[1]);
    }
    return {};
  }

  PropertyInfo* property_of(const std::string& iri) {
    if (places_.size() != schema_.properties.size()) {
      places_.clear();
      for (std::size_t i = 0; i < schema_.properties.size(); ++i) {
        places_.emplace(schema_.properties[i].iri, i);
      }
    }
    const auto found = places_.find(iri);
    return found != places_.end() ? &schema_.properties[found->second] : nullptr;
  }

  // Of classes and properties alone: those of all terms would need a scan.
  void count_namespaces() {
    std::set<std::string> terms;
    for (const ClassInfo& item : schema_.classes) terms.insert(item.iri);
    for (const PropertyInfo& item : schema_.properties) terms.insert(item.iri);
    std::map<std::string, std::uint64_t> counts;
    for (const std::string& iri : terms) {
      const std::size_t end = iri.find_last_of("#/:");
      if (end != std::string::npos) ++counts[iri.substr(0, end + 1)];
    }
    std::map<std::string, std::string> prefixes;
    for (const auto& [name, iri] : source_.prefixes()) prefixes.emplace(iri, name);
    for (const auto& [iri, count] : counts) {
      schema_.namespaces.push_back({prefixes[iri], iri, count});
    }
    std::stable_sort(schema_.namespaces.begin(), schema_.namespaces.end(),
                     [](const auto& a, const auto& b) { return a.terms > b.terms; });
  }

  const GraphSource& source_;
  const QueryDataset& dataset_;
  const OpContext& context_;
  GraphSchema schema_;
  std::map<std::string, std::size_t> places_;  // of properties
};

}  // namespace

Result<GraphSchema> schema_within(const GraphSource& source, const GraphSchema& whole,
                                  const QueryDataset& dataset, const OpContext& context) {
  HELVE_ASSIGN(GraphSchema schema, SchemaReader(source, dataset, context).read());
  std::set<std::string_view> names;
  for (const sparql::DatasetGraph& graph : dataset) names.insert(graph.iri);
  for (const auto& [iri, statements] : whole.graphs) {
    if (names.contains(iri)) schema.graphs.emplace_back(iri, statements);
  }
  for (const PropertyInfo& property : schema.properties) schema.triples += property.triples;
  return schema;
}

}  // namespace helve::toolkit
