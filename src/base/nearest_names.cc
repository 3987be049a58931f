#include "base/nearest_names.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/near_names.h"

namespace helve {

std::string folded_name(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    c = ascii_lower(c);
    if (c == '-' || c == ' ') c = '_';
  }
  return folded;
}

std::vector<std::string_view> nearest_names_of(std::string_view name,
                                               const std::vector<std::string_view>& names,
                                               std::size_t most) {
  constexpr std::size_t kNameBytesMax = 64;
  constexpr std::size_t kPartBytesMin = 3;
  if (name.empty() || name.size() > kNameBytesMax) return {};
  const std::string wanted = folded_name(name);
  std::vector<std::string_view> found = near_names(wanted, names, most);
  for (const std::string_view candidate : names) {
    if (found.size() >= most || wanted.size() < kPartBytesMin) break;
    if (candidate.size() < kPartBytesMin ||
        std::find(found.begin(), found.end(), candidate) != found.end()) {
      continue;
    }
    const std::string folded = folded_name(candidate);
    if (folded.find(wanted) != std::string::npos || wanted.find(folded) != std::string::npos) {
      found.push_back(candidate);
    }
  }
  return found;
}

}  // namespace helve
