#include "surfaces/serve/counted_schema.h"

#include <charconv>
#include <string>
#include <string_view>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"

namespace helve::serve {

namespace {

constexpr std::string_view kSizes =
    "SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?subjects) (COUNT(DISTINCT ?o) AS ?objects) "
    "{ ?s ?p ?o }";
constexpr std::string_view kClasses =
    "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c FILTER isIRI(?c) } GROUP BY ?c ORDER BY DESC(?n) ?c";
constexpr std::string_view kProperties =
    "SELECT ?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?subjects) (COUNT(DISTINCT ?o) AS ?objects) "
    "{ ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n) ?p";

Result<sparql::SolutionTable> ask(std::string_view text,
                                  const std::shared_ptr<const sparql::Snapshot>& data,
                                  const OpContext& op) {
  HELVE_ASSIGN(const sparql::ParsedQuery parsed, sparql::parse_query(text));
  sparql::RunOptions options;
  options.is_union_default = true;
  HELVE_ASSIGN(sparql::QueryRun run, sparql::QueryRun::start(parsed.query, data, options, op));
  sparql::SolutionTable table;
  HELVE_TRY(run.send(table));
  return table;
}

using Cells = std::vector<std::optional<rdf::Term>>;

std::uint64_t number(const Cells& row, std::size_t column) {
  std::uint64_t value = 0;
  if (row[column]) {
    const std::string& text = row[column]->value;
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  return value;
}

std::string name(const Cells& row) { return row[0] ? row[0]->value : std::string(); }

}  // namespace

Result<GraphSchema> count_schema(const std::shared_ptr<const sparql::Snapshot>& data,
                                 const OpContext& op) {
  GraphSchema schema;
  HELVE_ASSIGN(const auto sizes, ask(kSizes, data, op));
  for (const Cells& row : sizes.rows) {
    schema.triples = number(row, 0);
    schema.subjects = number(row, 1);
    schema.objects = number(row, 2);
  }
  HELVE_ASSIGN(const auto classes, ask(kClasses, data, op));
  for (const Cells& row : classes.rows) {
    ClassInfo info;
    info.iri = name(row);
    info.instances = number(row, 1);
    schema.classes.push_back(std::move(info));
  }
  HELVE_ASSIGN(const auto properties, ask(kProperties, data, op));
  for (const Cells& row : properties.rows) {
    PropertyInfo info;
    info.iri = name(row);
    info.triples = number(row, 1);
    info.subjects = number(row, 2);
    info.objects = number(row, 3);
    schema.properties.push_back(std::move(info));
  }
  return schema;
}

}  // namespace helve::serve
