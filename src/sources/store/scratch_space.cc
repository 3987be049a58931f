// A folder is known to be alive by the lock on a file in it.
#include "sources/store/scratch_space.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

using ScratchPath = std::filesystem::path;

constexpr std::string_view kLockName = "lock";

// The lock goes last: without it, a folder is only known by its age.
void remove_folder(const ScratchPath& folder, Files& files) {
  for (const ScratchPath& name : files.list(folder).value_or(std::vector<ScratchPath>())) {
    if (name != kLockName) (void)files.remove(folder / name);
  }
  (void)files.remove(folder / kLockName);
  (void)files.remove(folder);
}

}  // namespace

bool is_scratch_name(const ScratchPath& name) {
  const std::string text = name.string();
  return text.starts_with(fmt::format(".{}.", kSnapshotFileName)) && text.ends_with(".scratch");
}

void remove_dead_scratch(const ScratchPath& parent, Env& env) {
  // A folder has no lock in the moment in which it is made.
  constexpr auto kAgeMin = std::chrono::seconds(10);
  Files& files = env.files();
  for (const ScratchPath& name : files.list(parent).value_or(std::vector<ScratchPath>())) {
    const ScratchPath folder = parent / name;
    if (!is_scratch_name(name)) continue;
    const auto status = files.status(folder);
    if (!status || status->kind != FileKind::Directory) continue;
    if (!files.status(folder / kLockName) && status->modified + kAgeMin >= env.clock().wall()) {
      continue;
    }
    if (const auto lock = files.lock(folder / kLockName)) remove_folder(folder, files);
  }
}

Result<std::unique_ptr<ScratchSpace>> ScratchSpace::create(const ScratchPath& parent, Env& env) {
  Files& files = env.files();
  const auto status = files.status(parent);
  const bool makes_parent = !status && status.error().code == ErrorCode::NotFound;
  remove_dead_scratch(parent, env);
  const ScratchPath folder =
      parent / fmt::format(".{}.{}.scratch", kSnapshotFileName, env.random().hex(8));
  HELVE_TRY(files.make_directories(folder));
  std::unique_ptr<ScratchSpace> space(new ScratchSpace(folder, env, makes_parent));
  auto lock = files.lock(folder / kLockName);
  if (lock) space->lock_ = *std::move(lock);  // where the file system has none, it may stay behind
  return space;
}

ScratchSpace::ScratchSpace(ScratchPath folder, Env& env, bool made_parent)
    : folder_(std::move(folder)), env_(env), made_parent_(made_parent) {}

ScratchSpace::~ScratchSpace() {
  remove_folder(folder_, env_.files());
  if (made_parent_) (void)env_.files().remove(folder_.parent_path());
}

Result<std::unique_ptr<ScratchFile>> ScratchSpace::make_file() {
  const ScratchPath path =
      folder_ / std::to_string(files_made_.fetch_add(1, std::memory_order_relaxed));
  auto file = env_.files().open_write(path, WriteMode::CreateNew);
  if (!file) return explained(std::move(file).error());
  return std::make_unique<ScratchFile>(*this, path, *std::move(file));
}

Error ScratchSpace::explained(Error error) const {
  if (error.code == ErrorCode::Unavailable) {
    error.hint = fmt::format(
        "building the index needs room in {}: make some, or name a folder on "
        "another disk for what is put aside meanwhile",
        folder_.parent_path().string());
  }
  return error;
}

ScratchFile::ScratchFile(ScratchSpace& space, ScratchPath path, std::unique_ptr<WritableFile> file)
    : space_(space), path_(std::move(path)), file_(std::move(file)) {}

ScratchFile::~ScratchFile() {
  if (file_ == nullptr) return;
  file_.reset();
  (void)space_.env_.files().remove(path_);
}

Result<void> ScratchFile::write(std::string_view bytes) {
  auto written = file_->write(bytes);
  if (!written) return space_.explained(std::move(written).error());
  size_ += bytes.size();
  space_.bytes_written_.fetch_add(bytes.size(), std::memory_order_relaxed);
  return {};
}

Result<std::shared_ptr<const MappedFile>> ScratchFile::finish() {
  auto closed = file_->close();
  if (!closed) return space_.explained(std::move(closed).error());
  Files& files = space_.env_.files();
  auto mapped = files.map(path_);
  file_.reset();
  (void)files.remove(path_);
  return mapped;
}

}  // namespace helve::store
