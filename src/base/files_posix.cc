// Files on a POSIX system. Standard streams are in stdio.cc, the errors' words in errno_error.cc.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/errno_error.h"
#include "base/fd.h"
#include "base/real_env.h"

namespace helve {

namespace {

using Path = Files::Path;

constexpr std::size_t kWriteBufferBytes = 64 * kKiB;
constexpr mode_t kNewFileMode = 0666;  // less the umask
constexpr mode_t kPrivateMode = 0600;

int open_fd(const Path& path, int flags, mode_t mode = kNewFileMode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// FAT and some network and user-space file systems have no hard links.
bool is_without_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
}

FileStatus status_from(const struct stat& info) {
  FileStatus status;
  status.kind = S_ISREG(info.st_mode)   ? FileKind::Regular
                : S_ISDIR(info.st_mode) ? FileKind::Directory
                                        : FileKind::Other;
  status.size = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  const auto since_epoch =
      std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  status.modified = WallTime(std::chrono::duration_cast<WallTime::duration>(since_epoch));
  return status;
}

class PosixSource final : public ByteSource {
 public:
  PosixSource(UniqueFd fd, const Path& path) : fd_(std::move(fd)), path_(path) {}

  Result<std::size_t> read(std::span<char> into) override {
    const auto [count, error] = read_fd(fd_.get(), into);
    if (error != 0) return error_from_errno(error, "read", path_.native());
    return count;
  }

 private:
  UniqueFd fd_;
  Path path_;
};

// A file that another process shortens while it is mapped raises SIGBUS on access; advisory locks
// and atomic replacement (write_file_atomically) keep our own files from that.
class PosixMapping final : public MappedFile {
 public:
  PosixMapping() = default;
  PosixMapping(void* data, std::size_t size) : data_(data), size_(size) {}
  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;
  ~PosixMapping() override {
    if (size_ > 0) ::munmap(data_, size_);
  }
  std::span<const char> bytes() const override { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

class PosixWritable final : public WritableFile {
 public:
  PosixWritable(UniqueFd fd, const Path& path) : fd_(std::move(fd)), path_(path) {}
  PosixWritable(const PosixWritable&) = delete;
  PosixWritable& operator=(const PosixWritable&) = delete;
  ~PosixWritable() override { (void)drain(); }

  Result<void> write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() > kWriteBufferBytes) HELVE_TRY(drain());
    if (bytes.size() >= kWriteBufferBytes) return put(bytes);
    buffer_.append(bytes);
    return {};
  }
  Result<void> flush() override { return drain(); }

  Result<void> sync() override {
    HELVE_TRY(drain());
    if (::fsync(fd_.get()) != 0) return error_from_errno(errno, "sync", path_.native());
    return {};
  }

  Result<void> close() override {
    const auto drained = drain();
    const int error = fd_.close();
    HELVE_TRY(drained);
    if (error != 0) return error_from_errno(error, "close", path_.native());
    return {};
  }

 private:
  // What could not be written is dropped: the file is broken then, and a repeated attempt from the
  // destructor would only write a later part without the earlier one.
  Result<void> drain() {
    if (buffer_.empty()) return {};
    auto outcome = put(buffer_);
    buffer_.clear();
    return outcome;
  }
  Result<void> put(std::string_view bytes) const {
    const int error = write_fd_fully(fd_.get(), bytes);
    if (error != 0) return error_from_errno(error, "write", path_.native());
    return {};
  }

  UniqueFd fd_;
  Path path_;
  std::string buffer_;
};

class PosixScratch final : public ScratchFile {
 public:
  PosixScratch(UniqueFd fd, const Path& folder) : fd_(std::move(fd)), folder_(folder) {}

  Result<void> append(std::string_view bytes) override {
    const int error = write_fd_fully(fd_.get(), bytes);
    if (error != 0) return error_from_errno(error, "write to a file in", folder_.native());
    return {};
  }

  Result<void> read(std::uint64_t offset, std::span<char> into) override {
    while (!into.empty()) {
      const ssize_t count =
          ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return error_from_errno(errno, "read a file in", folder_.native());
      if (count == 0) {
        return Error{ErrorCode::Unavailable,
                     "a temporary file in '" + folder_.native() + "' is shorter than it was"};
      }
      into = into.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return {};
  }

 private:
  UniqueFd fd_;  // appends move its place, reads do not
  Path folder_;
};

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(UniqueFd fd) : fd_(std::move(fd)) {}

 private:
  UniqueFd fd_;  // closing it gives the lock back
};

class PosixFiles final : public Files {
 public:
  Result<FileStatus> status(const Path& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
      return error_from_errno(errno, "examine", path.native());
    }
    return status_from(info);
  }

