#include "surfaces/opening/sample_tables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file_identity.h"
#include "base/sqlite_image.h"
#include "surfaces/opening/user_cache.h"
#include "surfaces/sample/sample.h"

namespace helve::opening {

namespace {

using Path = std::filesystem::path;

constexpr std::string_view kName = "solar-tables-";
constexpr std::string_view kDatabaseExtension = ".db";
constexpr std::size_t kDigits = 32;  // of the digest
// Other versions of the program may be using theirs.
constexpr std::size_t kFilesMax = 4;

bool has_content(const Path& path, std::string_view content, Files& files) {
  const auto status = files.status(path);
  if (!status || status->kind != FileKind::Regular || status->size != content.size()) return false;
  const auto source = files.open_read(path);
  if (!source) return false;
  std::string bytes(content.size() + 1, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const auto count = (*source)->read({bytes.data() + size, bytes.size() - size});
    if (!count) return false;
    if (*count == 0) break;
    size += *count;
  }
  return std::string_view(bytes.data(), size) == content;
}

// Those whose names begin so, the oldest first.
std::vector<std::pair<WallTime, Path>> files_in(const Path& folder, const std::string& beginning,
                                                Files& files) {
  std::vector<std::pair<WallTime, Path>> found;
  const auto names = files.list(folder);
  if (!names) return found;
  for (const Path& name : *names) {
    if (!name.string().starts_with(beginning)) continue;
    if (const auto status = files.status(folder / name)) {
      found.emplace_back(status->modified, folder / name);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A draft that is younger may be another's who is just writing it.
void remove_drafts(const Path& folder, Duration age_min, Env& env) {
  const WallTime now = env.clock().wall();
  for (const auto& [modified, path] : files_in(folder, "." + std::string(kName), env.files())) {
    if (now - modified >= age_min) static_cast<void>(env.files().remove(path));
  }
}

void make_room(const Path& folder, Env& env) {
  remove_drafts(folder, std::chrono::hours(1), env);
  auto found = files_in(folder, std::string(kName), env.files());
  if (found.size() <= kFilesMax) return;
  found.resize(found.size() - kFilesMax);
  for (const auto& [modified, path] : found) static_cast<void>(env.files().remove(path));
}

Result<Path> put(const Path& folder, const std::string& name, std::string_view content, Env& env) {
  const Path path = folder / name;
  if (has_content(path, content, env.files())) return path;
  HELVE_TRY(write_file_atomically(env, path, content));
  make_room(folder, env);
  return path;
}

Path temporary_folder(const Environment& environment) {
  const char* const named = environment ? environment("TMPDIR") : nullptr;
  Path folder = named != nullptr ? Path(named) : Path();
  if (!folder.is_absolute()) folder = "/tmp";
  return folder / fmt::format("helve-{}", ::geteuid());
}

Result<Path> put_in_cache(const Path& cache, const std::string& name, std::string_view content,
                          Env& env) {
  std::error_code error;
  const Path folder = std::filesystem::absolute(cache, error) / kSampleFolder;
  if (error) return Error{ErrorCode::Unavailable, error.message()};
  HELVE_TRY(make_private_folder(folder));
  return put(folder, name, content, env);
}

}  // namespace

Result<Path> sample_tables_file(const Environment& environment, Env& env) {
  constexpr std::size_t kBytesMax = 16 * kMiB;
  HELVE_ASSIGN(const std::string image,
               sqlite::database_image(std::string(sample_sql()), kBytesMax));
  const std::string name =
      fmt::format("{}{}{}", kName, digest_hex(DigestKind::Sha256, image).substr(0, kDigits),
                  kDatabaseExtension);
  const auto cache = user_cache_folder(environment);
  if (!cache && cache.error().code != ErrorCode::NotFound) return cache.error();
  if (cache) {
    if (auto path = put_in_cache(*cache, name, image, env)) return path;
  }
  // Anybody may write to it: nobody else's folder is used there, and no link is followed.
  const Path folder = temporary_folder(environment);
  if (auto made = make_owned_folder(folder); !made) {
    return Error{ErrorCode::Unavailable,
                 "there is no place for the bundled database: " + made.error().full_message(),
                 "let HELVE_CACHE_DIR or TMPDIR name a folder that this process may write to"};
  }
  auto path = put(folder, name, image, env);
  if (path) return path;
  return Error{ErrorCode::Unavailable,
               "there is no place for the bundled database: " + path.error().full_message(),
               "let HELVE_CACHE_DIR or TMPDIR name a folder that this process may write to"};
}

std::size_t clear_samples(const Path& cache_folder, Env& env) {
  std::size_t removed = 0;
  const Path folder = cache_folder / kSampleFolder;
  remove_drafts(folder, Duration(0), env);
  for (const auto& [modified, path] : files_in(folder, std::string(kName), env.files())) {
    removed += env.files().remove(path) ? 1 : 0;
  }
  return removed;
}

}  // namespace helve::opening
