#include "toolkit/handles/shown_prefixes.h"

#include "base/utf8.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kPrefixesMax = 1'000;

std::unique_ptr<const rdf::PrefixMap> map_of(const PrefixList& prefixes) {
  auto map = std::make_unique<rdf::PrefixMap>(kPrefixesMax);
  for (const auto& [name, iri] : prefixes) {
    // Names and addresses that are no UTF-8 would be no use to anybody.
    if (utf8_valid_prefix(name) == name.size() && utf8_valid_prefix(iri) == iri.size()) {
      map->add(name, iri);
    }
  }
  return map;
}

}  // namespace

const PrefixList& ShownPrefixes::list() const {
  static const auto* const none = new PrefixList;  // lives as long as the process
  return content_ == nullptr ? *none : content_->list;
}

const rdf::PrefixMap& ShownPrefixes::map() const {
  static const auto* const none = new rdf::PrefixMap(0);
  if (content_ == nullptr) return *none;
  std::call_once(content_->is_made, [this] { content_->map = map_of(content_->list); });
  return *content_->map;
}

}  // namespace helve::toolkit
