#include "base/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/ascii.h"

namespace helve {

namespace {

constexpr std::size_t kNameBytesMax = 40;  // longer ones are compared no more

// Levenshtein distance by bytes, case ignored; two neighbours swapped count one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_same = ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (is_same ? 0 : 1)});
      const bool is_swap = i > 1 && j > 1 && ascii_lower(a[i - 1]) == ascii_lower(b[j - 2]) &&
                           ascii_lower(a[i - 2]) == ascii_lower(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::vector<std::string_view> near_names(std::string_view name,
                                         const std::vector<std::string_view>& candidates,
                                         std::size_t count) {
  std::vector<std::string_view> names;
  if (name.empty() || name.size() > kNameBytesMax) return names;
  const std::size_t distance_max = std::min<std::size_t>(2, (name.size() + 1) / 3);
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > name.size() + distance_max ||
        name.size() > candidate.size() + distance_max) {
      continue;
    }
    const std::size_t d = distance(name, candidate);
    if (d <= distance_max) found.emplace_back(d, candidate);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) names.push_back(found[i].second);
  return names;
}

}  // namespace helve
