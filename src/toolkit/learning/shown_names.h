// The prefixes that a pattern declares, and its names as they are shown with them. Well-known ones
// first: who writes a query may call them anything.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sources/graph_source.h"
#include "toolkit/learning/generalise.h"

namespace helve::learning {

class ShownNames {
 public:
  // Of these IRIs; `lists` in the order in which they are asked, after the well-known ones.
  ShownNames(const std::set<std::string>& iris, std::initializer_list<const PrefixList*> lists);

  const PrefixList& prefixes() const { return prefixes_; }  // those that are used, by name
  std::vector<SchemaName> shown(const std::vector<std::string>& iris) const;
  std::string shown(const std::string& iri) const;

 private:
  void offer(std::string_view name, std::string_view space, const std::set<std::string>& iris);

  PrefixList prefixes_;
};

// What a prefix commonly stands for: rdf, rdfs, foaf ...
std::optional<std::string_view> common_namespace(std::string_view prefix);

}  // namespace helve::learning
