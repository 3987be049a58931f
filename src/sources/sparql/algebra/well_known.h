// Prefixes that people leave undeclared, and the functions that engines of others know.
#pragma once

#include <optional>
#include <string_view>

namespace helve::sparql {

// The IRI that a prefix commonly stands for (rdf, foaf, up, wdt ...).
std::optional<std::string_view> well_known_prefix(std::string_view name);

}  // namespace helve::sparql
