// SourceBrief: what the context says of a source whatever the task, which is what can be kept
// between calls (brief_cache.h).
#pragma once

#include <string>
#include <vector>

#include "toolkit/context/constraint_file.h"
#include "toolkit/context/graph_facts.h"
#include "toolkit/context/layer_text.h"
#include "toolkit/context/table_cards.h"

namespace helve::context {

struct SourceBrief {
  LayerText sense;        // L0
  LayerText constraints;  // L1
  std::string schema_fingerprint;
  // What it is about: for its guide, and for the domain of lessons.
  std::string ontology;
  std::string main_namespace;
  std::vector<std::string> ontologies;
  std::vector<std::string> gaps;  // what could not be found out
};

struct BriefBudgets {
  std::size_t sense = 600;
  std::size_t constraints = 1'000;
};

// `own`: null: one that comes with the program, where there is one for the graph.
Result<SourceBrief> make_brief(const GraphSource& graph, const ConstraintFile* own,
                               const BriefBudgets& budgets, const OpContext& context);
Result<SourceBrief> make_brief(const TableSource& tables, const BriefBudgets& budgets,
                               const OpContext& context);

}  // namespace helve::context
