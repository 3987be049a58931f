// What is wrong with an XML document, in words that help. Used by xml_parser.cc; the codes are
// expat's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::rdf {

// What the document should be, for messages.
struct XmlDialect {
  std::string_view name = "RDF/XML";
  std::string_view beginning = "<?xml or <rdf:RDF";
  std::string_view root = "rdf:RDF";
  std::string_view media_types = "application/rdf+xml or text/turtle";
};

inline constexpr std::string_view kExpansionHint =
    "such documents serve attacks; expand the entities with a tool you trust";

// What is known where expat gave up.
struct XmlFault {
  XmlDialect dialect;
  std::string_view head;      // the first bytes of the document
  std::string_view here;      // what stands at the fault; may be empty
  std::string_view encoding;  // as declared, in lower case
  std::string open_element;   // "<a> opened at line 3"; empty when none is open
  std::size_t memory_bytes_max = 0;
  bool is_blank = false;  // nothing but white space
  bool has_root = false;  // an element has been met
  bool is_final = false;  // the end of the document has been reached
  bool has_unread_dtd = false;
};

// InvalidInput, or LimitExceeded where a bound was met; without a position.
Error explain_xml_fault(const XmlFault& fault, int expat_error);

Error undeclared_entity(std::string_view name, bool has_unread_dtd);
Error html_instead_of(const XmlDialect& dialect);

// UTF-16 by its byte order mark or its first character.
bool is_utf16(std::string_view head);

}  // namespace helve::rdf
