#include "sources/rdf/rdfxml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "sources/rdf/quad_set.h"
#include "sources/rdf/rdfxml_attributes.h"
#include "sources/rdf/rdfxml_namespaces.h"
#include "sources/rdf/vocabulary.h"
#include "sources/rdf/xml_escape.h"
#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

constexpr std::size_t kFlushBytes = 64 * kKiB;
constexpr std::uint64_t kStatementsPerCheck = 1'024;
// Labels that are no XML names are written behind this, and labels that begin with it too.
constexpr std::string_view kEscapedLabel = "_x";

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  append_xml_attribute_value(out, value);
  out += '"';
}

// Any label as an NCName, different ones as different ones.
void append_node_id(std::string& out, std::string_view label) {
  out += " rdf:nodeID=\"";
  if (is_nc_name(label) && !label.starts_with(kEscapedLabel)) {
    out += label;
  } else {
    out += kEscapedLabel;
    for (const char c : label) {
      const bool is_plain = is_letter_or_digit(c);
      if (is_plain) {
        out += c;
      } else {
        fmt::format_to(std::back_inserter(out), "_{:02X}", static_cast<unsigned char>(c));
      }
    }
  }
  out += '"';
}

Result<void> check_characters(std::string_view text, std::string_view what) {
  const std::size_t bad = find_unwritable_xml_character(text);
  if (bad == std::string_view::npos) return {};
  const auto c = static_cast<unsigned char>(text[bad]);
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} has the character U+{}, which XML 1.0 cannot hold: \"{}\"", what,
                           c < 0x20 ? fmt::format("{:04X}", c) : "FFFE or U+FFFF",
                           excerpt(text.substr(0, bad))),
               "write Turtle or N-Triples instead"};
}

Result<void> check_writable_as_xml(const StatementView& statement) {
  if (!statement.in_default_graph()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("RDF/XML has no named graphs, and a statement is in {}",
                             excerpt(to_ntriples(statement.graph))),
                 "write TriG or N-Quads instead"};
  }
  if (statement.subject.is_iri()) HELVE_TRY(check_characters(statement.subject.value, "an IRI"));
  HELVE_TRY(check_characters(statement.predicate.value, "an IRI"));
  if (!statement.object.is_blank()) HELVE_TRY(check_characters(statement.object.value, "a value"));
  return check_characters(statement.object.datatype, "a datatype");
}

// The elements of the document, one call each; no order is its business.
class RdfXmlElements {
 public:
  using ElementName = RdfXmlNamespaces::ElementName;

  explicit RdfXmlElements(ByteSink& out) : out_(out) {}

  RdfXmlNamespaces& namespaces() { return namespaces_; }

  void start_document();
  // The name of a property; InvalidInput when XML or RDF/XML has no place for it.
  Result<ElementName> property_name(std::string_view iri) const;
  // The same for a class.
  bool can_be_node_element(std::string_view iri) const;
  void start_node(const TermView& subject, std::string_view type = {});
  void property(const ElementName& name, const TermView& object);
  void end_node();
  Result<void> end_document();
  Result<void> flush_when_full() {
    return text_.size() < kFlushBytes ? Result<void>{} : write_text();
  }

 private:
  void append_name(const ElementName& name);
  Result<void> write_text();

  ByteSink& out_;
  RdfXmlNamespaces namespaces_;
  std::string text_;
  std::string node_name_;
};

void RdfXmlElements::start_document() {
  text_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rdf:RDF";
  for (const auto& [prefix, space] : namespaces_.list()) {
    text_ += "\n   ";
    append_attribute(text_, prefix.empty() ? "xmlns" : "xmlns:" + prefix, space);
  }
  text_ += ">\n";
  namespaces_.declare_all();
}

Result<RdfXmlElements::ElementName> RdfXmlElements::property_name(std::string_view iri) const {
  HELVE_ASSIGN(const ElementName name, namespaces_.name_of(iri));
  if (name.space == kRdf &&
      (name.local == "li" || !is_property_element_name({name.space, name.local, name.prefix}))) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("<{}> means something else in RDF/XML than a property", iri),
                 "write Turtle or N-Triples instead"};
  }
  return name;
}

