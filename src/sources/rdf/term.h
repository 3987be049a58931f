// RDF terms and statements, owned and as views. The store's compact ids are in store/id.h.
// https://www.w3.org/TR/rdf11-concepts/
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace helve::rdf {

enum class TermKind : std::uint8_t { Iri, BlankNode, Literal };

// Reserved for RDF 1.2 directional language-tagged strings; readers set None.
enum class Direction : std::uint8_t { None, Ltr, Rtl };

// A term that points into memory of whoever made it; valid only while that says so.
// An IRI's value is the IRI, without angle brackets; a blank node's is its label, without "_:".
// A literal has a language, or a datatype IRI, or neither, which means xsd:string: readers
// never give xsd:string or rdf:langString explicitly. Language tags keep the case they were written
// in.
struct TermView {
  TermKind kind = TermKind::Iri;
  Direction direction = Direction::None;
  std::string_view value;
  std::string_view datatype;
  std::string_view language;

  static TermView iri(std::string_view iri) {
    return {TermKind::Iri, Direction::None, iri, {}, {}};
  }
  static TermView blank(std::string_view label) {
    return {TermKind::BlankNode, Direction::None, label, {}, {}};
  }
  static TermView literal(std::string_view lexical, std::string_view datatype = {}) {
    return {TermKind::Literal, Direction::None, lexical, datatype, {}};
  }
  static TermView lang_literal(std::string_view lexical, std::string_view language) {
    return {TermKind::Literal, Direction::None, lexical, {}, language};
  }

  bool is_iri() const { return kind == TermKind::Iri; }
  bool is_blank() const { return kind == TermKind::BlankNode; }
  bool is_literal() const { return kind == TermKind::Literal; }

  friend bool operator==(const TermView&, const TermView&) = default;
};

struct Term {
  TermKind kind = TermKind::Iri;
  Direction direction = Direction::None;
  std::string value;
  std::string datatype;
  std::string language;

  Term() = default;
  explicit Term(const TermView& view)
      : kind(view.kind),
        direction(view.direction),
        value(view.value),
        datatype(view.datatype),
        language(view.language) {}

  TermView view() const { return {kind, direction, value, datatype, language}; }
  friend bool operator==(const Term&, const Term&) = default;
};

// A quad; the default graph is an IRI with an empty value.
struct StatementView {
  TermView subject;
  TermView predicate;
  TermView object;
  TermView graph;

  // Bytes of all its terms: what handling it costs, roughly.
  std::size_t size_bytes() const {
    return subject.value.size() + predicate.value.size() + object.value.size() +
           object.datatype.size() + graph.value.size();
  }
  bool in_default_graph() const { return graph.is_iri() && graph.value.empty(); }
  friend bool operator==(const StatementView&, const StatementView&) = default;
};

// The term in canonical N-Triples syntax, which is also how errors and logs show it.
// REQUIRES (of all of these): valid UTF-8.
std::string to_ntriples(const TermView& term);
// Appends the same.
void append_ntriples(std::string& out, const TermView& term);
// Appends the text of a literal as it stands between quotation marks.
void append_escaped(std::string& out, std::string_view text);

// BLANK_NODE_LABEL without its "_:".
bool is_blank_node_label(std::string_view label);
// Appends the label, or where the grammar does not allow it, one that no other label becomes.
void append_blank_label(std::string& out, std::string_view label);

}  // namespace helve::rdf
