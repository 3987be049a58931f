// Files in memory that several writers share.
#include "tests/support/fake_shared_files.h"

#include <algorithm>
#include <cerrno>

#include "base/errno_error.h"

namespace helve {

class FakeSharedFile final : public SharedFile {
 public:
  FakeSharedFile(FakeSharedFiles& files, std::filesystem::path path,
                 std::shared_ptr<FakeSharedFiles::Inode> inode)
      : files_(files), path_(std::move(path)), inode_(std::move(inode)), life_(files.lives_) {}
  FakeSharedFile(const FakeSharedFile&) = delete;
  FakeSharedFile& operator=(const FakeSharedFile&) = delete;
  ~FakeSharedFile() override { unlock(); }

  Result<bool> try_lock() override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    if (inode_->holder != nullptr && inode_->holder != this) return false;
    inode_->holder = this;
    return true;
  }
  void unlock() override {
    const std::lock_guard lock(files_.mutex_);
    if (inode_->holder == this) inode_->holder = nullptr;
  }
  Result<bool> is_at_path() override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    const auto at = files_.names_.find(path_);
    return at != files_.names_.end() && at->second == inode_;
  }
  Result<std::uint64_t> size() override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    return std::uint64_t{inode_->content.size()};
  }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    if (offset >= inode_->content.size()) return std::size_t{0};
    return inode_->content.copy(into.data(), into.size(), static_cast<std::size_t>(offset));
  }
  Result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    const std::lock_guard lock(files_.mutex_);
    auto begun = begin();
    if (!begun) bytes = bytes.substr(0, bytes.size() / 2);
    const std::uint64_t end = offset + bytes.size();
    const std::uint64_t grown = end > inode_->content.size() ? end - inode_->content.size() : 0;
    if (const std::uint64_t granted = files_.grant_bytes(grown); granted < grown) {
      bytes.remove_suffix(static_cast<std::size_t>(grown - granted));
      if (begun) begun = error_from_errno(ENOSPC, "write", path_.native());
    }
    if (life_ != files_.lives_) return begun;
    std::string& content = inode_->content;
    content.resize(std::max(content.size(), static_cast<std::size_t>(offset) + bytes.size()));
    content.replace(static_cast<std::size_t>(offset), bytes.size(), bytes);
    return begun;
  }
  Result<void> cut(std::uint64_t size) override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    inode_->content.resize(static_cast<std::size_t>(size));
    return {};
  }
  Result<void> sync() override {
    const std::lock_guard lock(files_.mutex_);
    HELVE_TRY(begin());
    ++files_.syncs_;
    inode_->synced = inode_->content;
    return {};
  }

 private:
  Result<void> begin() {
    if (life_ != files_.lives_) return error_from_errno(EIO, "use", path_.native());
    return files_.begin(path_);
  }

  FakeSharedFiles& files_;
  std::filesystem::path path_;
  std::shared_ptr<FakeSharedFiles::Inode> inode_;
  std::uint64_t life_;
};

Result<std::unique_ptr<SharedFile>> FakeSharedFiles::open(const Path& path, SharedFileMode mode) {
  const std::lock_guard lock(mutex_);
  HELVE_TRY(begin(path));
  const auto at = names_.find(path);
  if (at == names_.end() &&
      (mode == SharedFileMode::Read || path.native().starts_with("absent/"))) {
    return error_from_errno(ENOENT, "open", path.native());
  }
  auto& inode = names_[path];
  if (inode == nullptr) inode = std::make_shared<Inode>();
  return std::make_unique<FakeSharedFile>(*this, path, inode);
}

void FakeSharedFiles::put(const Path& path, std::string content) {
  const std::lock_guard lock(mutex_);
  auto inode = std::make_shared<Inode>();
  inode->content = content;
  inode->synced = std::move(content);
  names_[path] = std::move(inode);
}

std::optional<std::string> FakeSharedFiles::content(const Path& path) const {
  const std::lock_guard lock(mutex_);
  const auto at = names_.find(path);
  if (at == names_.end()) return std::nullopt;
  return at->second->content;
}

void FakeSharedFiles::rename(const Path& from, const Path& to) {
  const std::lock_guard lock(mutex_);
  names_[to] = names_.at(from);
  names_.erase(from);
}

void FakeSharedFiles::remove(const Path& path) {
  const std::lock_guard lock(mutex_);
  names_.erase(path);
}

std::uint64_t FakeSharedFiles::syncs() const {
  const std::lock_guard lock(mutex_);
  return syncs_;
}

void FakeSharedFiles::deny(const Path& path) {
  const std::lock_guard lock(mutex_);
  denied_.insert(path);
}

void FakeSharedFiles::crash() {
  const std::lock_guard lock(mutex_);
  begin_life();
  for (const auto& [path, inode] : names_) {
    inode->content = inode->synced;
    inode->holder = nullptr;
  }
}

}  // namespace helve