bool RdfXmlElements::can_be_node_element(std::string_view iri) const {
  const auto name = namespaces_.name_of(iri);
  return name && name->is_declared && name->local != "Description" &&
         is_node_element_name({name->space, name->local, name->prefix});
}

void RdfXmlElements::append_name(const ElementName& name) {
  if (!name.prefix.empty()) {
    text_ += name.prefix;
    text_ += ':';
  }
  text_ += name.local;
}

void RdfXmlElements::start_node(const TermView& subject, std::string_view type) {
  text_ += "\n  <";
  const std::size_t start = text_.size();
  if (type.empty()) {
    text_ += "rdf:Description";
  } else if (const auto name = namespaces_.name_of(type)) {
    append_name(*name);
  }
  node_name_ = text_.substr(start);
  if (subject.is_iri()) {
    append_attribute(text_, "rdf:about", subject.value);
  } else {
    append_node_id(text_, subject.value);
  }
  text_ += ">\n";
}

void RdfXmlElements::property(const ElementName& name, const TermView& object) {
  text_ += "    <";
  append_name(name);
  if (!name.is_declared) {
    text_ += name.prefix.empty() ? " xmlns" : " xmlns:";
    text_ += name.prefix;
    text_ += "=\"";
    append_xml_attribute_value(text_, name.space);
    text_ += '"';
  }
  if (object.is_iri()) {
    append_attribute(text_, "rdf:resource", object.value);
  } else if (object.is_blank()) {
    append_node_id(text_, object.value);
  } else if (!object.language.empty()) {
    append_attribute(text_, "xml:lang", object.language);
  } else if (!object.datatype.empty()) {
    append_attribute(text_, "rdf:datatype", object.datatype);
  }
  if (!object.is_literal()) {
    text_ += "/>\n";
    return;
  }
  text_ += '>';
  append_xml_text(text_, object.value);
  text_ += "</";
  append_name(name);
  text_ += ">\n";
}

void RdfXmlElements::end_node() {
  text_ += "  </";
  text_ += node_name_;
  text_ += ">\n";
}

Result<void> RdfXmlElements::end_document() {
  text_ += "\n</rdf:RDF>\n";
  HELVE_TRY(write_text());
  return out_.flush();
}

Result<void> RdfXmlElements::write_text() {
  HELVE_TRY(out_.write(text_));
  text_.clear();
  return {};
}

class StreamingRdfXmlWriter final : public Writer {
 public:
  StreamingRdfXmlWriter(ByteSink& out, const WriteOptions& options, const OpContext& context)
      : elements_(out), context_(context) {
    for (const auto& [name, iri] : options.prefixes) elements_.namespaces().prefer(name, iri);
  }

  void prefix(std::string_view name, std::string_view iri) override {
    elements_.namespaces().prefer(name, iri);
  }

  Result<void> statement(const StatementView& statement) override {
    HELVE_TRY(check_writable_as_xml(statement));
    start_document();
    HELVE_ASSIGN(const auto name, elements_.property_name(statement.predicate.value));
    if (!in_node_ || statement.subject != subject_.view()) {
      if (in_node_) elements_.end_node();
      elements_.start_node(statement.subject);
      subject_.kind = statement.subject.kind;
      subject_.value = statement.subject.value;
      in_node_ = true;
    }
    elements_.property(name, statement.object);
    if (++statements_ % kStatementsPerCheck == 0) HELVE_TRY(context_.check());
    return elements_.flush_when_full();
  }

  Result<void> finish() override {
    start_document();
    if (in_node_) elements_.end_node();
    return elements_.end_document();
  }

 private:
  void start_document() {
    if (!std::exchange(has_started_, true)) elements_.start_document();
  }

  RdfXmlElements elements_;
  const OpContext context_;
  Term subject_;
  std::uint64_t statements_ = 0;
  bool has_started_ = false;
  bool in_node_ = false;
};

class PrettyRdfXmlWriter final : public Writer {
 public:
  PrettyRdfXmlWriter(ByteSink& out, const WriteOptions& options, const OpContext& context)
      : elements_(out), quads_(context), context_(context) {
    for (const auto& [name, iri] : options.prefixes) elements_.namespaces().prefer(name, iri);
  }

