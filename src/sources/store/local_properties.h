// What kind of values a property has, and of what classes its subjects and objects are: as the
// graph declares it, or else as it is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/graph_source.h"
#include "sources/store/local_declarations.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Not thread-safe: for one thread; cheap to copy.
class PropertyReader {
 public:
  // `samples` statements of each property that does not declare its classes are looked at.
  PropertyReader(const Snapshot& snapshot, const DeclaredTerms& declared, std::size_t samples);

  PropertyKind kind_of(Code property) const;
  std::vector<std::string> domains_of(Code property) const;
  std::vector<std::string> ranges_of(Code property) const;

 private:
  std::optional<Code> code(std::string_view iri) const { return find_iri(*snapshot_, iri); }
  std::vector<std::string> declared_ends(Code property, const std::vector<Code>& predicates) const;
  std::vector<std::string> observed_ends(Code property, std::size_t depth) const;
  void add_types(Code term, std::vector<Code>& types) const;
  std::string iri_of(Code code) const;

  const Snapshot* snapshot_;
  const DeclaredTerms* declared_;
  std::size_t samples_;
  std::optional<Code> type_;
  std::vector<Code> domain_predicates_;
  std::vector<Code> range_predicates_;
  std::vector<Code> general_classes_;  // that everything has
};

}  // namespace helve::store
