// The namespace of an IRI, as summaries and schemas count terms by it.
#pragma once

#include <string_view>

namespace helve::store {

// Everything up to and including the last "#" or "/", or else ":". From the end, by hand:
// find_last_of() calls a function for each character.
inline std::string_view namespace_of(std::string_view iri) {
  for (std::size_t end = iri.size(); end > 0; --end) {
    if (iri[end - 1] == '#' || iri[end - 1] == '/') return iri.substr(0, end);
  }
  const std::size_t colon = iri.rfind(':');
  return colon == std::string_view::npos ? iri : iri.substr(0, colon + 1);
}

}  // namespace helve::store
