// A file system in memory, with faults on demand.
#include "tests/support/fake_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>

#include "base/errno_error.h"

namespace helve {

namespace {

using Path = Files::Path;

Path tidy(const Path& path) {
  Path normal = path.lexically_normal();
  if (!normal.has_filename() && normal.has_parent_path() && normal != normal.root_path()) {
    normal = normal.parent_path();  // "a/" is "a"
  }
  return normal.empty() ? Path(".") : normal;
}

Path parent_of(const Path& path) {
  const Path parent = path.parent_path();
  return parent.empty() ? Path(".") : parent;
}

// Owns its bytes, so that a later change of the file does not move them.
class FakeMapping final : public MappedFile {
 public:
  explicit FakeMapping(std::string content) : content_(std::move(content)) {}
  std::span<const char> bytes() const override { return content_; }

 private:
  std::string content_;
};

class FakeSource final : public ByteSource {
 public:
  explicit FakeSource(std::string content) : content_(std::move(content)), source_(content_) {}
  Result<std::size_t> read(std::span<char> into) override { return source_.read(into); }

 private:
  std::string content_;
  StringSource source_;
};

}  // namespace

class FakeWritable final : public WritableFile {
 public:
  FakeWritable(FakeFiles& files, Path path, std::shared_ptr<FakeFiles::Inode> inode)
      : files_(files), path_(std::move(path)), inode_(std::move(inode)), life_(files.lives_) {}

  Result<void> write(std::string_view bytes) override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    const auto granted = static_cast<std::size_t>(files_.grant_bytes(bytes.size()));
    inode_->content += bytes.substr(0, granted);
    inode_->modified = files_.clock_.wall();
    if (granted < bytes.size()) return error_from_errno(ENOSPC, "write", path_.native());
    return {};
  }
  Result<void> flush() override {
    const std::lock_guard lock(files_.mutex_);
    return begin();
  }
  Result<void> sync() override {
    files_.tell_of_sync();
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    inode_->synced = inode_->content;
    ++files_.syncs_;
    return {};
  }
  Result<void> close() override { return flush(); }

 private:
  Result<void> begin() {
    if (life_ != files_.lives_) return error_from_errno(EIO, "write", path_.native());
    return files_.begin(path_);
  }

  FakeFiles& files_;
  Path path_;
  std::shared_ptr<FakeFiles::Inode> inode_;
  std::uint64_t life_;
};

class FakeScratch final : public ScratchFile {
 public:
  FakeScratch(FakeFiles& files, Path folder)
      : files_(files), folder_(std::move(folder)), life_(files.lives_) {
    ++files_.scratch_files_;
  }
  FakeScratch(const FakeScratch&) = delete;
  FakeScratch& operator=(const FakeScratch&) = delete;
  ~FakeScratch() override {
    const std::lock_guard lock(files_.mutex_);
    --files_.scratch_files_;
  }

  Result<void> append(std::string_view bytes) override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    const auto granted = static_cast<std::size_t>(files_.grant_bytes(bytes.size()));
    content_ += bytes.substr(0, granted);
    files_.scratch_bytes_ += granted;
    if (granted < bytes.size()) return error_from_errno(ENOSPC, "write", folder_.native());
    return {};
  }
  Result<void> read(std::uint64_t offset, std::span<char> into) override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    if (offset + into.size() > content_.size()) {
      return error_from_errno(EIO, "read", folder_.native());
    }
    content_.copy(into.data(), into.size(), offset);
    const auto damage = files_.scratch_damage_;
    if (damage && *damage >= offset && *damage - offset < into.size()) {
      into[static_cast<std::size_t>(*damage - offset)] ^= 1;
    }
    return {};
  }

 private:
  Result<void> begin() {
    if (life_ != files_.lives_) return error_from_errno(EIO, "use", folder_.native());
    return files_.begin(folder_);
  }

  FakeFiles& files_;
  Path folder_;
  std::uint64_t life_;
  std::string content_;
};

