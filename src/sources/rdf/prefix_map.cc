// A local name without escapes has none of the characters that end most prefix IRIs, so only the
// few cuts behind the last of these have to be looked up.
#include "sources/rdf/prefix_map.h"

#include <algorithm>
#include <tuple>

#include "base/iri.h"
#include "sources/rdf/turtle_spelling.h"

namespace helve::rdf {

const PrefixMap::Prefix* PrefixMap::add(std::string_view name, std::string_view iri) {
  if (prefixes_.size() >= prefixes_max_ || iri.size() > kIriBytesMax || names_.contains(name) ||
      !is_pn_prefix(name) || !has_iri_scheme(iri) || find_bad_iri_character(iri)) {
    return nullptr;
  }
  const Prefix& prefix = prefixes_.emplace_back(Prefix{std::string(name), std::string(iri)});
  names_.insert(prefix.name);
  lengths_.set(iri.size());
  const Prefix*& best = by_iri_[prefix.iri];
  const auto rank = [](const Prefix& p) { return std::tuple(p.name.size(), p.name); };
  if (best == nullptr || rank(prefix) < rank(*best)) best = &prefix;
  return &prefix;
}

const PrefixMap::Prefix* PrefixMap::add_default(std::string_view name, std::string_view iri) {
  return by_iri_.contains(iri) ? nullptr : add(name, iri);
}

std::optional<PrefixMap::PrefixedName> PrefixMap::shorten(std::string_view iri) const {
  const std::size_t cut_min = local_name_begin(iri);
  const std::size_t cut_max = std::min(iri.size(), kIriBytesMax);
  for (std::size_t cut = cut_max; cut >= cut_min && cut > 0; --cut) {
    if (!lengths_[cut]) continue;
    const auto found = by_iri_.find(iri.substr(0, cut));
    if (found == by_iri_.end()) continue;
    const std::string_view local = iri.substr(cut);
    if (is_plain_local_name(local)) return PrefixedName{found->second, local};
  }
  return std::nullopt;
}

}  // namespace helve::rdf
