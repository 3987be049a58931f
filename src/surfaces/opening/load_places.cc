#include "surfaces/opening/load_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file_uri.h"

namespace helve::opening {

namespace {

using Path = std::filesystem::path;

Result<Path> real_path(const std::string& path) {
  std::error_code error;
  Path found = std::filesystem::canonical(path, error);
  if (!error) return found;
  return Error{ErrorCode::NotFound, fmt::format("there is no {}", path)};
}

bool is_within(const Path& path, const Path& place) {
  const auto [end, rest] = std::mismatch(place.begin(), place.end(), path.begin(), path.end());
  return end == place.end();
}

Error not_allowed(const std::string& iri) {
  return {ErrorCode::Denied,
          fmt::format("LOAD <{}> is not allowed: it is in none of the places "
                      "that may be loaded from",
                      iri),
          "--allow-load FOLDER names one; only files are loaded"};
}

}  // namespace

Result<store::DocumentLoader> allow_loading(const std::vector<std::string>& places, Env& env) {
  if (places.empty()) return store::DocumentLoader();
  std::vector<Path> allowed;
  for (const std::string& place : places) {
    HELVE_ASSIGN(Path path, real_path(place));
    allowed.push_back(std::move(path));
  }
  return store::DocumentLoader([allowed = std::move(allowed), &env](
                                   const std::string& iri,
                                   const OpContext& context) -> Result<rdf::Document> {
    if (!iri.starts_with("file:")) return not_allowed(iri);
    HELVE_ASSIGN(const std::string path, path_of_file_uri(iri));
    // The same answer for files that are not there: nobody learns what is outside.
    const auto found = real_path(path);
    if (!found) {
      const Path parent = std::filesystem::weakly_canonical(path);
      const bool is_inside = std::any_of(allowed.begin(), allowed.end(), [&](const Path& place) {
        return is_within(parent, place);
      });
      return is_inside ? found.error() : not_allowed(iri);
    }
    const bool is_inside = std::any_of(allowed.begin(), allowed.end(),
                                       [&](const Path& place) { return is_within(*found, place); });
    if (!is_inside) return not_allowed(iri);
    // A pipe would be waited for.
    HELVE_ASSIGN(const FileStatus status, env.files().status(*found));
    if (status.kind != FileKind::Regular) {
      return Error{ErrorCode::InvalidInput, fmt::format("{} is not a file", found->string()),
                   "LOAD reads files"};
    }
    return rdf::open_document(env, found->string(), {}, context);
  });
}

}  // namespace helve::opening