class FakeLock final : public FileLock {
 public:
  FakeLock(FakeFiles& files, Path path)
      : files_(files), path_(std::move(path)), life_(files.lives_) {}
  FakeLock(const FakeLock&) = delete;
  FakeLock& operator=(const FakeLock&) = delete;
  ~FakeLock() override {
    const std::lock_guard lock(files_.mutex_);
    if (life_ == files_.lives_) files_.locked_.erase(path_);
  }

 private:
  FakeFiles& files_;
  Path path_;
  std::uint64_t life_;
};

FakeFiles::FakeFiles(const Clock& clock) : clock_(clock), directories_{".", "/"} {}
FakeFiles::~FakeFiles() = default;

Result<std::shared_ptr<FakeFiles::Inode>> FakeFiles::find(const Path& path,
                                                          std::string_view action) const {
  if (directories_.contains(path)) return error_from_errno(EISDIR, action, path.native());
  const auto at = names_.find(path);
  if (at == names_.end()) return error_from_errno(ENOENT, action, path.native());
  return at->second;
}

Result<void> FakeFiles::check_parent(const Path& path, std::string_view action) const {
  if (directories_.contains(parent_of(path))) return {};
  return error_from_errno(ENOENT, action, path.native());
}

Result<FileStatus> FakeFiles::status(const Path& raw_path) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  if (directories_.contains(path)) return FileStatus{FileKind::Directory, 0, clock_.wall()};
  HELVE_ASSIGN(const auto inode, find(path, "examine"));
  return FileStatus{FileKind::Regular, inode->content.size(), inode->modified};
}

Result<std::unique_ptr<ByteSource>> FakeFiles::open_read(const Path& raw_path) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  HELVE_ASSIGN(const auto inode, find(path, "read"));
  return std::make_unique<FakeSource>(inode->content);
}

Result<std::shared_ptr<const MappedFile>> FakeFiles::map(const Path& raw_path) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  HELVE_ASSIGN(const auto inode, find(path, "map"));
  return std::make_shared<const FakeMapping>(inode->content);
}

Result<std::unique_ptr<WritableFile>> FakeFiles::open_write(const Path& raw_path, WriteMode mode) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  HELVE_TRY(check_parent(path, "write"));
  if (directories_.contains(path)) return error_from_errno(EISDIR, "write", path.native());
  auto& inode = names_[path];
  if (inode != nullptr && mode == WriteMode::CreateNew) {
    return error_from_errno(EEXIST, "write", path.native());
  }
  if (inode == nullptr) inode = std::make_shared<Inode>();
  if (mode == WriteMode::Truncate) inode->content.clear();
  inode->modified = clock_.wall();
  return std::make_unique<FakeWritable>(*this, path, inode);
}

Result<std::unique_ptr<ScratchFile>> FakeFiles::make_scratch(const Path& raw_folder) {
  const std::lock_guard lock(mutex_);
  const Path folder = tidy(raw_folder);
  HELVE_TRY(begin(folder));
  if (!directories_.contains(folder)) {
    return error_from_errno(ENOENT, "make a file in", folder.native());
  }
  return std::make_unique<FakeScratch>(*this, folder);
}

std::size_t FakeFiles::scratch_files() const {
  const std::lock_guard lock(mutex_);
  return scratch_files_;
}

std::uint64_t FakeFiles::scratch_bytes() const {
  const std::lock_guard lock(mutex_);
  return scratch_bytes_;
}

std::uint64_t FakeFiles::syncs() const {
  const std::lock_guard lock(mutex_);
  return syncs_;
}

void FakeFiles::on_sync(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  on_sync_ = std::move(call);
}

void FakeFiles::tell_of_sync() {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    call = on_sync_;
  }
  if (call) call();
}

void FakeFiles::damage_scratch(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  scratch_damage_ = offset;
}

Result<void> FakeFiles::rename(const Path& from, const Path& to) { return move(from, to, true); }

Result<void> FakeFiles::rename_new(const Path& from, const Path& to) {
  return move(from, to, false);
}

Result<void> FakeFiles::move(const Path& raw_from, const Path& raw_to, bool replaces) {
  const std::lock_guard lock(mutex_);
  const Path from = tidy(raw_from);
  const Path to = tidy(raw_to);
  HELVE_TRY(begin(from));
  HELVE_ASSIGN(const auto inode, find(from, "rename"));
  HELVE_TRY(check_parent(to, "rename"));
  if (directories_.contains(to)) return error_from_errno(EISDIR, "rename", to.native());
  if (!replaces && names_.contains(to)) return error_from_errno(EEXIST, "rename", to.native());
  names_.erase(from);
  names_[to] = inode;
  return {};
}

