#include "toolkit/context/source_brief.h"

#include "toolkit/context/schema_constraints.h"
#include "toolkit/context/sense_card.h"
#include "toolkit/learning/fingerprint.h"

namespace helve::context {

Result<SourceBrief> make_brief(const GraphSource& graph, const ConstraintFile* own,
                               const BriefBudgets& budgets, const OpContext& context) {
  HELVE_ASSIGN(const GraphFacts facts, gather_facts(graph, context));
  HELVE_ASSIGN(const auto schema, graph.schema(context));
  if (own == nullptr) own = find_constraints(facts);
  SourceBrief brief;
  brief.sense = pack_sense_card(facts, budgets.sense);
  brief.constraints = pack_schema_constraints(facts, own, budgets.constraints);
  brief.schema_fingerprint = learning::schema_fingerprint(*schema);
  brief.ontology = facts.main.iri;
  brief.main_namespace = facts.main_namespace;
  brief.ontologies = facts.ontologies;
  brief.gaps = facts.gaps;
  return brief;
}

Result<SourceBrief> make_brief(const TableSource& tables, const BriefBudgets& budgets,
                               const OpContext& context) {
  HELVE_ASSIGN(const TableFacts facts, gather_table_facts(tables, context));
  SourceBrief brief;
  brief.sense = pack_table_card(facts, budgets.sense);
  brief.constraints = pack_table_constraints(facts, budgets.constraints);
  brief.schema_fingerprint = learning::schema_fingerprint(*facts.catalogue);
  return brief;
}

}  // namespace helve::context
