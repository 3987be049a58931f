#include "sources/rdf/xml_escape.h"

#include <algorithm>

namespace helve::rdf {

namespace {

std::string_view reference_for(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
      return "&#x9;";
    case '\n':
      return "&#xA;";
    default:
      return "&#xD;";
  }
}

void append_escaped(std::string& out, std::string_view text, std::string_view special) {
  while (true) {
    const std::size_t plain = std::min(text.find_first_of(special), text.size());
    out += text.substr(0, plain);
    if (plain == text.size()) return;
    out += reference_for(text[plain]);
    text.remove_prefix(plain + 1);
  }
}

}  // namespace

void append_xml_text(std::string& out, std::string_view text) {
  append_escaped(out, text, "&<>\r");
}

void append_xml_attribute_value(std::string& out, std::string_view value) {
  append_escaped(out, value, "&<\"\t\n\r");
}

}  // namespace helve::rdf
