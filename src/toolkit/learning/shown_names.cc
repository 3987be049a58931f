#include "toolkit/learning/shown_names.h"

#include <algorithm>

#include "base/ascii.h"
#include "sources/sparql/algebra/well_known.h"

namespace helve::learning {

namespace {

constexpr std::size_t kPrefixMax = 20;

bool is_plain(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_plain(c); });
}

bool shortens(std::string_view space, std::string_view iri) {
  return !space.empty() && iri.size() > space.size() && iri.starts_with(space) &&
         is_plain(iri.substr(space.size()));
}

}  // namespace

ShownNames::ShownNames(const std::set<std::string>& iris,
                       std::initializer_list<const PrefixList*> lists) {
  for (const sparql::WellKnownPrefix& known : sparql::well_known_prefixes()) {
    offer(known.name, known.iri, iris);
  }
  for (const PrefixList* list : lists) {
    for (const auto& [name, space] : *list) offer(name, space, iris);
  }
  std::sort(prefixes_.begin(), prefixes_.end());
}

void ShownNames::offer(std::string_view name, std::string_view space,
                       const std::set<std::string>& iris) {
  if (name.size() > kPrefixMax || !is_plain(name)) return;
  const bool is_taken = std::any_of(prefixes_.begin(), prefixes_.end(), [&](const auto& known) {
    return known.first == name || known.second == space;
  });
  if (is_taken) return;
  for (auto iri = iris.lower_bound(std::string(space));
       iri != iris.end() && iri->starts_with(space); ++iri) {
    if (!shortens(space, *iri)) continue;
    prefixes_.emplace_back(name, space);
    return;
  }
}

std::vector<SchemaName> ShownNames::shown(const std::vector<std::string>& iris) const {
  std::vector<SchemaName> names;
  names.reserve(iris.size());
  for (const std::string& iri : iris) names.push_back({iri, shown(iri)});
  return names;
}

std::string ShownNames::shown(const std::string& iri) const {
  const std::pair<std::string, std::string>* longest = nullptr;
  for (const auto& prefix : prefixes_) {
    const bool is_longer = longest == nullptr || prefix.second.size() > longest->second.size();
    if (is_longer && shortens(prefix.second, iri)) longest = &prefix;
  }
  if (longest == nullptr) return "<" + iri + ">";
  return longest->first + ":" + iri.substr(longest->second.size());
}

std::optional<std::string_view> common_namespace(std::string_view prefix) {
  return sparql::well_known_prefix(prefix);
}

}  // namespace helve::learning
