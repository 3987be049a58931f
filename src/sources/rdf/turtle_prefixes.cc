#include "sources/rdf/turtle_prefixes.h"

#include <fmt/format.h>

namespace helve::rdf {

Result<void> TurtlePrefixes::declare(std::string_view name, std::string_view iri) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    HELVE_TRY(charge_.resize(charge_.bytes() - known->second->iri.size() + iri.size()));
    known->second->iri = iri;
    return {};
  }
  if (prefixes_.size() >= prefixes_max_) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("more than {} prefixes are declared", prefixes_max_)};
  }
  HELVE_TRY(charge_.add(sizeof(Prefix) + name.size() + iri.size()));
  Prefix& prefix = prefixes_.emplace_back(Prefix{std::string(name), std::string(iri)});
  by_name_.emplace(prefix.name, &prefix);
  return {};
}

const std::string* TurtlePrefixes::find_and_remember(std::string_view name) {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return nullptr;
  recent_[slot_of(name)] = known->second;
  return &known->second->iri;
}

}  // namespace helve::rdf
