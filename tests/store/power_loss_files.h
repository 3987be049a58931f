// PowerLossFiles: the real files of a folder, with a journal of all that is done to them, from
// which disk_model.h tells what a power loss would leave. Files elsewhere are real as they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

#include "base/env.h"
#include "base/fd.h"
#include "tests/store/disk_model.h"

namespace helve {

// Thread-safe. A process that is killed leaves a journal that is right: what is in it may not have
// been done yet, but nothing was done or promised that is not in it.
class PowerLossFiles final : public Files {
 public:
  // `sync_delay_max` is how long a sync takes at most, so that others come in between.
  PowerLossFiles(Path root, const Path& journal, std::chrono::microseconds sync_delay_max);

  Result<FileStatus> status(const Path& path) override { return real_.status(path); }
  Result<std::unique_ptr<ByteSource>> open_read(const Path& path) override {
    return real_.open_read(path);
  }
  Result<std::shared_ptr<const MappedFile>> map(const Path& path) override {
    return real_.map(path);
  }
  Result<std::unique_ptr<WritableFile>> open_write(const Path& path, WriteMode mode) override;
  Result<void> rename(const Path& from, const Path& to) override;
  Result<void> rename_new(const Path& from, const Path& to) override;
  Result<void> remove(const Path& path) override;
  Result<void> sync_directory(const Path& path) override;
  Result<void> make_directories(const Path& path) override;
  Result<std::vector<Path>> list(const Path& directory) override { return real_.list(directory); }
  Result<std::unique_ptr<FileLock>> lock(const Path& path) override;
  // Nobody finds it after a power loss.
  Result<std::unique_ptr<ScratchFile>> make_scratch(const Path& folder) override {
    return real_.make_scratch(folder);
  }

 private:
  friend class JournaledFile;

  void note(const DiskOperation& operation);
  std::string inside(const Path& path) const { return path.lexically_relative(root_).string(); }
  // What has been done so far, after which the disk takes its time.
  std::uint64_t begin_sync();

  Path root_;
  Files& real_;
  UniqueFd journal_;
  const std::chrono::microseconds sync_delay_max_;
  std::mutex mutex_;  // of the journal, and of the operation that it tells of
  std::uint64_t operations_ = 0;
  std::uint32_t handles_ = 0;
};

class PowerLossEnv final : public Env {
 public:
  explicit PowerLossEnv(PowerLossFiles& files) : files_(files) {}
  Clock& clock() override { return real_env().clock(); }
  Files& files() override { return files_; }
  Http& http() override { return real_env().http(); }
  Processes& processes() override { return real_env().processes(); }
  Random& random() override { return real_env().random(); }

 private:
  PowerLossFiles& files_;
};

}  // namespace helve
