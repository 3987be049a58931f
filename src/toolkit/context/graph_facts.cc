#include "toolkit/context/graph_facts.h"

#include <array>

#include "toolkit/context/fact_gathering.h"
#include "toolkit/context/known_terms.h"

namespace helve::context {

namespace {

// Of an endpoint that does not say what it holds a card can still tell the name and the limits.
Result<std::shared_ptr<const GraphSchema>> schema_of(const GraphSource& graph,
                                                     const OpContext& context, GraphFacts& facts) {
  auto schema = graph.schema(context);
  if (schema || !graph.info().is_remote) return schema;
  HELVE_TRY(context.check());
  facts.gaps.emplace_back("its size and schema");
  auto empty = std::make_shared<GraphSchema>();
  empty->is_complete = false;
  return std::shared_ptr<const GraphSchema>(std::move(empty));
}

void add_source(const GraphSource& graph, const GraphSchema& schema, GraphFacts& facts) {
  facts.name = graph.info().name;
  facts.source_description = graph.info().description;
  facts.is_remote = graph.info().is_remote;
  facts.traits = graph.traits();
  facts.origin = schema.origin;
  facts.is_complete = schema.is_complete;
  facts.triples = schema.triples;
  facts.graph_count = schema.graphs.size();
}

// Hierarchies of an endpoint may be its data: a taxonomy of millions is not counted for an order.
Result<void> add_terms(const GraphSchema& schema, FactQuestions& questions, GraphFacts& facts) {
  BelowCounts below;
  if (!facts.is_remote) {
    HELVE_ASSIGN(below, count_below(questions, kSubClassOf));
    HELVE_ASSIGN(auto properties, count_below(questions, kSubPropertyOf));
    below.merge(properties);
  }
  add_counts(schema, facts);
  HELVE_TRY(count_classes(questions, facts));
  add_classes(schema, below, facts);
  choose_ends(questions, facts);
  add_properties(schema, below, facts);
  return {};
}

}  // namespace

Result<GraphFacts> gather_facts(const GraphSource& graph, const OpContext& context) {
  GraphFacts facts;
  HELVE_ASSIGN(const auto schema, schema_of(graph, context, facts));
  if (!schema->is_complete && schema->triples == 0 && !facts.gaps.empty()) {
    add_source(graph, *schema, facts);
    return facts;  // who could not say that much is not asked more
  }
  FactQuestions questions(graph, *schema, context);
  add_source(graph, *schema, facts);
  add_prefixes(graph.prefixes(), *schema, facts);
  add_formalism(*schema, questions, facts);
  HELVE_TRY(add_terms(*schema, questions, facts));
  add_namespaces(*schema, facts);
  HELVE_TRY(add_header(questions, facts));
  HELVE_TRY(add_modules(*schema, questions, facts));
  HELVE_TRY(add_texts(questions, facts));
  HELVE_TRY(add_ends(questions, facts));
  HELVE_TRY(add_traits(questions, facts));
  HELVE_TRY(add_disjoint(questions, facts));
  HELVE_TRY(add_cardinalities(questions, facts));
  HELVE_TRY(add_enumerations(*schema, questions, facts));
  HELVE_TRY(keep_only_by_subclass(questions, facts));
  for (std::string& gap : questions.take_gaps()) facts.gaps.push_back(std::move(gap));
  return facts;
}

}  // namespace helve::context
