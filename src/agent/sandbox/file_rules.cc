#include "agent/sandbox/file_rules.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/errno_error.h"

namespace helve::sandbox {

namespace {

// Rights that came after the headers of Debian 12, by the version that brought them.
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;     // 3
constexpr std::uint64_t kIoctlDevice = std::uint64_t{1} << 15;  // 5
constexpr std::uint64_t kTcp = 3;                               // 4: bind and connect
constexpr std::uint64_t kScopes = 3;  // 6: abstract sockets and signals beyond the sandbox

// As the kernel knows it since version 6; older ones read as much as they know.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

std::uint64_t handled_rights(int version) {
  std::uint64_t rights = (std::uint64_t{1} << 13) - 1;  // all of version 1
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kIoctlDevice;
  return rights;
}

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kRun = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kUse = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kWork = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                LANDLOCK_ACCESS_FS_REFER | kTruncate;
// What can be said of a file that is no folder.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | kTruncate | kIoctlDevice;

// 0 or errno.
int add_rule(int ruleset, const std::filesystem::path& path, std::uint64_t rights) {
  const UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place.is_open()) return errno;
  struct stat status {};
  if (::fstat(place.get(), &status) != 0) return errno;
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = place.get();
  return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0
             ? 0
             : errno;
}

Result<void> add_all(int ruleset, const std::vector<std::filesystem::path>& paths,
                     std::uint64_t rights) {
  for (const std::filesystem::path& path : paths) {
    const int error = add_rule(ruleset, path, rights);
    if (error != 0 && error != ENOENT) return error_from_errno(error, "open", path.native());
  }
  return {};
}

}  // namespace

int landlock_version() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

Result<UniqueFd> make_ruleset(const FileRules& rules) {
  const int version = landlock_version();
  if (version == 0) {
    return Error{ErrorCode::Unavailable, "the kernel has no Landlock",
                 "it needs Linux 5.13 or newer with 'landlock' among its security modules"};
  }
  const std::uint64_t handled = handled_rights(version);
  const RulesetAttributes attributes{handled, version >= 4 ? kTcp : 0, version >= 6 ? kScopes : 0};
  std::size_t size = sizeof(std::uint64_t);
  if (version >= 4) size = 2 * sizeof(std::uint64_t);
  if (version >= 6) size = sizeof attributes;
  UniqueFd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
  if (!ruleset.is_open()) return error_from_errno(errno, "make", "rules of Landlock");
  HELVE_TRY(add_all(ruleset.get(), rules.run, kRun & handled));
  HELVE_TRY(add_all(ruleset.get(), rules.read, kRead & handled));
  HELVE_TRY(add_all(ruleset.get(), rules.use, kUse & handled));
  if (const int error = add_rule(ruleset.get(), rules.work, kWork & handled); error != 0) {
    return error_from_errno(error, "open", rules.work.native());
  }
  return ruleset;
}

}  // namespace helve::sandbox
