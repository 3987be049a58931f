// Description: a small graph that is made here and written out: what service_description.h and
// void_description.h tell is put together with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/op_context.h"
#include "sources/rdf/format.h"
#include "sources/rdf/term.h"

namespace helve::serve {

inline constexpr std::string_view kSd = "http://www.w3.org/ns/sparql-service-description#";
inline constexpr std::string_view kFormats = "http://www.w3.org/ns/formats/";
inline constexpr std::string_view kVoid = "http://rdfs.org/ns/void#";
inline constexpr std::string_view kFoaf = "http://xmlns.com/foaf/0.1/";

class Description {
 public:
  using Node = rdf::Term;

  static Node iri(std::string_view text) { return Node(rdf::TermView::iri(text)); }
  // The term of a vocabulary.
  static Node iri(std::string_view vocabulary, std::string_view name) {
    return iri(std::string(vocabulary).append(name));
  }
  // A new one each time.
  Node blank();

  void add(const Node& subject, const Node& predicate, Node object);
  void add_type(const Node& subject, Node type);
  void add_count(const Node& subject, const Node& predicate, std::uint64_t count);
  void add_text(const Node& subject, const Node& predicate, std::string_view text);

  // Whole, sorted, with the prefixes of the vocabularies that it uses.
  Result<void> write(rdf::Format format, ByteSink& out, const OpContext& op) const;

 private:
  struct Statement {
    Node subject;
    Node predicate;
    Node object;
  };
  std::vector<Statement> statements_;
  std::size_t blanks_ = 0;
};

}  // namespace helve::serve
