// The steps of gather_facts(): each fills its part of the facts. fact_terms.cc reads the schema
// alone, fact_header.cc and fact_axioms.cc ask the graph.
#pragma once

#include "base/result.h"
#include "toolkit/context/fact_questions.h"
#include "toolkit/context/graph_facts.h"

namespace helve::context {

// fact_terms.cc. `below` has how many subclasses and subproperties there are, by IRI.
using BelowCounts = std::unordered_map<std::string, std::uint64_t>;
void add_prefixes(const PrefixList& own, const GraphSchema& schema, GraphFacts& facts);
void add_namespaces(const GraphSchema& schema, GraphFacts& facts);
void add_counts(const GraphSchema& schema, GraphFacts& facts);
void add_classes(const GraphSchema& schema, const BelowCounts& below, GraphFacts& facts);
void add_properties(const GraphSchema& schema, const BelowCounts& below, GraphFacts& facts);
void add_formalism(const GraphSchema& schema, const FactQuestions& questions, GraphFacts& facts);

// fact_header.cc
Result<void> add_header(FactQuestions& questions, GraphFacts& facts);
Result<void> add_modules(const GraphSchema& schema, FactQuestions& questions, GraphFacts& facts);
Result<void> add_texts(FactQuestions& questions, GraphFacts& facts);

// fact_axioms.cc
Result<void> count_classes(FactQuestions& questions, GraphFacts& facts);
Result<BelowCounts> count_below(FactQuestions& questions, std::string_view predicate);
// Of the classes without instances that add_classes() found, those whose subclasses have some.
Result<void> keep_only_by_subclass(FactQuestions& questions, GraphFacts& facts);
// Whether all domains and ranges are read, or those of the properties that are kept.
void choose_ends(const FactQuestions& questions, GraphFacts& facts);
Result<void> add_ends(FactQuestions& questions, GraphFacts& facts);
Result<void> add_traits(FactQuestions& questions, GraphFacts& facts);
Result<void> add_disjoint(FactQuestions& questions, GraphFacts& facts);
Result<void> add_cardinalities(FactQuestions& questions, GraphFacts& facts);
// fact_enumerations.cc
Result<void> add_enumerations(const GraphSchema& schema, FactQuestions& questions,
                              GraphFacts& facts);

}  // namespace helve::context