  // Pipes and devices read as they do everywhere (process substitution relies on it), so opening a
  // FIFO waits for its writer. Who must not wait asks status() first.
  Result<std::unique_ptr<ByteSource>> open_read(const Path& path) override {
    UniqueFd fd(open_fd(path, O_RDONLY));
    if (!fd.is_open()) return error_from_errno(errno, "read", path.native());
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return error_from_errno(errno, "read", path.native());
    if (S_ISDIR(info.st_mode)) return error_from_errno(EISDIR, "read", path.native());
    if (S_ISREG(info.st_mode)) (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    return std::make_unique<PosixSource>(std::move(fd), path);
  }

  Result<std::shared_ptr<const MappedFile>> map(const Path& path) override {
    UniqueFd fd(open_fd(path, O_RDONLY | O_NONBLOCK));  // a FIFO must not make it wait
    if (!fd.is_open()) return error_from_errno(errno, "map", path.native());
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return error_from_errno(errno, "map", path.native());
    if (S_ISDIR(info.st_mode)) return error_from_errno(EISDIR, "map", path.native());
    if (!S_ISREG(info.st_mode)) {
      return Error{ErrorCode::InvalidInput,
                   "cannot map '" + path.native() + "': it is not a regular file",
                   "read it as a stream"};
    }
    if (info.st_size == 0) return std::make_shared<const PosixMapping>();
    const auto size = static_cast<std::size_t>(info.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) return error_from_errno(errno, "map", path.native());
    return std::make_shared<const PosixMapping>(data, size);
  }

  Result<std::unique_ptr<WritableFile>> open_write(const Path& path, WriteMode mode) override {
    const int how = mode == WriteMode::Truncate ? O_TRUNC
                    : mode == WriteMode::Append ? O_APPEND
                                                : O_EXCL;
    // Files that grow by appending are records of what was done and asked: what is made anew is its
    // owner's alone.
    const mode_t permissions = mode == WriteMode::Append ? kPrivateMode : kNewFileMode;
    UniqueFd fd(open_fd(path, O_WRONLY | O_CREAT | how, permissions));
    if (!fd.is_open()) return error_from_errno(errno, "write", path.native());
    return std::make_unique<PosixWritable>(std::move(fd), path);
  }

  // Where the file system cannot make a file without a name, the name is taken at once.
  Result<std::unique_ptr<ScratchFile>> make_scratch(const Path& folder) override {
    UniqueFd fd(open_fd(folder, O_TMPFILE | O_RDWR | O_EXCL, kPrivateMode));
    if (!fd.is_open() && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
      std::string name = (folder / "helve-XXXXXX").native();
      fd = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
      if (fd.is_open() && ::unlink(name.c_str()) != 0) {
        return error_from_errno(errno, "remove", name);
      }
    }
    if (!fd.is_open()) return error_from_errno(errno, "make a file in", folder.native());
    return std::make_unique<PosixScratch>(std::move(fd), folder);
  }

  Result<void> rename(const Path& from, const Path& to) override {
    if (std::rename(from.c_str(), to.c_str()) != 0) {
      return error_from_errno(errno, "rename", from.native() + "' to '" + to.native());
    }
    return {};
  }

  Result<void> rename_new(const Path& from, const Path& to) override {
    const std::string subject = from.native() + "' to '" + to.native();
    if (::link(from.c_str(), to.c_str()) == 0) {
      (void)::unlink(from.c_str());
      return {};
    }
    if (!is_without_links(errno)) return error_from_errno(errno, "rename", subject);
    // An empty file claims the name; what takes its place is the claimant's own.
    const UniqueFd claim(open_fd(to, O_WRONLY | O_CREAT | O_EXCL));
    if (!claim.is_open()) return error_from_errno(errno, "rename", subject);
    auto renamed = rename(from, to);
    if (!renamed) (void)::unlink(to.c_str());
    return renamed;
  }

  Result<void> remove(const Path& path) override {
    if (std::remove(path.c_str()) != 0) return error_from_errno(errno, "remove", path.native());
    return {};
  }

  Result<void> sync_directory(const Path& path) override {
    const UniqueFd fd(open_fd(path, O_RDONLY | O_DIRECTORY));
    if (!fd.is_open()) return error_from_errno(errno, "sync directory", path.native());
    // Some file systems cannot sync a directory and say EINVAL; there is no more to do there.
    if (::fsync(fd.get()) != 0 && errno != EINVAL) {
      return error_from_errno(errno, "sync directory", path.native());
    }
    return {};
  }

  Result<void> make_directories(const Path& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return error_from_errno(error.value(), "make directory", path.native());
    return {};
  }

  Result<std::vector<Path>> list(const Path& directory) override {
    std::error_code error;
    std::vector<Path> names;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
      names.push_back(at->path().filename());
    }
    if (error) return error_from_errno(error.value(), "list", directory.native());
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::unique_ptr<FileLock>> lock(const Path& path) override {
    UniqueFd fd(open_fd(path, O_RDWR | O_CREAT));
    if (!fd.is_open()) return error_from_errno(errno, "lock", path.native());
    int outcome = 0;
    do {
      outcome = ::flock(fd.get(), LOCK_EX | LOCK_NB);
    } while (outcome != 0 && errno == EINTR);
    if (outcome != 0 && errno == EWOULDBLOCK) {
      return Error{ErrorCode::Unavailable,
                   "'" + path.native() + "' is locked by another user of it",
                   "wait for the other process to end, or end it"}
          .because(ErrorReason::Locked);
    }
    if (outcome != 0) return error_from_errno(errno, "lock", path.native());
    return std::make_unique<PosixLock>(std::move(fd));
  }
};

}  // namespace

Files& real_files() {
  static PosixFiles files;
  return files;
}

}  // namespace helve
