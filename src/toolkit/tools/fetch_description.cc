#include "toolkit/tools/fetch_description.h"

#include <utility>

#include "base/ascii.h"
#include "base/file_uri.h"
#include "toolkit/policy/graph_access.h"
#include "toolkit/tools/loaded_file.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kBytesMax = 64 * kMiB;

Result<FetchedDescription> read_file(const std::string& path, ToolCall& call) {
  HELVE_ASSIGN(const auto allowed, readable_path(call.policy, path));
  OpContext within = call.op;
  within.limits.document_bytes_max = kBytesMax;
  FetchedDescription fetched{name_of_path(path), nullptr};
  HELVE_ASSIGN(fetched.graph, call.graphs.open(allowed.string(), fetched.name, within));
  return fetched;
}

Result<FetchedDescription> ask_endpoint(const std::string& url, const ToolCall& call) {
  HELVE_TRY(check_endpoint(call.policy, url));
  return Error{ErrorCode::Unavailable, "descriptions cannot be asked of endpoints yet",
               "download the description, and give the path of the file"};
}

}  // namespace

Result<DescriptionPlace> place_of_description(const std::string& url) {
  const std::string scheme = ascii_lower(url.substr(0, url.find(':')));
  const bool has_slashes = url.substr(scheme.size()).starts_with("://");
  if (scheme == "file" && scheme.size() < url.size()) {
    HELVE_ASSIGN(std::string path, path_of_file_uri(url));
    return DescriptionPlace{false, std::move(path)};
  }
  if (!has_slashes) return DescriptionPlace{false, url};
  if (scheme == "http" || scheme == "https") return DescriptionPlace{true, url};
  return Error{ErrorCode::InvalidInput, "an address that is neither of a file nor http(s)",
               "give a path, file:///... or https://..."};
}

Result<FetchedDescription> fetch_description(const std::string& url, ToolCall& call) {
  HELVE_ASSIGN(const DescriptionPlace at, place_of_description(url));
  return at.is_endpoint ? ask_endpoint(at.place, call) : read_file(at.place, call);
}

}  // namespace helve::toolkit
