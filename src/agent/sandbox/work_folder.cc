#include "agent/sandbox/work_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/errno_error.h"
#include "base/fd.h"

namespace helve::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "helve-sandbox-";
// A folder may be there before its lock is.
constexpr std::time_t kSettledSeconds = 60;
constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Takes over nothing: the descriptor stays the caller's.
Folder list_of(int fd) {
  const int copy = ::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return nullptr;
  Folder folder(::fdopendir(copy));
  if (folder == nullptr) ::close(copy);
  return folder;
}

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

UniqueFd open_folder(int at, const char* name) {
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd folder(::openat(at, name, flags));
  if (folder.is_open() || errno != EACCES) return folder;
  static_cast<void>(::fchmodat(at, name, S_IRWXU, 0));
  return UniqueFd(::openat(at, name, flags));
}

// Empties `folder`; its sub-folders are moved up to `top` first, so that depth costs nothing.
// `moved` numbers them.
void flatten(int top, int folder, std::uint64_t& moved) {
  const Folder entries = list_of(folder);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (is_dots(entry->d_name)) continue;
    if (::unlinkat(folder, entry->d_name, 0) == 0 || folder == top) continue;
    static_cast<void>(::fchmodat(folder, entry->d_name, S_IRWXU, 0));
    const std::string name = fmt::format("helve-moved-{}", moved++);
    static_cast<void>(::renameat(folder, entry->d_name, top, name.c_str()));
  }
}

// One round: everything below `top` that is no folder is removed, and every folder that is empty
// then. True where there was anything.
bool remove_round(int top, std::uint64_t& moved) {
  flatten(top, top, moved);
  std::vector<std::string> names;
  if (const Folder entries = list_of(top)) {
    while (const dirent* entry = ::readdir(entries.get())) {
      if (!is_dots(entry->d_name)) names.emplace_back(entry->d_name);
    }
  }
  for (const std::string& name : names) {
    if (const UniqueFd folder = open_folder(top, name.c_str()); folder.is_open()) {
      static_cast<void>(::fchmod(folder.get(), S_IRWXU));
      flatten(top, folder.get(), moved);
    }
    static_cast<void>(::unlinkat(top, name.c_str(), AT_REMOVEDIR));
  }
  return !names.empty();
}

// The folder of a process that is gone: nobody holds its lock.
bool is_abandoned(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != ::geteuid() || ::time(nullptr) - status.st_mtime < kSettledSeconds) {
    return false;
  }
  const UniqueFd lock(::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!lock.is_open()) return errno == ENOENT;
  return ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const fs::path& temporary) {
  std::error_code error;
  for (fs::directory_iterator at(temporary, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.filename().string().starts_with(kPrefix) && is_abandoned(path)) remove_tree(path);
  }
}

// The folder that holds all work folders of this process.
class Home {
 public:
  Home(pid_t process, fs::path path, UniqueFd lock)
      : process_(process), path_(std::move(path)), lock_(std::move(lock)) {}
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() {
    if (process_ == ::getpid()) remove_tree(path_);
  }

  pid_t process() const { return process_; }
  const fs::path& path() const { return path_; }

 private:
  const pid_t process_;
  const fs::path path_;
  const UniqueFd lock_;
};

Result<std::shared_ptr<Home>> make_home(const fs::path& temporary) {
  std::string name = (temporary / kPrefix).string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return error_from_errno(errno, "make a folder in", temporary.native());
  }
  // Others pass through to the folder that is theirs.
  static_cast<void>(::chmod(name.c_str(), S_IRWXU | S_IXGRP | S_IXOTH));
  UniqueFd lock(
      ::open((name + "/lock").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!lock.is_open() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    remove_tree(name);
    return error_from_errno(error, "lock", name);
  }
  return std::make_shared<Home>(::getpid(), name, std::move(lock));
}

// Whether another user can pass through all folders above.
bool is_open_to_all(fs::path path) {
  for (; !path.empty(); path = path.parent_path()) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) return false;
    if (path == path.root_path()) break;
  }
  return true;
}

// One for all work folders that there are at a time; a process that was forked from one with a home
// gets its own.
Result<std::shared_ptr<Home>> home_folder(bool is_for_another_user) {
  static auto& mutex = *new std::mutex;
  static auto& current = *new std::weak_ptr<Home>;
  static bool has_looked = false;  // for those of others: once is enough
  const std::lock_guard lock(mutex);
  std::error_code error;
  if (auto home = current.lock();
      home != nullptr && home->process() == ::getpid() && fs::is_directory(home->path(), error)) {
    return home;
  }
  Result<std::shared_ptr<Home>> made =
      Error{ErrorCode::Unavailable, "there is no temporary folder that a sandbox can use",
            "let TMPDIR name a folder on a local disk that all users can pass through"};
  for (const fs::path& temporary : {fs::absolute(fs::temp_directory_path(error), error),
                                    fs::path("/tmp"), fs::path("/dev/shm")}) {
    if (temporary.empty() || (is_for_another_user && !is_open_to_all(temporary))) continue;
    if (!has_looked) remove_abandoned(temporary);
    made = make_home(temporary);
    if (made) break;
  }
  has_looked = true;
  if (made) current = *made;
  return made;
}

}  // namespace

