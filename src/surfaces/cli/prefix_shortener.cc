#include "surfaces/cli/prefix_shortener.h"

#include <algorithm>

namespace helve::cli {

namespace {

constexpr std::size_t kShortenedMax = 1'000;  // longer IRIs are no names that a person reads

}  // namespace

PrefixShortener::PrefixShortener(const std::vector<std::pair<std::string, std::string>>& prefixes) {
  for (const auto& [name, iri] : prefixes) {
    if (!iri.empty()) by_iri_.emplace_back(iri, name);
  }
  std::sort(by_iri_.begin(), by_iri_.end());
}

std::string PrefixShortener::shorten(std::string_view iri) const {
  if (iri.size() > kShortenedMax) return std::string(iri);
  for (std::size_t end = iri.size(); end > 0; --end) {
    const bool may_end_here = end == iri.size() || iri[end - 1] == '/' || iri[end - 1] == '#' ||
                              iri[end - 1] == ':' || iri[end - 1] == '_';
    if (!may_end_here) continue;
    const std::string_view local = iri.substr(end);
    if (local.find_first_of("/#:?") != std::string_view::npos) break;
    if (const std::string name = name_of(iri.substr(0, end)); !name.empty()) {
      return name + std::string(local);
    }
  }
  return std::string(iri);
}

std::string PrefixShortener::name_of(std::string_view space) const {
  const auto found =
      std::lower_bound(by_iri_.begin(), by_iri_.end(), space,
                       [](const auto& entry, std::string_view iri) { return entry.first < iri; });
  if (found == by_iri_.end() || found->first != space) return {};
  return found->second + ":";
}

}  // namespace helve::cli
