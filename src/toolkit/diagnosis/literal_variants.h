// Literals that mean the same and are written in another way: datatype, language, case, space.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sources/rdf/term.h"
#include "toolkit/diagnosis/diagnosis.h"
#include "toolkit/diagnosis/group_parts.h"
#include "toolkit/diagnosis/probes.h"

namespace helve::toolkit {

struct LiteralVariant {
  rdf::Term term;
  EmptyCause cause = EmptyCause::LiteralDatatype;
  int differences = 1;
};

// How `found` differs from the literal that was wanted; nullopt: it is the same, or another value.
std::optional<LiteralVariant> variant_of(const rdf::Term& wanted, const rdf::Term& found);

// Values of a variable of a pattern that are variants of a literal, the nearest first.
std::vector<LiteralVariant> variants_among(const rdf::Term& wanted, const sparql::Pattern& pattern,
                                           const std::string& variable, const Scope& scope,
                                           Probes& probes);

// Lower case, without white space.
std::string folded(std::string_view text);
std::string without_space(std::string_view text);

}  // namespace helve::toolkit
