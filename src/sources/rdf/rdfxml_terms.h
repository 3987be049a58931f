// RdfXmlTerms: the terms that open RDF/XML elements hold, in one stack of text that grows and
// shrinks with them; and the rules for making them. Used by rdfxml_reader.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/iri.h"
#include "base/limits.h"
#include "base/result.h"
#include "sources/rdf/blank_labels.h"
#include "sources/rdf/term.h"
#include "sources/rdf/xml_parser.h"

namespace helve::rdf {

class RdfXmlTerms {
 public:
  // A stretch of the stack. Valid while what was pushed before it is.
  struct Slice {
    std::size_t start = 0;
    std::size_t length = 0;
    bool empty() const { return length == 0; }
  };
  struct Node {
    TermKind kind = TermKind::BlankNode;
    Slice text;
  };
  // What there was at a moment; drop_to() forgets everything later.
  struct Mark {
    std::size_t text = 0;
    std::size_t bases = 0;
  };

  RdfXmlTerms(IriResolver base, std::string blank_prefix, const Limits& limits)
      : limits_(limits), labels_(std::move(blank_prefix)) {
    bases_.push_back(std::move(base));
  }

  Mark mark() const { return {text_.size(), bases_.size()}; }
  void drop_to(const Mark& mark);

  // Views hold until something is pushed or dropped.
  std::string_view view(Slice slice) const { return {text_.data() + slice.start, slice.length}; }
  TermView view(const Node& node) const {
    return {node.kind, Direction::None, view(node.text), {}, {}};
  }

  // IRIs are checked: absolute, no character that IRIs cannot have, not too long. A base is an
  // index, as push_base() gives it; 0 is the document's.
  Result<Slice> push_iri(std::string_view reference, std::size_t base);
  Result<Slice> push_name_iri(const XmlName& name);  // namespace and local name put together
  Slice push_member_property(std::uint64_t number);  // rdf:_1 ...
  // rdf:ID, which must be an NCName and new for its base.
  Result<Slice> push_id(std::string_view id, std::size_t base);
  Result<Node> push_node_id(std::string_view label);  // rdf:nodeID, an NCName
  Node push_blank();
  void append_blank_label(std::string& out) { labels_.append_fresh(out); }
  Result<Slice> push_language(std::string_view tag);
  Result<std::size_t> push_base(std::string_view reference, std::size_t base);

  // LimitExceeded when the open elements hold unreasonably much.
  Result<void> check_size() const;
  std::size_t memory_bytes() const;

 private:
  // 128 bits of hash stand for an ID: a document may have millions of them.
  using IdHash = std::pair<std::uint64_t, std::uint64_t>;
  struct IdHasher {
    std::size_t operator()(const IdHash& hash) const { return hash.first; }
  };

  Result<Slice> checked_iri(std::size_t start) const;

  const Limits& limits_;
  BlankLabels labels_;
  std::string text_;
  std::vector<IriResolver> bases_;
  std::size_t base_bytes_ = 0;  // of all bases but the document's
  std::unordered_set<IdHash, IdHasher> ids_;
  std::string scratch_;
};

}  // namespace helve::rdf
