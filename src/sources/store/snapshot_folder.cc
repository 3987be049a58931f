#include "sources/store/snapshot_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sources/store/scratch_space.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using Path = std::filesystem::path;

bool is_draft(const Path& name) {
  const std::string text = name.string();
  return text.starts_with(fmt::format(".{}.", kSnapshotFileName)) && text.ends_with(".tmp");
}

Error not_a_file(const Path& path) {
  return {ErrorCode::InvalidInput, fmt::format("{} is not a file", path.string()),
          "an index has a file of this name: make it again with 'helve load', in another folder"};
}

// Cut short, it may have lost its magic number too.
Result<bool> has_magic(const Path& path, Env& env) {
  HELVE_ASSIGN(const auto file, env.files().map(path));
  const std::string_view magic(SnapshotHeader::kMagic.data(), SnapshotHeader::kMagic.size());
  const std::string_view found = file->text().substr(0, magic.size());
  return found == magic.substr(0, found.size());
}

}  // namespace

bool is_snapshot_folder(const Path& folder, Env& env) {
  const auto status = env.files().status(folder / kSnapshotFileName);
  return status && status->kind == FileKind::Regular;
}

Result<void> check_snapshot_folder(const Path& folder, Env& env) {
  HELVE_ASSIGN(const FileStatus status, env.files().status(folder));
  if (status.kind != FileKind::Directory) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is not an index folder", folder.string()),
                 "helve load FILE... -o DIR makes one"};
  }
  const Path path = folder / kSnapshotFileName;
  const auto file = env.files().status(path);
  if (file) return file->kind == FileKind::Regular ? Result<void>() : not_a_file(path);
  if (file.error().code != ErrorCode::NotFound) return file.error();
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} is a folder without an index", folder.string()),
               "name the files in it, or make an index of them: helve load FILE... -o DIR"};
}

Result<void> check_snapshot_target(const Path& folder, IfPresent if_present, Env& env) {
  const auto status = env.files().status(folder);
  if (!status && status.error().code == ErrorCode::NotFound) return {};
  if (!status) return status.error();
  if (status->kind != FileKind::Directory) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is not a folder", folder.string()),
                 "name a folder to be made"};
  }
  HELVE_ASSIGN(const auto names, env.files().list(folder));
  if (std::find(names.begin(), names.end(), Path(kSnapshotFileName)) == names.end()) {
    // What a load that was killed left behind, or one beside this writes, is no one's; nor is what
    // belonged to an index that is gone.
    const auto is_ours = [](const Path& name) {
      return is_draft(name) || is_scratch_name(name) || name == kNamesFileName ||
             name == kLockFileName || is_log_name(name);
    };
    const auto log = std::find_if(names.begin(), names.end(), [](const Path& name) {
      return name.string().starts_with(kLogPrefix);
    });
    if (log != names.end() && if_present != IfPresent::Replace) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the folder {} has the changes of an index that is gone ({})",
                               folder.string(), log->string()),
                   "put its helve-index back, or remove the file to begin anew"};
    }
    if (std::all_of(names.begin(), names.end(), is_ours)) return {};
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the folder {} holds other files", folder.string()),
                 "name an empty folder, or one to be made"};
  }
  const Path path = folder / kSnapshotFileName;
  HELVE_ASSIGN(const FileStatus file, env.files().status(path));
  if (file.kind != FileKind::Regular) return not_a_file(path);
  HELVE_ASSIGN(const bool is_ours, has_magic(path, env));
  if (!is_ours) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is no index of Helve", path.string()),
                 "name another folder, or move that file away"};
  }
  return if_present == IfPresent::Replace ? Result<void>() : snapshot_is_there(folder);
}

Result<std::unique_ptr<FileLock>> lock_for_writing(const Path& folder, Env& env) {
  auto lock = env.files().lock(folder / kLockFileName);
  if (lock || lock.error().reason != ErrorReason::Locked) return lock;
  return Error{ErrorCode::Unavailable, fmt::format("another process writes to {}", folder.string()),
               "wait for it to end; updates can be sent to it where it is helve serve --writable"};
}

Path log_path(const Path& folder, std::uint64_t base_checksum) {
  return folder / fmt::format("{}{:016x}", kLogPrefix, base_checksum);
}

bool is_log_name(const Path& name) {
  const std::string text = name.string();
  return text.starts_with(kLogPrefix) ||
         (text.starts_with(fmt::format(".{}", kLogPrefix)) && text.ends_with(".tmp"));
}

bool remove_logs_but(const Path& kept, const Path& folder, Env& env) {
  bool has_any = false;
  for (const Path& name : env.files().list(folder).value_or(std::vector<Path>())) {
    if (!is_log_name(name) || folder / name == kept) continue;
    has_any = true;
    (void)env.files().remove(folder / name);
  }
  return has_any;
}

Error snapshot_is_there(const Path& folder) {
  return {ErrorCode::InvalidInput, fmt::format("there is an index in {} already", folder.string()),
          "--force replaces it"};
}

Path new_snapshot_draft(const Path& folder, Env& env) {
  return folder / fmt::format(".{}.{}.tmp", kSnapshotFileName, env.random().hex(8));
}

void remove_dead_drafts(const Path& folder, Env& env) {
  // A draft has no lock in the moment in which it is made.
  constexpr auto kAgeMin = std::chrono::seconds(10);
  Files& files = env.files();
  remove_dead_scratch(folder, env);
  for (const Path& name : files.list(folder).value_or(std::vector<Path>())) {
    if (!is_draft(name)) continue;
    const auto status = files.status(folder / name);
    if (!status || status->modified + kAgeMin >= env.clock().wall()) continue;
    if (const auto lock = files.lock(folder / name)) (void)files.remove(folder / name);
  }
}

}  // namespace helve::store
