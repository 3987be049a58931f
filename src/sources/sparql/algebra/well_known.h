// Prefixes that people leave undeclared.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace helve::sparql {

struct WellKnownPrefix {
  std::string_view name;  // without the colon
  std::string_view iri;
};

// All of them, sorted by name.
std::span<const WellKnownPrefix> well_known_prefixes();
// The IRI that a prefix commonly stands for (rdf, foaf, up, wdt ...).
std::optional<std::string_view> well_known_prefix(std::string_view name);

}  // namespace helve::sparql
