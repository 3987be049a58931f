#include "surfaces/mcp/sources/source_stamp.h"

#include <fmt/format.h>

#include "sources/store/snapshot_folder.h"
#include "sources/store/snapshot_layout.h"
#include "surfaces/opening/source_uri.h"

namespace helve::mcp {

namespace {

bool is_folder(const std::string& place, Env& env) {
  const auto status = env.files().status(place);
  return status && status->kind == FileKind::Directory;
}

}  // namespace

// Of a folder only the snapshot counts: what is made of it is kept beside it, and what was changed
// since is followed by who has it open.
Result<SourceStamp> stamp_of(const std::string& place, Env& env, const Identify& identify) {
  if (place == opening::kSample) return SourceStamp();
  const std::filesystem::path path = is_folder(place, env)
                                         ? std::filesystem::path(place) / store::kSnapshotFileName
                                         : std::filesystem::path(place);
  HELVE_ASSIGN(const FileIdentity identity, identify(path));
  return SourceStamp{identity};
}

Result<void> check_place(const std::string& place, Env& env) {
  if (place == opening::kSample) return {};
  HELVE_ASSIGN(const FileStatus status, env.files().status(place));
  if (status.kind == FileKind::Directory) return store::check_snapshot_folder(place, env);
  if (status.kind != FileKind::Regular) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is no file", place),
                 "a server reads its sources again when they change: give it a regular file or an "
                 "index folder"};
  }
  HELVE_TRY(env.files().open_read(place));
  return {};
}

}  // namespace helve::mcp
