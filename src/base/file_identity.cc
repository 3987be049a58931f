#include "base/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/errno_error.h"

namespace helve {

namespace {

WallTime wall_time(const timespec& time) {
  const auto since_epoch =
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return WallTime(std::chrono::duration_cast<WallTime::duration>(since_epoch));
}

}  // namespace

Result<FileIdentity> identify_file(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return error_from_errno(errno, "examine", path.native());
  FileIdentity identity;
  identity.is_regular = S_ISREG(info.st_mode);
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  identity.size = static_cast<std::uint64_t>(info.st_size);
  identity.owner = info.st_uid;
  identity.modified = wall_time(info.st_mtim);
  identity.changed = wall_time(info.st_ctim);
  return identity;
}

bool may_write(const std::filesystem::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Result<void> make_private_folder(const std::filesystem::path& path) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return error_from_errno(error.value(), "make directory", path.native());
  constexpr mode_t kOwnerOnly = 0700;
  if (::mkdir(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    return error_from_errno(errno, "make directory", path.native());
  }
  HELVE_ASSIGN(const FileIdentity identity, identify_file(path));
  if (identity.owner != ::geteuid()) {
    return Error{ErrorCode::Denied, "the folder '" + path.native() + "' belongs to another user",
                 "use a folder of your own"};
  }
  return {};
}

Result<void> make_owned_folder(const std::filesystem::path& path) {
  HELVE_TRY(make_private_folder(path));
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (error) return error_from_errno(error.value(), "look at", path.native());
  if (status.type() != fs::file_type::directory) {
    return Error{ErrorCode::Denied, "'" + path.native() + "' is no folder of its own",
                 "remove it: it is made anew"};
  }
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  if ((status.permissions() & kOthers) == fs::perms::none) return {};
  fs::permissions(path, fs::perms::owner_all, error);
  if (error) return error_from_errno(error.value(), "close to others", path.native());
  return {};
}

}  // namespace helve
