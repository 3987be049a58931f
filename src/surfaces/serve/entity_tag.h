// Entity tags: which state of the data an answer came from, and in which form it was sent.
// https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
#pragma once

#include <string>
#include <string_view>

#include "sources/rdf/format.h"

namespace helve::serve {

// "\"fingerprint.turtle\""; one for each form, since they are not the same bytes.
std::string entity_tag(std::string_view fingerprint, rdf::Format format, bool has_gzip);

// If-None-Match of who reads: has the client this very answer?
bool has_tag(std::string_view if_none_match, std::string_view tag);

// If-Match of who writes: is the state one that the client has seen, in whatever form?
bool has_state(std::string_view if_match, std::string_view fingerprint);

}  // namespace helve::serve