Result<void> FakeFiles::remove(const Path& raw_path) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  if (directories_.contains(path)) {
    const auto is_inside = [&](const Path& other) {
      return other != path && parent_of(other) == path;
    };
    const bool is_used = std::any_of(directories_.begin(), directories_.end(), is_inside) ||
                         std::any_of(names_.begin(), names_.end(),
                                     [&](const auto& n) { return is_inside(n.first); });
    if (is_used) return error_from_errno(ENOTEMPTY, "remove", path.native());
    directories_.erase(path);
    return {};
  }
  HELVE_TRY(find(path, "remove"));
  names_.erase(path);
  return {};
}

Result<void> FakeFiles::sync_directory(const Path& raw_path) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  if (!directories_.contains(path)) {
    return error_from_errno(ENOENT, "sync directory", path.native());
  }
  std::erase_if(durable_names_, [&](const auto& name) { return parent_of(name.first) == path; });
  for (const auto& [name, inode] : names_) {
    if (parent_of(name) == path) durable_names_[name] = inode;
  }
  return {};
}

Result<void> FakeFiles::make_directories(const Path& raw_path) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  for (Path at = path; !directories_.contains(at); at = parent_of(at)) {
    if (names_.contains(at)) return error_from_errno(EEXIST, "make directory", at.native());
    directories_.insert(at);
  }
  return {};
}

Result<std::vector<Path>> FakeFiles::list(const Path& raw_directory) {
  const std::lock_guard lock(mutex_);
  const Path directory = tidy(raw_directory);
  HELVE_TRY(begin(directory));
  if (!directories_.contains(directory)) {
    return error_from_errno(ENOENT, "list", directory.native());
  }
  std::vector<Path> children;
  const auto add = [&](const Path& path) {
    if (path != directory && path.has_filename() && path != "." && parent_of(path) == directory) {
      children.push_back(path.filename());
    }
  };
  for (const auto& [name, inode] : names_) add(name);
  for (const Path& path : directories_) add(path);
  std::sort(children.begin(), children.end());
  return children;
}

Result<std::unique_ptr<FileLock>> FakeFiles::lock(const Path& raw_path) {
  const std::lock_guard guard(mutex_);
  const Path path = tidy(raw_path);
  HELVE_TRY(begin(path));
  HELVE_TRY(check_parent(path, "lock"));
  if (directories_.contains(path)) return error_from_errno(EISDIR, "lock", path.native());
  if (!locked_.insert(path).second) {
    return Error(ErrorCode::Unavailable, fmt::format("'{}' is locked", path.native()))
        .because(ErrorReason::Locked);
  }
  auto& inode = names_[path];
  if (inode == nullptr) inode = std::make_shared<Inode>();
  return std::make_unique<FakeLock>(*this, path);
}

void FakeFiles::put(const Path& raw_path, std::string content) {
  const std::lock_guard lock(mutex_);
  const Path path = tidy(raw_path);
  for (Path at = parent_of(path); directories_.insert(at).second;) at = parent_of(at);
  auto inode = std::make_shared<Inode>();
  inode->content = content;
  inode->synced = std::move(content);
  inode->modified = clock_.wall();
  names_[path] = inode;
  durable_names_[path] = inode;
}

std::optional<std::string> FakeFiles::content(const Path& path) const {
  const std::lock_guard lock(mutex_);
  const auto at = names_.find(tidy(path));
  if (at == names_.end()) return std::nullopt;
  return at->second->content;
}

void FakeFiles::deny(const Path& path) {
  const std::lock_guard lock(mutex_);
  denied_.insert(tidy(path));
}

void FakeFiles::crash() {
  const std::lock_guard lock(mutex_);
  begin_life();
  locked_.clear();
  names_ = durable_names_;
  for (const auto& [name, inode] : names_) inode->content = inode->synced;
}

}  // namespace helve
