// The RDF/XML grammar over the events of xml_parser.h. Functions bear the names of the productions:
// https://www.w3.org/TR/rdf-syntax-grammar/#section-Infoset-Grammar
#include "sources/rdf/rdfxml_reader.h"

#include <fmt/core.h>

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "sources/rdf/rdfxml_attributes.h"
#include "sources/rdf/rdfxml_statements.h"
#include "sources/rdf/rdfxml_terms.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xml_canonical.h"
#include "sources/rdf/xml_fault.h"
#include "sources/rdf/xml_names.h"
#include "sources/rdf/xml_parser.h"

namespace helve::rdf {

namespace {

using Slice = RdfXmlTerms::Slice;
using Node = RdfXmlTerms::Node;

// What the grammar expects inside an open element.
enum class Content : std::uint8_t {
  Document,          // around the outermost element
  NodeElements,      // rdf:RDF
  PropertyElements,  // a node element, or parseType="Resource"
  LiteralOrNode,     // a property element: text or one node element will show which
  AfterNode,         // a property element that has its node element
  Nothing,           // emptyPropertyElt
  Collection,        // parseType="Collection"
  XmlLiteral,        // parseType="Literal"
  Skipped,           // lenient: an element with an error
};

struct Frame {
  Content content = Content::Document;
  bool reported_text = false;
  bool has_cell = false;
  RdfXmlTerms::Mark mark;  // before this element
  std::size_t base = 0;
  Slice language;
  Node node;           // whom the statements inside are about
  Slice predicate;     // of a property element; empty for others
  Slice statement_id;  // rdf:ID of a property element: the statement is reified under it
  Slice datatype;
  std::size_t cell = 0;       // Collection: index of the last cell in cells_
  std::uint64_t members = 0;  // rdf:li elements so far
  std::size_t depth = 0;      // Skipped: open elements inside
};

class RdfXmlReader final : public XmlHandler {
 public:
  RdfXmlReader(IriResolver base, const ReadOptions& options, const OpContext& context,
               StatementSink& sink)
      : options_(options),
        context_(context),
        statements_(options, context, sink),
        parser_(*this, context),
        terms_(std::move(base), options.blank_prefix, context.limits),
        charge_(*context.memory, "reading RDF/XML") {
    frames_.emplace_back();
  }

  template <typename Document>
  Result<ReadReport> read(Document& document);

  Result<void> start_element(const XmlName& name,
                             std::span<const XmlAttribute> attributes) override;
  Result<void> end_element(const XmlName& name) override;
  Result<void> text(std::string_view text) override;
  Result<void> comment(std::string_view text) override;
  Result<void> processing_instruction(std::string_view target, std::string_view data) override;
  void namespace_declared(std::string_view prefix, std::string_view iri) override;

 private:
  Frame& top() { return frames_.back(); }

  Result<void> element(const XmlName& name, std::span<const XmlAttribute> attributes);
  Result<void> rdf(std::span<const XmlAttribute> attributes);
  Result<void> node_element(const XmlName& name, std::span<const XmlAttribute> attributes);
  Result<Node> subject(const Frame& frame);
  Result<void> object_of_parent(Frame& parent, const Node& node);
  Result<void> property_elt(const XmlName& name, std::span<const XmlAttribute> attributes);
  Result<void> parse_type_property_elt(Frame& frame);
  Result<void> empty_property_elt(Frame& frame);
  Result<void> property_attributes(const Node& node, const Frame& frame);
  Result<void> property_attr(const XmlAttribute& attribute, const Node& node, const Frame& frame);
  Result<void> collection_item(Frame& frame, const Node& node);
  Result<void> end_collection(const Frame& frame);

  Result<Frame> enter(Content content);
  void leave();
  void skip_element(std::size_t frame_count, const RdfXmlTerms::Mark& mark);

  TermView literal(std::string_view value, const Frame& frame) const;
  Result<void> emit_property(const Frame& frame, const TermView& object);
  Result<void> stray_text(std::string_view text);
  Result<void> check_literal_size(std::size_t bytes) const;
  Result<void> account();

