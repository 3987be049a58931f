// XmlParser: a streaming, namespace-aware XML 1.0 parser; the only place that knows expat. The
// RDF/XML grammar on top of it is rdfxml_reader.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/rdf/xml_fault.h"

namespace helve::rdf {

// A name by Namespaces in XML; all parts but `local` may be empty.
struct XmlName {
  std::string_view space;
  std::string_view local;
  std::string_view prefix;

  // Appends it as it is written in the document: "rdf:about".
  void append_qualified(std::string& out) const;
  std::string qualified() const;
};

struct XmlAttribute {
  XmlName name;
  std::string_view value;
};

// Receives the events of a document. Virtual because expat's callbacks arrive through a pointer
// anyway. All views are valid during the call only. An error stops the parser and is its result.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual Result<void> start_element(const XmlName& name,
                                     std::span<const XmlAttribute> attributes) = 0;
  virtual Result<void> end_element(const XmlName& name) = 0;
  // A run of text may come in several pieces; no piece but a line feed itself holds a line feed.
  virtual Result<void> text(std::string_view text) = 0;
  virtual Result<void> comment(std::string_view text) = 0;
  virtual Result<void> processing_instruction(std::string_view target, std::string_view data) = 0;
  // Before the start_element of the element that declares it; an empty IRI takes the default
  // namespace away.
  virtual void namespace_declared(std::string_view prefix, std::string_view iri) = 0;
};

// UTF-8, UTF-16, ISO-8859-1 and US-ASCII documents; text is given as UTF-8. Internal entities are
// expanded within bounds; external entities and DTDs are never fetched: a reference that would need
// one is an error. Elements nest Limits::nesting_max deep at most, attribute values and names are
// Limits::term_bytes_max long at most, and all memory is bounded and taken from context.memory.
class XmlParser {
 public:
  // Handler and context must outlive the parser.
  XmlParser(XmlHandler& handler, const OpContext& context, const XmlDialect& dialect = {});
  ~XmlParser();
  XmlParser(const XmlParser&) = delete;
  XmlParser& operator=(const XmlParser&) = delete;

  // Parses one whole document; call one of them, once. Errors of the document carry a position.
  Result<void> parse(ByteSource& source);
  Result<void> parse(std::string_view document);

  // Where the current event begins.
  TextPosition position() const;
  // True when parse() failed because the document is not well-formed XML.
  bool is_malformed() const;

 private:
  class Expat;
  std::unique_ptr<Expat> expat_;
};

}  // namespace helve::rdf
