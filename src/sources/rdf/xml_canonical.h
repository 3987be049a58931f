// XmlCanonicalWriter: the content of an rdf:XMLLiteral, as text in exclusive canonical XML with
// comments, from the events of xml_parser.h.
// https://www.w3.org/TR/rdf-syntax-grammar/#parseTypeLiteralPropertyElt
// https://www.w3.org/TR/xml-exc-c14n/
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sources/rdf/xml_parser.h"

namespace helve::rdf {

class XmlCanonicalWriter {
 public:
  // Starts a new literal.
  void clear();

  void start_element(const XmlName& name, std::span<const XmlAttribute> attributes);
  void end_element(const XmlName& name);
  void text(std::string_view text);
  void comment(std::string_view text);
  void processing_instruction(std::string_view target, std::string_view data);

  // All elements that were started have ended.
  bool is_balanced() const { return open_.empty(); }
  const std::string& canonical() const { return out_; }

 private:
  // A namespace declaration that stands in the output around the current place.
  struct Rendered {
    std::string prefix;
    std::string space;
    std::size_t outer;  // what the prefix meant outside: an index, or kNone
  };

  // Notes that the tag being written uses the prefix; declared there unless it means that already.
  void use(std::string_view prefix, std::string_view space);

  std::string out_;
  std::vector<Rendered> rendered_;
  std::vector<std::size_t> open_;  // per open element, rendered_.size() before it
  std::unordered_map<std::string, std::size_t> current_;  // prefix to index in rendered_
  std::vector<const XmlAttribute*> sorted_;
  std::string key_;
};

}  // namespace helve::rdf