  void prefix(std::string_view name, std::string_view iri) override {
    elements_.namespaces().prefer(name, iri);
  }

  Result<void> statement(const StatementView& statement) override {
    HELVE_TRY(check_writable_as_xml(statement));
    HELVE_TRY(elements_.property_name(statement.predicate.value));
    return quads_.statement(statement);
  }

  Result<void> finish() override;

 private:
  using Quads = std::vector<QuadIndexes>;

  Quads sorted() const;
  void invent_prefixes(const Quads& quads);
  Result<void> write_node(const QuadIndexes* begin, const QuadIndexes* end);

  RdfXmlElements elements_;
  QuadSet quads_;
  const OpContext context_;
};

// By the text of the terms, so that equal graphs give equal documents; rdf:type comes first.
PrettyRdfXmlWriter::Quads PrettyRdfXmlWriter::sorted() const {
  std::vector<TermIndex> order(quads_.term_count());
  std::iota(order.begin(), order.end(), TermIndex{0});
  const auto key = [this](TermIndex index) {
    const TermView term = quads_.term(index);
    const bool is_type = term.is_iri() && term.value == kRdfType;
    return std::tuple(!is_type, term.kind, term.value, term.language, term.datatype);
  };
  std::sort(order.begin(), order.end(), [&](TermIndex a, TermIndex b) { return key(a) < key(b); });
  std::vector<TermIndex> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<TermIndex>(i);
  Quads quads = quads_.quads();
  std::sort(quads.begin(), quads.end(), [&](const QuadIndexes& a, const QuadIndexes& b) {
    return std::tuple(rank[a[0]], rank[a[1]], rank[a[2]]) <
           std::tuple(rank[b[0]], rank[b[1]], rank[b[2]]);
  });
  quads.erase(std::unique(quads.begin(), quads.end()), quads.end());
  return quads;
}

void PrettyRdfXmlWriter::invent_prefixes(const Quads& quads) {
  for (const QuadIndexes& quad : quads) {
    const StatementView statement = quads_.view(quad);
    elements_.namespaces().invent(statement.predicate.value);
    if (statement.predicate.value == kRdfType && statement.object.is_iri()) {
      elements_.namespaces().invent(statement.object.value);
    }
  }
}

Result<void> PrettyRdfXmlWriter::finish() {
  MemoryCharge charge(*context_.memory, "sorting RDF/XML");
  HELVE_TRY(charge.resize(quads_.quads().size() * sizeof(QuadIndexes) +
                          quads_.term_count() * 2 * sizeof(TermIndex)));
  const Quads quads = sorted();
  invent_prefixes(quads);
  elements_.start_document();
  const QuadIndexes* const end = quads.data() + quads.size();
  for (const QuadIndexes* node = quads.data(); node != end;) {
    const QuadIndexes* next =
        std::find_if(node, end, [node](const QuadIndexes& quad) { return quad[0] != (*node)[0]; });
    HELVE_TRY(context_.check());
    HELVE_TRY(write_node(node, next));
    node = next;
  }
  return elements_.end_document();
}

Result<void> PrettyRdfXmlWriter::write_node(const QuadIndexes* begin, const QuadIndexes* end) {
  const StatementView first = quads_.view(*begin);
  const bool is_typed = first.predicate.value == kRdfType && first.object.is_iri() &&
                        elements_.can_be_node_element(first.object.value);
  elements_.start_node(first.subject, is_typed ? first.object.value : std::string_view{});
  for (const QuadIndexes* quad = begin + (is_typed ? 1 : 0); quad != end; ++quad) {
    const StatementView statement = quads_.view(*quad);
    HELVE_ASSIGN(const auto name, elements_.property_name(statement.predicate.value));
    elements_.property(name, statement.object);
    HELVE_TRY(elements_.flush_when_full());
  }
  elements_.end_node();
  return elements_.flush_when_full();
}

}  // namespace

std::unique_ptr<Writer> make_rdfxml_writer(ByteSink& out, const WriteOptions& options,
                                           const OpContext& context) {
  if (options.pretty) return std::make_unique<PrettyRdfXmlWriter>(out, options, context);
  return std::make_unique<StreamingRdfXmlWriter>(out, options, context);
}

}  // namespace helve::rdf
