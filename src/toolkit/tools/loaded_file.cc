#include "toolkit/tools/loaded_file.h"

#include "toolkit/policy/gate.h"

namespace helve::toolkit {

Result<std::filesystem::path> readable_path(const Policy& policy, const std::string& path) {
  if (hides_graphs(policy) && !policy.allowed_paths) {
    return Error{ErrorCode::Denied, "files cannot be loaded under a policy for graphs",
                 "a policy that hides graphs must name allowed_paths too"};
  }
  return check_path(policy, path);
}

std::string name_of_path(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  return std::string(name.empty() ? path : name);
}

}  // namespace helve::toolkit
