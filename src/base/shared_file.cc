#include "base/shared_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_error.h"
#include "base/fd.h"

namespace helve {

namespace {

using SharedPath = std::filesystem::path;

template <typename Call>
auto uninterrupted(const Call& call) {
  auto outcome = call();
  while (outcome < 0 && errno == EINTR) outcome = call();
  return outcome;
}

Error not_regular(const SharedPath& path) {
  return {ErrorCode::Denied,
          "'" + path.native() + "' is not a file that keeps what is written to it",
          "name a regular file, or one that does not exist yet"};
}

class PosixSharedFile final : public SharedFile {
 public:
  PosixSharedFile(UniqueFd fd, const SharedPath& path, const struct stat& info)
      : fd_(std::move(fd)), path_(path), device_(info.st_dev), inode_(info.st_ino) {}

  Result<bool> try_lock() override {
    if (uninterrupted([this] { return ::flock(fd_.get(), LOCK_EX | LOCK_NB); }) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    return failure("lock");
  }

  void unlock() override { (void)::flock(fd_.get(), LOCK_UN); }

  Result<bool> is_at_path() override {
    struct stat info {};
    if (::stat(path_.c_str(), &info) != 0) {
      if (errno == ENOENT) return false;
      return failure("examine");
    }
    return info.st_dev == device_ && info.st_ino == inode_;
  }

  Result<std::uint64_t> size() override {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0) return failure("examine");
    return static_cast<std::uint64_t>(info.st_size);
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t count = uninterrupted([&] {
        return ::pread(fd_.get(), into.data() + done, into.size() - done,
                       static_cast<off_t>(offset + done));
      });
      if (count < 0) return failure("read");
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

  Result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = uninterrupted([&] {
        return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (count < 0) return failure("write");
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return {};
  }

  Result<void> cut(std::uint64_t size) override {
    if (uninterrupted([&] { return ::ftruncate(fd_.get(), static_cast<off_t>(size)); }) != 0) {
      return failure("cut");
    }
    return {};
  }

  Result<void> sync() override {
    if (uninterrupted([this] { return ::fdatasync(fd_.get()); }) != 0) return failure("sync");
    return {};
  }

 private:
  Error failure(std::string_view action) const {
    return error_from_errno(errno, action, path_.native());
  }

  UniqueFd fd_;
  SharedPath path_;
  dev_t device_;
  ino_t inode_;
};

// Some file systems cannot sync a directory and say EINVAL; there is no more to do there.
Result<void> sync_parent(const SharedPath& path) {
  const SharedPath parent = path.has_parent_path() ? path.parent_path() : SharedPath(".");
  const UniqueFd fd(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open() || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
    return error_from_errno(errno, "sync directory", parent.native());
  }
  return {};
}

class PosixSharedFiles final : public SharedFiles {
 public:
  Result<std::unique_ptr<SharedFile>> open(const SharedPath& path, SharedFileMode mode) override {
    const bool is_writing = mode == SharedFileMode::Write;
    // Not waiting: a pipe must not hold us.
    const int flags = O_CLOEXEC | O_NONBLOCK | (is_writing ? O_RDWR : O_RDONLY);
    constexpr mode_t kPrivate = 0600;
    UniqueFd fd(uninterrupted([&] { return ::open(path.c_str(), flags); }));
    bool is_new = false;
    if (!fd.is_open() && errno == ENOENT && is_writing) {
      fd = UniqueFd(uninterrupted([&] { return ::open(path.c_str(), flags | O_CREAT, kPrivate); }));
      is_new = fd.is_open();
    }
    if (!fd.is_open()) {
      if (errno == EISDIR) return not_regular(path);
      return error_from_errno(errno, is_writing ? "write" : "read", path.native());
    }
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return error_from_errno(errno, "examine", path.native());
    if (!S_ISREG(info.st_mode)) return not_regular(path);
    if (is_new) HELVE_TRY(sync_parent(path));
    return std::make_unique<PosixSharedFile>(std::move(fd), path, info);
  }
};

}  // namespace

SharedFiles& real_shared_files() {
  static PosixSharedFiles files;
  return files;
}

}  // namespace helve