bool remove_tree(const fs::path& folder) {
  {
    const UniqueFd top = open_folder(AT_FDCWD, folder.c_str());
    if (!top.is_open()) return errno == ENOENT;
    static_cast<void>(::fchmod(top.get(), S_IRWXU));
    std::uint64_t moved = 0;
    // A chain of folders loses one in each round; a guest has at most some thousand of them.
    for (int rounds = 0; rounds < 100'000 && remove_round(top.get(), moved); ++rounds) {
    }
  }
  return ::rmdir(folder.c_str()) == 0;
}

Result<WorkFolder> WorkFolder::make(int owner) {
  static std::atomic<std::uint64_t> next{0};
  HELVE_ASSIGN(const auto home, home_folder(owner >= 0));
  fs::path path = home->path() / fmt::format("work-{}", next.fetch_add(1));
  if (::mkdir(path.c_str(), S_IRWXU) != 0) return error_from_errno(errno, "make", path.native());
  WorkFolder folder(home, path);
  if (owner >= 0 &&
      ::chown(path.c_str(), static_cast<uid_t>(owner), static_cast<gid_t>(owner)) != 0) {
    return error_from_errno(errno, "give away", path.native());
  }
  return folder;
}

WorkFolder::WorkFolder(std::shared_ptr<const void> home, fs::path path)
    : home_(std::move(home)), path_(std::move(path)), owner_(::getpid()) {}

WorkFolder::~WorkFolder() {
  if (!path_.empty() && owner_ == ::getpid()) remove_tree(path_);
}

namespace {

using FileId = std::pair<dev_t, ino_t>;

// What is mapped and was removed: "... 08:01 131 /tmp/x (deleted)", by device and number.
std::optional<std::set<FileId>> removed_and_mapped(const fs::path& maps) {
  constexpr std::size_t kBytesMax = 1 << 20;
  const UniqueFd file(::open(maps.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::string text;
  std::array<char, 65'536> buffer;
  for (;;) {
    const auto [count, error] = read_fd(file.get(), buffer);
    if (error != 0 || text.size() > kBytesMax) return std::nullopt;
    if (count == 0) break;
    text.append(buffer.data(), count);
  }
  if (text.empty()) return std::nullopt;  // its first thread has left
  std::set<FileId> found;
  std::istringstream lines(std::move(text));
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with(" (deleted)")) continue;
    unsigned long major = 0;
    unsigned long minor = 0;
    unsigned long number = 0;
    if (std::sscanf(line.c_str(), "%*s %*s %*s %lx:%lx %lu", &major, &minor, &number) != 3)
      continue;
    found.emplace(::makedev(static_cast<unsigned>(major), static_cast<unsigned>(minor)), number);
  }
  return found;
}

}  // namespace

std::optional<std::uint64_t> bytes_of_removed(const fs::path& process, std::uint64_t mapped_bytes) {
  auto mapped = removed_and_mapped(process / "maps");
  const UniqueFd place(::open((process / "fd").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Folder entries = place.is_open() ? list_of(place.get()) : nullptr;
  if (!mapped || entries == nullptr) return std::nullopt;
  std::uint64_t bytes = 0;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (is_dots(entry->d_name)) continue;
    struct stat status {};
    if (::fstatat(place.get(), entry->d_name, &status, 0) != 0) {
      if (errno == ENOENT) continue;  // closed meanwhile
      return std::nullopt;
    }
    if (!S_ISREG(status.st_mode) || status.st_nlink > 0) continue;
    bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
    mapped->erase({status.st_dev, status.st_ino});
  }
  return bytes + mapped->size() * mapped_bytes;
}

FolderUse WorkFolder::measure(std::uint64_t files_max) const {
  FolderUse use;
  std::vector<UniqueFd> open;
  std::vector<Folder> lists;
  open.emplace_back(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!open.back().is_open()) {
    use.files = files_max;
    return use;
  }
  lists.push_back(list_of(open.back().get()));
  constexpr std::size_t kDepthMax = 64;
  while (!lists.empty() && use.files < files_max) {
    const dirent* entry = lists.back() != nullptr ? ::readdir(lists.back().get()) : nullptr;
    if (entry == nullptr) {
      lists.pop_back();
      open.pop_back();
      continue;
    }
    if (is_dots(entry->d_name)) continue;
    struct stat status {};
    if (::fstatat(open.back().get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ++use.files;
    use.bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
    if (!S_ISDIR(status.st_mode)) continue;
    if (lists.size() == kDepthMax) {  // nobody needs that: as much as may be there
      use.files = files_max;
      break;
    }
    UniqueFd below(::openat(open.back().get(), entry->d_name,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!below.is_open()) {  // one that cannot be looked into may hold anything
      use.files = files_max;
      break;
    }
    lists.push_back(list_of(below.get()));
    open.push_back(std::move(below));
  }
  return use;
}

}  // namespace helve::sandbox
