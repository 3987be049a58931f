#include "tests/store/power_loss_files.h"

#include <fcntl.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/check.h"

namespace helve {

namespace {

using Kind = DiskOperation::Kind;

}  // namespace

// Writes go to the file at once: what a killed process had in a buffer was promised to nobody.
class JournaledFile final : public WritableFile {
 public:
  JournaledFile(PowerLossFiles& disk, std::unique_ptr<WritableFile> real, std::uint32_t handle)
      : disk_(disk), real_(std::move(real)), handle_(handle) {}

  Result<void> write(std::string_view bytes) override {
    const std::lock_guard lock(disk_.mutex_);
    disk_.note({Kind::Write, handle_, 0, bytes, {}});
    HELVE_TRY(real_->write(bytes));
    return real_->flush();
  }
  Result<void> flush() override { return {}; }
  Result<void> sync() override {
    const std::uint64_t until = disk_.begin_sync();
    const std::lock_guard lock(disk_.mutex_);
    disk_.note({Kind::Sync, handle_, until, {}, {}});
    return {};
  }
  Result<void> close() override { return real_->close(); }

 private:
  PowerLossFiles& disk_;
  std::unique_ptr<WritableFile> real_;
  std::uint32_t handle_;
};

PowerLossFiles::PowerLossFiles(Path root, const Path& journal,
                               std::chrono::microseconds sync_delay_max)
    : root_(std::move(root)),
      real_(real_env().files()),
      journal_(::open(journal.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)),
      sync_delay_max_(sync_delay_max) {
  HELVE_CHECK(journal_.is_open());
}

void PowerLossFiles::note(const DiskOperation& operation) {
  HELVE_CHECK(write_fd_fully(journal_.get(), encode(operation)) == 0);
  ++operations_;
}

std::uint64_t PowerLossFiles::begin_sync() {
  std::uint64_t until = 0;
  {
    const std::lock_guard lock(mutex_);
    until = operations_;
  }
  const auto span = static_cast<std::uint64_t>(sync_delay_max_.count()) + 1;
  std::this_thread::sleep_for(std::chrono::microseconds(real_env().random().next_u64() % span));
  return until;
}

Result<std::unique_ptr<WritableFile>> PowerLossFiles::open_write(const Path& path, WriteMode mode) {
  const std::lock_guard lock(mutex_);
  const auto there = real_.status(path);
  if (there && mode == WriteMode::CreateNew) return real_.open_write(path, mode);  // an error
  // The model has no files that become shorter.
  HELVE_CHECK(!there || mode == WriteMode::Append || there->size == 0);
  const std::uint32_t handle = handles_++;
  note({Kind::Open, handle, 0, inside(path), {}});
  HELVE_ASSIGN(auto file, real_.open_write(path, mode));
  return std::make_unique<JournaledFile>(*this, std::move(file), handle);
}

Result<void> PowerLossFiles::rename(const Path& from, const Path& to) {
  const std::lock_guard lock(mutex_);
  HELVE_TRY(real_.status(from));
  note({Kind::Rename, 0, 0, inside(from), inside(to)});
  return real_.rename(from, to);
}

Result<void> PowerLossFiles::rename_new(const Path& from, const Path& to) {
  const std::lock_guard lock(mutex_);
  HELVE_TRY(real_.status(from));
  if (real_.status(to)) return real_.rename_new(from, to);  // an error
  note({Kind::Link, 0, 0, inside(from), inside(to)});
  note({Kind::Remove, 0, 0, inside(from), {}});
  return real_.rename_new(from, to);
}

Result<void> PowerLossFiles::remove(const Path& path) {
  const std::lock_guard lock(mutex_);
  HELVE_ASSIGN(const FileStatus there, real_.status(path));
  const bool is_folder = there.kind == FileKind::Directory;
  const auto names = is_folder ? real_.list(path) : Result<std::vector<Path>>(std::vector<Path>());
  if (!names || !names->empty()) return real_.remove(path);  // an error
  note({Kind::Remove, 0, 0, inside(path), {}});
  return real_.remove(path);
}

Result<void> PowerLossFiles::sync_directory(const Path& path) {
  HELVE_TRY(real_.status(path));
  const std::string folder = inside(path);
  if (folder.starts_with("..")) return {};  // not of this disk
  const std::uint64_t until = begin_sync();
  const std::lock_guard lock(mutex_);
  note({Kind::SyncDirectory, 0, until, folder == "." ? "" : folder, {}});
  return {};
}

Result<void> PowerLossFiles::make_directories(const Path& path) {
  const std::lock_guard lock(mutex_);
  std::vector<Path> missing;
  for (Path at = path; !real_.status(at); at = at.parent_path()) missing.push_back(at);
  std::reverse(missing.begin(), missing.end());  // from the outermost on
  for (const Path& one : missing) note({Kind::MakeDirectory, 0, 0, inside(one), {}});
  return real_.make_directories(path);
}

Result<std::unique_ptr<FileLock>> PowerLossFiles::lock(const Path& path) {
  const std::lock_guard lock(mutex_);
  if (!real_.status(path)) note({Kind::Open, handles_++, 0, inside(path), {}});
  return real_.lock(path);
}

}  // namespace helve
