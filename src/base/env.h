// Env: the seam between Helve and the machine. Everything that touches clock, files, processes,
// network or randomness goes through it, so that tests can put a fake in its place
// (tests/support/fake_env.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"

namespace helve {

class Http;  // base/http.h

// A whole file mapped for reading. The bytes stay valid and unmoved while it lives.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::span<const char> bytes() const = 0;
  std::string_view text() const { return {bytes().data(), bytes().size()}; }
};

// A file open for writing. Destroying it without close() leaves the file as far as it got.
class WritableFile : public ByteSink {
 public:
  virtual Result<void> sync() = 0;   // fsync: durable when it returns
  virtual Result<void> close() = 0;  // flushes; call once
};

// A file without a name, for what one process sets aside: it goes when this does, or the process,
// however that ends. Not thread-safe.
class ScratchFile {
 public:
  virtual ~ScratchFile() = default;
  virtual Result<void> append(std::string_view bytes) = 0;
  // Fills `into`; Unavailable where the file is shorter.
  virtual Result<void> read(std::uint64_t offset, std::span<char> into) = 0;
};

// An advisory lock on a file, held while it lives.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class FileKind : std::uint8_t { Regular, Directory, Other };

struct FileStatus {
  FileKind kind = FileKind::Other;
  std::uint64_t size = 0;
  WallTime modified;
};

enum class WriteMode : std::uint8_t { Truncate, Append, CreateNew };

// Errors: NotFound (no such file), Denied (permission), InvalidInput (a directory where a file is
// wanted, an existing file for CreateNew), Unavailable (I/O errors, disk full). Thread-safe.
class Files {
 public:
  using Path = std::filesystem::path;

  virtual ~Files() = default;
  virtual Result<FileStatus> status(const Path& path) = 0;
  virtual Result<std::unique_ptr<ByteSource>> open_read(const Path& path) = 0;
  virtual Result<std::shared_ptr<const MappedFile>> map(const Path& path) = 0;
  virtual Result<std::unique_ptr<WritableFile>> open_write(const Path& path, WriteMode mode) = 0;
  virtual Result<std::unique_ptr<ScratchFile>> make_scratch(const Path& folder) = 0;
  virtual Result<void> rename(const Path& from, const Path& to) = 0;
  // The same for a file, but InvalidInput where `to` is there already: of several at once, one
  // wins. A crash may leave both names.
  virtual Result<void> rename_new(const Path& from, const Path& to) = 0;
  virtual Result<void> remove(const Path& path) = 0;
  virtual Result<void> sync_directory(const Path& path) = 0;
  virtual Result<void> make_directories(const Path& path) = 0;
  virtual Result<std::vector<Path>> list(const Path& directory) = 0;  // names, sorted
  // Unavailable when another process (or another lock of this one) holds it.
  virtual Result<std::unique_ptr<FileLock>> lock(const Path& path) = 0;
};

struct ProcessOptions {
  std::vector<std::string> arguments;  // [0] is the program, found in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // the whole of it: none inherited
  std::filesystem::path working_directory;                       // empty: as the parent's
};

struct ExitStatus {
  int code = 0;    // meaningful when signal == 0
  int signal = 0;  // the signal that ended it, or 0
};

// A child process with pipes on stdin, stdout and stderr. Its process group is killed and reaped on
// destruction. Not thread-safe.
class WorkerProcess {
 public:
  virtual ~WorkerProcess() = default;
  virtual Result<void> write_stdin(std::string_view bytes, const OpContext& context) = 0;
  virtual void close_stdin() = 0;
  // Waits for bytes on either pipe and appends them; false at the end of both. LimitExceeded when a
  // pipe has given more than Limits::pipe_bytes_max in all.
  virtual Result<bool> read_output(std::string& out, std::string& err,
                                   const OpContext& context) = 0;
  // Waits for the end; on deadline or cancellation the process is killed and the error returned.
  virtual Result<ExitStatus> wait(const OpContext& context) = 0;
  virtual void kill() = 0;
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual Result<std::unique_ptr<WorkerProcess>> start(const ProcessOptions& options) = 0;
};

// Thread-safe.
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
  std::uint64_t next_u64();
  std::string hex(std::size_t bytes);  // 2 * bytes lower-case digits
};

class Env {
 public:
  virtual ~Env() = default;
  virtual Clock& clock() = 0;
  virtual Files& files() = 0;
  virtual Http& http() = 0;
  virtual Processes& processes() = 0;
  virtual Random& random() = 0;
};

// The real machine; lives for the whole process.
Env& real_env();

// Writes a file so that a reader sees the old content or the new, never a part, and a crash after
// the return keeps the new: temporary file, fsync, rename, fsync of the folder.
Result<void> write_file_atomically(Env& env, const std::filesystem::path& path,
                                   std::string_view content);

}  // namespace helve
