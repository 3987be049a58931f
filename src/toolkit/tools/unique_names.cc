#include "toolkit/tools/unique_names.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace helve::toolkit {

Result<void> UniqueNames::columns(const std::vector<std::string>& names) {
  const std::set<std::string> given(names.begin(), names.end());
  std::set<std::string> used;
  std::map<std::string, int> next;
  std::vector<std::string> unique;
  unique.reserve(names.size());
  for (const std::string& name : names) {
    std::string own = name;
    if (!used.insert(own).second) {
      int& n = next.try_emplace(name, 2).first->second;
      do own = fmt::format("{}_{}", name, n++);
      while (given.contains(own) || !used.insert(own).second);
      renamed_.push_back(fmt::format("{} (now {})", name, own));
    }
    unique.push_back(std::move(own));
  }
  return sink_.columns(unique);
}

}  // namespace helve::toolkit
