#include "sources/rdf/xml_fault.h"

#include <expat.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

Error invalid(std::string message, std::string hint = {}) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

Error invalid_token(const XmlFault& fault) {
  const bool is_utf8 =
      !is_utf16(fault.head) && (fault.encoding.empty() || fault.encoding == "utf-8");
  const std::string_view character = fault.here.substr(0, 4);
  const unsigned first = fault.here.empty() ? 0 : static_cast<unsigned char>(fault.here.front());
  if (is_utf8 && !character.empty() && utf8_valid_prefix(character) == 0) {
    return invalid(
        fmt::format("the byte 0x{:02X} here is not valid UTF-8", first),
        "convert the document to UTF-8, or name its encoding in <?xml ... encoding=\"...\"?>");
  }
  if (!character.empty() && find_unwritable_xml_character(character.substr(0, 1)) == 0) {
    return invalid(fmt::format("the character U+{:04X} cannot stand in XML", first));
  }
  return invalid(fmt::format("the XML is not well-formed here: \"{}\"", excerpt(fault.here)),
                 "is a \"<\" or \"&\" not written as &lt; or &amp;, or a quote missing?");
}

bool is_cut_off(int expat_error) {
  return expat_error == XML_ERROR_NO_ELEMENTS || expat_error == XML_ERROR_UNCLOSED_TOKEN ||
         expat_error == XML_ERROR_PARTIAL_CHAR || expat_error == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

Error malformed(const XmlFault& fault, int expat_error) {
  const std::string near = excerpt(fault.here);
  switch (expat_error) {
    case XML_ERROR_INVALID_TOKEN:
    case XML_ERROR_SYNTAX:
    case XML_ERROR_PARTIAL_CHAR:
      return invalid_token(fault);
    case XML_ERROR_TAG_MISMATCH:
      return invalid(fmt::format("the end tag </{}> does not match {}",
                                 near.substr(0, near.find_first_of("> \t")), fault.open_element));
    case XML_ERROR_UNDEFINED_ENTITY: {
      const std::string_view from_name = std::string_view(near).substr(near.starts_with('&'));
      return undeclared_entity(from_name.substr(0, from_name.find(';')), fault.has_unread_dtd);
    }
    case XML_ERROR_UNBOUND_PREFIX:
      return invalid(fmt::format("a prefix in \"{}\" is not declared", near),
                     "declare it with xmlns:PREFIX=\"...\" on this element or one around it");
    case XML_ERROR_DUPLICATE_ATTRIBUTE:
      return invalid("an attribute is given twice in one tag");
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
      return invalid(
          fmt::format("met \"{}\" after the end of the document's element", near),
          fmt::format("an XML document has one outermost element: put one {} around them",
                      fault.dialect.root));
    case XML_ERROR_UNKNOWN_ENCODING:
    case XML_ERROR_INCORRECT_ENCODING:
      return invalid(fmt::format("the encoding \"{}\" of the document is not supported, or not "
                                 "the one it really has",
                                 excerpt(fault.encoding)),
                     "convert the document to UTF-8, for instance with iconv");
    default:
      return invalid(fmt::format("the XML is not well-formed here: {}",
                                 XML_ErrorString(static_cast<XML_Error>(expat_error))));
  }
}

// Nothing but a prolog has been met.
Error no_element(const XmlFault& fault, int expat_error) {
  const std::string head = ascii_lower(fault.head);
  if (head.find("<!doctype html") != std::string::npos || head.find("<html") != std::string::npos) {
    return html_instead_of(fault.dialect);
  }
  const std::string_view start =
      fault.head.substr(std::min(fault.head.size(), fault.head.find_first_not_of(" \t\r\n")));
  if (!start.starts_with('<') && !start.starts_with("\xEF\xBB\xBF<") && !is_utf16(fault.head)) {
    return invalid(fmt::format("this is not XML: it starts with \"{}\"", excerpt(start)),
                   fmt::format("{} starts with {}; is this another format?", fault.dialect.name,
                               fault.dialect.beginning));
  }
  if (fault.is_final && is_cut_off(expat_error)) {
    return invalid("the document ends before its first element", "the file seems to be cut off");
  }
  return malformed(fault, expat_error);
}

}  // namespace

Error explain_xml_fault(const XmlFault& fault, int expat_error) {
  if (expat_error == XML_ERROR_NO_MEMORY) {
    return {ErrorCode::LimitExceeded,
            fmt::format("one tag, comment or declaration of the document needs more memory than is "
                        "allowed ({} MiB)",
                        fault.memory_bytes_max / kMiB)};
  }
  if (expat_error == XML_ERROR_AMPLIFICATION_LIMIT_BREACH) {
    return {ErrorCode::LimitExceeded, "the entities of the DTD make the document too long",
            std::string(kExpansionHint)};
  }
  if (fault.is_blank) {
    return invalid(
        fmt::format("the document is empty; {} needs at least one element", fault.dialect.name));
  }
  if (!fault.has_root) return no_element(fault, expat_error);
  if (fault.is_final && is_cut_off(expat_error) && !fault.open_element.empty()) {
    return invalid(fmt::format("the document ends in the middle of {}", fault.open_element),
                   "the file seems to be cut off");
  }
  return malformed(fault, expat_error);
}

Error undeclared_entity(std::string_view name, bool has_unread_dtd) {
  return invalid(fmt::format("the entity &{}; is not declared in the document", excerpt(name)),
                 has_unread_dtd ? "external DTDs are not read: declare it inside the document"
                                : "declare it in the DOCTYPE, or write & as &amp;");
}

Error html_instead_of(const XmlDialect& dialect) {
  return invalid(
      fmt::format("this is an HTML page, not {}", dialect.name),
      fmt::format("ask the server for {}, or look for a download link", dialect.media_types));
}

bool is_utf16(std::string_view head) {
  const std::string_view start = head.substr(0, 2);
  return start == "\xFE\xFF" || start == "\xFF\xFE" || start == std::string_view("<\0", 2) ||
         start == std::string_view("\0<", 2);
}

}  // namespace helve::rdf
