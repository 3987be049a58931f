// FakeFiles: a file system in memory with the durability rules of a real one: what was not synced
// is lost in a crash, and a name is durable only once its directory was synced.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/env.h"
#include "tests/support/file_faults.h"

namespace helve {

// Thread-safe. Paths are taken as they are, lexically normalised; "." and "/" exist. The clock
// stamps files.
class FakeFiles final : public Files, public FileFaults {
 public:
  explicit FakeFiles(const Clock& clock);
  ~FakeFiles() override;

  Result<FileStatus> status(const Path& path) override;
  Result<std::unique_ptr<ByteSource>> open_read(const Path& path) override;
  Result<std::shared_ptr<const MappedFile>> map(const Path& path) override;
  Result<std::unique_ptr<WritableFile>> open_write(const Path& path, WriteMode mode) override;
  Result<std::unique_ptr<ScratchFile>> make_scratch(const Path& folder) override;
  Result<void> rename(const Path& from, const Path& to) override;
  Result<void> rename_new(const Path& from, const Path& to) override;
  Result<void> remove(const Path& path) override;
  Result<void> sync_directory(const Path& path) override;
  Result<void> make_directories(const Path& path) override;
  Result<std::vector<Path>> list(const Path& directory) override;
  Result<std::unique_ptr<FileLock>> lock(const Path& path) override;

  // For tests: put a file there, durable, parents included; read one, or nullopt.
  void put(const Path& path, std::string content);
  std::optional<std::string> content(const Path& path) const;

  // Of FileFaults: every call on Files and on its open files (reads of a stream excepted) is an
  // operation. One that fails has no effect.
  // Scratch files that live now, and bytes that were written to any.
  std::size_t scratch_files() const;
  std::uint64_t scratch_bytes() const;
  // Changes a bit of the byte at that place in every scratch file that is longer, now and later.
  void damage_scratch(std::uint64_t offset);
  // Files that were synced so far, and what is called before each time, without any lock.
  std::uint64_t syncs() const;
  void on_sync(std::function<void()> call);
  // Every access to the path is Denied.
  void deny(const Path& path);
  // Power loss and restart: back to what was synced; open files and locks are dead.
  void crash();

 private:
  friend class FakeWritable;
  friend class FakeScratch;
  friend class FakeLock;

  // One file's bytes. Names point to it, so a rename moves the name alone.
  struct Inode {
    std::string content;
    std::string synced;
    WallTime modified;
  };
  using Names = std::map<Path, std::shared_ptr<Inode>>;

  void tell_of_sync();
  Result<void> move(const Path& raw_from, const Path& raw_to, bool replaces);
  Result<std::shared_ptr<Inode>> find(const Path& path, std::string_view action) const;
  Result<void> check_parent(const Path& path, std::string_view action) const;

  const Clock& clock_;
  Names names_;
  Names durable_names_;
  std::set<Path> directories_;
  std::set<Path> locked_;
  std::size_t scratch_files_ = 0;
  std::uint64_t scratch_bytes_ = 0;
  std::optional<std::uint64_t> scratch_damage_;
  std::uint64_t syncs_ = 0;
  std::function<void()> on_sync_;
};

}  // namespace helve
