// PrefixMap: prefixes a writer may use, and the prefixed name of an IRI. Neighbour of
// turtle_spelling.h, which knows what a prefixed name may look like.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace helve::rdf {

class PrefixMap {
 public:
  struct Prefix {
    std::string name;
    std::string iri;
  };
  struct PrefixedName {
    const Prefix* prefix;
    std::string_view local;  // points into the IRI
  };

  explicit PrefixMap(std::size_t prefixes_max) : prefixes_max_(prefixes_max) {}

  // Null when the prefix is of no use: the name is taken (the first IRI given to it wins) or not of
  // the grammar's form, the IRI is relative, has bad characters or is too long for anybody to read,
  // or there are too many already. The pointer stays valid.
  const Prefix* add(std::string_view name, std::string_view iri);
  // The same, unless the IRI has a prefix already.
  const Prefix* add_default(std::string_view name, std::string_view iri);

  // The name with the longest prefix IRI that leaves a local name without escapes; of several
  // prefixes for one IRI, the shortest, then the first by name. nullopt: write the IRI in full.
  std::optional<PrefixedName> shorten(std::string_view iri) const;

 private:
  // Bounds the memory, and the work of shortening.
  static constexpr std::size_t kIriBytesMax = 1'024;

  std::size_t prefixes_max_;
  std::deque<Prefix> prefixes_;
  std::unordered_set<std::string_view> names_;
  std::unordered_map<std::string_view, const Prefix*> by_iri_;
  std::bitset<kIriBytesMax + 1> lengths_;  // of the IRIs in by_iri_
};

}  // namespace helve::rdf
