// Which characters and names XML 1.0 allows; shared by the RDF/XML reader and writer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::rdf {

inline constexpr std::string_view kXmlNamespace = "http://www.w3.org/XML/1998/namespace";

// https://www.w3.org/TR/xml-names/#NT-NCName, with the character classes of XML 1.0, 5th edition.
// REQUIRES: valid UTF-8.
bool is_nc_name(std::string_view text);

// Length of the longest ending of `text` that every XML parser takes as an NCName; 0 when there is
// none. This is where an IRI is split into a namespace and a local name. REQUIRES: valid UTF-8.
std::size_t nc_name_suffix(std::string_view text);

// Byte offset of the first character that no XML 1.0 document can hold
// (https://www.w3.org/TR/xml/#NT-Char); npos when there is none. REQUIRES: valid UTF-8.
std::size_t find_unwritable_xml_character(std::string_view text);

// The beginning of `text`, short enough for a message: one line, whole characters.
std::string excerpt(std::string_view text);

}  // namespace helve::rdf
