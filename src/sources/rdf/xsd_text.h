// The types whose values are texts or bytes: white space, names, hexBinary, base64Binary.
// https://www.w3.org/TR/xmlschema11-2/
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sources/rdf/xsd_type.h"

namespace helve::rdf {

// Every tab and line end a space (the facet "replace").
std::string replace_xml_space(std::string_view text);
// In addition single spaces inside and none at the ends (the facet "collapse").
std::string collapse_xml_space(std::string_view text);

// Whether `text`, its white space already processed, belongs to the string type.
// REQUIRES: is_string_type(type), valid UTF-8.
bool is_in_string_type(std::string_view text, XsdType type);

// The bytes, or nullopt for text of another shape. Base64 may have single spaces between
// characters.
std::optional<std::string> decode_hex(std::string_view text);
std::optional<std::string> decode_base64(std::string_view text);
// Canonical: upper case; no spaces.
std::string encode_hex(std::string_view bytes);
std::string encode_base64(std::string_view bytes);

}  // namespace helve::rdf
