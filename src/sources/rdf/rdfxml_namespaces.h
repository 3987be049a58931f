// RdfXmlNamespaces: which IRI becomes which XML name in RDF/XML output. Used by rdfxml_writer.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"

namespace helve::rdf {

class RdfXmlNamespaces {
 public:
  // An IRI as the name of an element. The views hold until the next call and while `iri` does.
  struct ElementName {
    std::string_view prefix;  // may be empty
    std::string_view local;
    std::string_view space;
    bool is_declared = true;  // on the document's element; else the element itself has to do it
  };

  RdfXmlNamespaces();

  // A prefix that the document would like. Ignored when XML forbids it, the name is taken, the
  // namespace has one, or it is too long or one too many to be kept.
  void prefer(std::string_view prefix, std::string_view space);
  // Makes up a prefix (ns1, ns2 ...) for the namespace of `iri` unless it has one.
  void invent(std::string_view iri);
  // What is preferred or made up afterwards must be declared where it is used.
  void declare_all() { declared_ = list_.size(); }
  // Prefix and namespace, in order of arrival, rdf first.
  const std::vector<std::pair<std::string, std::string>>& list() const { return list_; }

  // InvalidInput when the IRI does not end with an XML name.
  Result<ElementName> name_of(std::string_view iri) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  static constexpr std::size_t kPreferredMax = 100'000;
  static constexpr std::size_t kPreferredBytesMax = 1'024;
  using Index = std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>>;

  void add(std::string_view prefix, std::string_view space);

  std::vector<std::pair<std::string, std::string>> list_;
  Index by_prefix_;
  Index by_space_;
  std::size_t declared_ = 0;
  std::size_t invented_ = 0;
};

}  // namespace helve::rdf
