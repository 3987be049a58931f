// The machine as a pass of a cell has it. Its calendar does not move by itself: items of a bank are
// as old in one run as in another, however long either took. Its files do not wait for the disk: a
// pass counts once its record is written, which does; what a power cut takes of it before is run
// again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/tasks/task_set.h"
#include "base/env.h"

namespace helve::agent {

class CellClock final : public Clock {
 public:
  explicit CellClock(Clock& real) : real_(real) {}
  MonotonicTime now() const override { return real_.now(); }
  // 2026-01-01T00:00:00Z, and so many hours.
  WallTime wall() const override {
    constexpr std::chrono::seconds kStart(1'767'225'600);
    return WallTime(std::chrono::duration_cast<WallTime::duration>(
        kStart + std::chrono::hours(hours_.load(std::memory_order_relaxed))));
  }
  void sleep_for(Duration duration) override { real_.sleep_for(duration); }
  void pass_hours(std::int64_t hours) { hours_.fetch_add(hours, std::memory_order_relaxed); }

 private:
  Clock& real_;
  std::atomic<std::int64_t> hours_{0};
};

// What the calendar shows when a pass begins: each task before it took an hour.
inline std::int64_t hours_before(std::size_t pass, const TaskSet& tasks) {
  return static_cast<std::int64_t>(pass * tasks.cases.size());
}

// Another way to an open file.
class UnsyncedFile final : public WritableFile {
 public:
  explicit UnsyncedFile(std::unique_ptr<WritableFile> file) : file_(std::move(file)) {}
  Result<void> write(std::string_view bytes) override { return file_->write(bytes); }
  Result<void> flush() override { return file_->flush(); }
  Result<void> sync() override { return file_->flush(); }
  Result<void> close() override { return file_->close(); }

 private:
  const std::unique_ptr<WritableFile> file_;
};

class UnsyncedFiles final : public Files {
 public:
  explicit UnsyncedFiles(Files& real) : real_(real) {}
  Result<FileStatus> status(const Path& path) override { return real_.status(path); }
  Result<std::unique_ptr<ByteSource>> open_read(const Path& path) override {
    return real_.open_read(path);
  }
  Result<std::shared_ptr<const MappedFile>> map(const Path& path) override {
    return real_.map(path);
  }
  Result<std::unique_ptr<WritableFile>> open_write(const Path& path, WriteMode mode) override {
    HELVE_ASSIGN(auto file, real_.open_write(path, mode));
    return std::unique_ptr<WritableFile>(std::make_unique<UnsyncedFile>(std::move(file)));
  }
  Result<std::unique_ptr<ScratchFile>> make_scratch(const Path& folder) override {
    return real_.make_scratch(folder);
  }
  Result<void> rename(const Path& from, const Path& to) override { return real_.rename(from, to); }
  Result<void> rename_new(const Path& from, const Path& to) override {
    return real_.rename_new(from, to);
  }
  Result<void> remove(const Path& path) override { return real_.remove(path); }
  Result<void> sync_directory(const Path& /*path*/) override { return {}; }
  Result<void> make_directories(const Path& path) override { return real_.make_directories(path); }
  Result<std::vector<Path>> list(const Path& directory) override { return real_.list(directory); }
  Result<std::unique_ptr<FileLock>> lock(const Path& path) override { return real_.lock(path); }

 private:
  Files& real_;
};

class CellEnv final : public Env {
 public:
  explicit CellEnv(Env& real) : real_(real), clock_(real.clock()), files_(real.files()) {}
  CellClock& clock() override { return clock_; }
  UnsyncedFiles& files() override { return files_; }
  Http& http() override { return real_.http(); }
  Processes& processes() override { return real_.processes(); }
  Random& random() override { return real_.random(); }

 private:
  Env& real_;
  CellClock clock_;
  UnsyncedFiles files_;
};

}  // namespace helve::agent
