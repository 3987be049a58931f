#include "base/file_uri.h"

#include <fmt/format.h>

#include "base/iri.h"
#include "base/percent.h"

namespace helve {

Result<std::string> path_of_file_uri(std::string_view uri) {
  const IriParts parts = split_iri(uri);
  const bool is_here =
      !parts.authority || parts.authority->empty() || *parts.authority == "localhost";
  if (!is_here || parts.query || parts.fragment) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is no file of this machine", uri),
                 "write file:///path, with %3F for '?' and %23 for '#'"};
  }
  auto path = percent_decoded(parts.path);
  // No path has a NUL.
  if (!path || path->empty() || path->find('\0') != std::string::npos) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no path that can be read", uri),
                 "write file:///path, with two hexadecimal digits behind each '%'"};
  }
  return *std::move(path);
}

}  // namespace helve