  const ReadOptions& options_;
  const OpContext& context_;
  RdfXmlStatements statements_;
  XmlParser parser_;
  RdfXmlTerms terms_;
  MemoryCharge charge_;
  std::vector<Frame> frames_;
  RdfXmlAttributes attributes_;
  std::string text_;  // of the innermost property element
  XmlCanonicalWriter xml_literal_;
  std::vector<std::string> cells_;  // labels; one for each open collection
  std::size_t open_collections_ = 0;
  std::string next_cell_;
  std::unordered_set<std::string> prefixes_;
};

template <typename Document>
Result<ReadReport> RdfXmlReader::read(Document& document) {
  auto parsed = parser_.parse(document);
  if (parsed) return statements_.take_report();
  Error error = std::move(parsed).error();
  if (error.position && error.document.empty()) error.document = options_.document_name;
  if (!options_.lenient || !parser_.is_malformed()) return error;
  statements_.keep_problem(std::move(error));
  return statements_.take_report();
}

Result<void> RdfXmlReader::start_element(const XmlName& name,
                                         std::span<const XmlAttribute> attributes) {
  if (top().content == Content::XmlLiteral) {
    xml_literal_.start_element(name, attributes);
    return check_literal_size(xml_literal_.canonical().size());
  }
  if (top().content == Content::Skipped) {
    ++top().depth;
    return {};
  }
  const std::size_t frame_count = frames_.size();
  const RdfXmlTerms::Mark mark = terms_.mark();
  if (auto result = element(name, attributes); !result) [[unlikely]] {
    HELVE_TRY(statements_.problem(std::move(result).error(), parser_.position()));
    skip_element(frame_count, mark);
  }
  HELVE_TRY(terms_.check_size());
  return account();
}

Result<void> RdfXmlReader::element(const XmlName& name, std::span<const XmlAttribute> attributes) {
  switch (top().content) {
    case Content::Document:
      if (is_rdf_name(name, "RDF")) return rdf(attributes);
      if (name.local == "html" || name.local == "HTML") return html_instead_of(XmlDialect{});
      return node_element(name, attributes);
    case Content::NodeElements:
    case Content::Collection:
      return node_element(name, attributes);
    case Content::LiteralOrNode:
      if (!is_blank(text_)) {
        return Error{ErrorCode::InvalidInput,
                     fmt::format("met the element <{}> beside the text \"{}\"",
                                 excerpt(name.qualified()), excerpt(text_)),
                     "a property has a text or an element; rdf:parseType=\"Literal\" allows both"};
      }
      return node_element(name, attributes);
    case Content::PropertyElements:
      return property_elt(name, attributes);
    case Content::AfterNode:
      return Error{
          ErrorCode::InvalidInput,
          fmt::format("met a second element, <{}>, inside one property", excerpt(name.qualified())),
          "write the property once for each value"};
    default:
      return Error{ErrorCode::InvalidInput,
                   fmt::format("met the element <{}> inside a property that must be empty",
                               excerpt(name.qualified())),
                   "rdf:resource, rdf:nodeID and property attributes exclude content"};
  }
}

// Opens an element: base and language are inherited or set anew. attributes_ must be its own.
Result<Frame> RdfXmlReader::enter(Content content) {
  const Frame& outer = frames_.back();
  Frame frame;
  frame.content = content;
  frame.mark = terms_.mark();
  frame.base = outer.base;
  frame.language = outer.language;
  if (attributes_.xml_base != nullptr) {
    HELVE_ASSIGN(frame.base, terms_.push_base(attributes_.xml_base->value, outer.base));
  }
  if (attributes_.xml_lang != nullptr) {
    HELVE_ASSIGN(frame.language, terms_.push_language(attributes_.xml_lang->value));
  }
  return frame;
}

void RdfXmlReader::leave() {
  terms_.drop_to(top().mark);
  frames_.pop_back();
}

void RdfXmlReader::skip_element(std::size_t frame_count, const RdfXmlTerms::Mark& mark) {
  frames_.resize(frame_count);
  terms_.drop_to(mark);
  if (top().content == Content::LiteralOrNode) top().content = Content::AfterNode;
  Frame skipped;
  skipped.content = Content::Skipped;
  skipped.mark = mark;
  frames_.push_back(skipped);
}

// 7.2.9 RDF
Result<void> RdfXmlReader::rdf(std::span<const XmlAttribute> attributes) {
  HELVE_TRY(attributes_.sort(attributes));
  HELVE_TRY(check_rdf_element(attributes_));
  HELVE_ASSIGN(const Frame frame, enter(Content::NodeElements));
  frames_.push_back(frame);
  return {};
}

// 7.2.11 nodeElement
Result<void> RdfXmlReader::node_element(const XmlName& name,
                                        std::span<const XmlAttribute> attributes) {
  HELVE_TRY(attributes_.sort(attributes));
  HELVE_TRY(check_node_element(name, attributes_));
  HELVE_ASSIGN(Frame frame, enter(Content::PropertyElements));
  HELVE_ASSIGN(frame.node, subject(frame));
  Slice type;
  if (!is_rdf_name(name, "Description")) {
    HELVE_ASSIGN(type, terms_.push_name_iri(name));
  }
  const std::size_t parent = frames_.size() - 1;
  frames_.push_back(frame);
  HELVE_TRY(object_of_parent(frames_[parent], frame.node));
  if (!type.empty()) {
    HELVE_TRY(statements_.emit(terms_.view(frame.node), TermView::iri(kRdfType),
                               TermView::iri(terms_.view(type))));
  }
  return property_attributes(frame.node, frame);
}

// 7.2.11: rdf:ID, rdf:nodeID, rdf:about, or a new blank node
Result<Node> RdfXmlReader::subject(const Frame& frame) {
  const RdfXmlAttributes& a = attributes_;
  if ((a.id != nullptr) + (a.node_id != nullptr) + (a.about != nullptr) > 1) {
    return Error{ErrorCode::InvalidInput, "a node has more than one name",
                 "give one of rdf:about, rdf:ID and rdf:nodeID"};
  }
  if (a.about != nullptr) {
    HELVE_ASSIGN(const Slice iri, terms_.push_iri(a.about->value, frame.base));
    return Node{TermKind::Iri, iri};
  }
  if (a.id != nullptr) {
    HELVE_ASSIGN(const Slice iri, terms_.push_id(a.id->value, frame.base));
    return Node{TermKind::Iri, iri};
  }
  if (a.node_id != nullptr) return terms_.push_node_id(a.node_id->value);
  return terms_.push_blank();
}

// 7.2.15 resourcePropertyElt and 7.2.19 parseTypeCollectionPropertyElt: what `node` is to `parent`.
Result<void> RdfXmlReader::object_of_parent(Frame& parent, const Node& node) {
  if (parent.content == Content::Collection) return collection_item(parent, node);
  if (parent.content != Content::LiteralOrNode) return {};
  if (!parent.datatype.empty()) {
    return Error{ErrorCode::InvalidInput, "a property with rdf:datatype holds an element",
                 "only text can have a datatype"};
  }
  parent.content = Content::AfterNode;
  return emit_property(parent, terms_.view(node));
}

// 7.2.14 propertyElt
Result<void> RdfXmlReader::property_elt(const XmlName& name,
                                        std::span<const XmlAttribute> attributes) {
  HELVE_TRY(attributes_.sort(attributes));
  HELVE_TRY(check_property_element(name, attributes_));
  HELVE_ASSIGN(Frame frame, enter(Content::LiteralOrNode));
  frame.node = top().node;
  if (is_rdf_name(name, "li")) {
    frame.predicate = terms_.push_member_property(++top().members);
  } else {
    HELVE_ASSIGN(frame.predicate, terms_.push_name_iri(name));
  }
  const RdfXmlAttributes& a = attributes_;
  if (a.id != nullptr) {
    HELVE_ASSIGN(frame.statement_id, terms_.push_id(a.id->value, frame.base));
  }
  text_.clear();
  if (a.parse_type != nullptr) return parse_type_property_elt(frame);
  if (a.resource != nullptr || a.node_id != nullptr || !a.properties.empty()) {
    return empty_property_elt(frame);
  }
  if (a.datatype != nullptr) {
    HELVE_ASSIGN(frame.datatype, terms_.push_iri(a.datatype->value, frame.base));
    if (terms_.view(frame.datatype) == kRdfLangString) {
      return Error{ErrorCode::InvalidInput, "rdf:langString cannot be given as a datatype",
                   "give the language with xml:lang instead"};
    }
  }
  frames_.push_back(frame);
  return {};
}

// 7.2.17 to 7.2.20. A parse type that is not known is Literal.
Result<void> RdfXmlReader::parse_type_property_elt(Frame& frame) {
  const std::string_view parse_type = attributes_.parse_type->value;
  if (parse_type == "Resource") {
    Frame outer = frame;
    frame.content = Content::PropertyElements;
    frame.node = terms_.push_blank();
    frames_.push_back(frame);
    return emit_property(outer, terms_.view(frame.node));
  }
  if (parse_type == "Collection") {
    frame.content = Content::Collection;
    frame.cell = open_collections_++;
    if (cells_.size() < open_collections_) cells_.emplace_back();
  } else {
    frame.content = Content::XmlLiteral;
    xml_literal_.clear();
  }
  frames_.push_back(frame);
  return {};
}

// 7.2.21 emptyPropertyElt; the forms without attributes end as literals.
Result<void> RdfXmlReader::empty_property_elt(Frame& frame) {
  frame.content = Content::Nothing;
  const RdfXmlAttributes& a = attributes_;
  Node object;
  if (a.resource != nullptr) {
    object.kind = TermKind::Iri;
    HELVE_ASSIGN(object.text, terms_.push_iri(a.resource->value, frame.base));
  } else if (a.node_id != nullptr) {
    HELVE_ASSIGN(object, terms_.push_node_id(a.node_id->value));
  } else {
    object = terms_.push_blank();
  }
  frames_.push_back(frame);
  HELVE_TRY(emit_property(frame, terms_.view(object)));
  return property_attributes(object, frame);
}

Result<void> RdfXmlReader::property_attributes(const Node& node, const Frame& frame) {
  for (const XmlAttribute* attribute : attributes_.properties) {
    const RdfXmlTerms::Mark mark = terms_.mark();
    auto result = property_attr(*attribute, node, frame);
    terms_.drop_to(mark);
    if (!result) HELVE_TRY(statements_.problem(std::move(result).error(), parser_.position()));
  }
  return {};
}

// 7.2.25 propertyAttr
Result<void> RdfXmlReader::property_attr(const XmlAttribute& attribute, const Node& node,
                                         const Frame& frame) {
  if (is_type_attribute(attribute.name)) {
    HELVE_ASSIGN(const Slice type, terms_.push_iri(attribute.value, frame.base));
    return statements_.emit(terms_.view(node), TermView::iri(kRdfType),
                            TermView::iri(terms_.view(type)));
  }
  HELVE_ASSIGN(const Slice predicate, terms_.push_name_iri(attribute.name));
  return statements_.emit(terms_.view(node), TermView::iri(terms_.view(predicate)),
                          literal(attribute.value, frame));
}

// 7.2.19 parseTypeCollectionPropertyElt, as the list grows
Result<void> RdfXmlReader::collection_item(Frame& frame, const Node& node) {
  std::string& last = cells_[frame.cell];
  next_cell_.clear();
  terms_.append_blank_label(next_cell_);
  const TermView cell = TermView::blank(next_cell_);
  if (frame.has_cell) {
    HELVE_TRY(statements_.emit(TermView::blank(last), TermView::iri(kRdfRest), cell));
  } else {
    HELVE_TRY(emit_property(frame, cell));
  }
  frame.has_cell = true;
  HELVE_TRY(statements_.emit(cell, TermView::iri(kRdfFirst), terms_.view(node)));
  last.swap(next_cell_);
  return {};
}

Result<void> RdfXmlReader::end_collection(const Frame& frame) {
  --open_collections_;
  const TermView nil = TermView::iri(kRdfNil);
  if (!frame.has_cell) return emit_property(frame, nil);
  return statements_.emit(TermView::blank(cells_[frame.cell]), TermView::iri(kRdfRest), nil);
}

Result<void> RdfXmlReader::end_element(const XmlName& name) {
  Frame& frame = top();
  switch (frame.content) {
    case Content::XmlLiteral:
      if (!xml_literal_.is_balanced()) {
        xml_literal_.end_element(name);
        return check_literal_size(xml_literal_.canonical().size());
      }
      HELVE_TRY(emit_property(frame, TermView::literal(xml_literal_.canonical(), kRdfXmlLiteral)));
      break;
    case Content::Skipped:
      if (frame.depth > 0) {
        --frame.depth;
        return {};
      }
      break;
    case Content::LiteralOrNode:
      HELVE_TRY(emit_property(frame, literal(text_, frame)));
      break;
    case Content::Collection:
      HELVE_TRY(end_collection(frame));
      break;
    default:
      break;
  }
  leave();
  return account();
}

Result<void> RdfXmlReader::text(std::string_view text) {
  switch (top().content) {
    case Content::LiteralOrNode:
      text_ += text;
      return check_literal_size(text_.size());
    case Content::XmlLiteral:
      xml_literal_.text(text);
      return check_literal_size(xml_literal_.canonical().size());
    case Content::Skipped:
      return {};
    default:
      if (is_blank(text)) return {};
      return stray_text(text);
  }
}

Result<void> RdfXmlReader::stray_text(std::string_view text) {
  if (std::exchange(top().reported_text, true)) return {};
  const std::size_t start = text.find_first_not_of(" \t\n\r");
  const bool in_property = top().content == Content::AfterNode || top().content == Content::Nothing;
  Error error{ErrorCode::InvalidInput,
              fmt::format("met the text \"{}\" {}", excerpt(text.substr(start)),
                          in_property ? "in a property that has its value already"
                                      : "where only elements can stand"),
              in_property ? "a property has one value: a text, an element or rdf:resource"
                          : "text stands inside property elements"};
  TextPosition here = parser_.position();
  here.column += start;
  error.position = here;
  return statements_.problem(std::move(error), here);
}

Result<void> RdfXmlReader::comment(std::string_view text) {
  if (top().content != Content::XmlLiteral) return {};
  xml_literal_.comment(text);
  return check_literal_size(xml_literal_.canonical().size());
}

Result<void> RdfXmlReader::processing_instruction(std::string_view target, std::string_view data) {
  if (top().content != Content::XmlLiteral) return {};
  xml_literal_.processing_instruction(target, data);
  return check_literal_size(xml_literal_.canonical().size());
}

void RdfXmlReader::namespace_declared(std::string_view prefix, std::string_view iri) {
  if (top().content == Content::XmlLiteral || top().content == Content::Skipped) return;
  if (prefix == "xml" || prefixes_.size() >= context_.limits.prefixes_max) return;
  if (!has_iri_scheme(iri) || find_bad_iri_character(iri)) return;
  if (prefixes_.emplace(prefix).second) statements_.prefix(prefix, iri);
}

TermView RdfXmlReader::literal(std::string_view value, const Frame& frame) const {
  if (!frame.datatype.empty()) {
    const std::string_view datatype = terms_.view(frame.datatype);
    return datatype == kXsdString ? TermView::literal(value) : TermView::literal(value, datatype);
  }
  return TermView::lang_literal(value, terms_.view(frame.language));
}

Result<void> RdfXmlReader::emit_property(const Frame& frame, const TermView& object) {
  return statements_.emit_reified(terms_.view(frame.node),
                                  TermView::iri(terms_.view(frame.predicate)), object,
                                  terms_.view(frame.statement_id));
}

Result<void> RdfXmlReader::check_literal_size(std::size_t bytes) const {
  if (bytes <= context_.limits.term_bytes_max) return {};
  return Error{ErrorCode::LimitExceeded,
               fmt::format("a literal is longer than {} bytes", context_.limits.term_bytes_max)};
}

Result<void> RdfXmlReader::account() {
  const std::size_t bytes =
      terms_.memory_bytes() + text_.capacity() + xml_literal_.canonical().capacity();
  return bytes == charge_.bytes() ? Result<void>{} : charge_.resize(bytes);
}

template <typename Document>
Result<ReadReport> read_any(Document& document, const ReadOptions& options,
                            const OpContext& context, StatementSink& sink) {
  IriResolver base;
  if (!options.base_iri.empty()) {
    HELVE_ASSIGN(base, IriResolver::from_base(options.base_iri));
  }
  RdfXmlReader reader(std::move(base), options, context, sink);
  return reader.read(document);
}

}  // namespace

Result<ReadReport> read_rdfxml(ByteSource& source, const ReadOptions& options,
                               const OpContext& context, StatementSink& sink) {
  return read_any(source, options, context, sink);
}

Result<ReadReport> read_rdfxml(std::string_view document, const ReadOptions& options,
                               const OpContext& context, StatementSink& sink) {
  return read_any(document, options, context, sink);
}

}  // namespace helve::rdf
