#include "toolkit/tools/nearest_name.h"

namespace helve::toolkit {

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& names) {
  const std::vector<std::string_view> found = nearest_names_of(name, names, 1);
  return found.empty() ? std::string() : "; did you mean " + std::string(found[0]) + "?";
}

}  // namespace helve::toolkit
