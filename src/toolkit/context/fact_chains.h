// Questions that follow a chain of triples: restrictions, lists, hierarchies. Where the graph can
// be read they walk along its triples, else they are one query each; both find the same.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "toolkit/context/fact_questions.h"

namespace helve::context {

// Rows of property, rdfs:domain or rdfs:range, and a member of the union that it is.
Result<FactTable> find_union_ends(FactQuestions& questions, std::uint64_t rows_max);
// Rows of a node that has owl:oneOf, a class that is equivalent to it or nothing, and a member.
Result<FactTable> find_closed_classes(FactQuestions& questions, std::uint64_t rows_max);
// Rows of an owl:AllDisjointClasses and a member of it.
Result<FactTable> find_disjoint_sets(FactQuestions& questions, std::uint64_t rows_max);
// Rows of class, property, one of `kinds`, number, and the class of a qualified one or nothing.
Result<FactTable> find_cardinalities(FactQuestions& questions,
                                     std::span<const std::string_view> kinds,
                                     std::uint64_t rows_max);
// Rows of a class below `top`.
Result<FactTable> find_subclasses(FactQuestions& questions, std::string_view top,
                                  std::uint64_t rows_max);

}  // namespace helve::context
