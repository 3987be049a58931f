#include "surfaces/cli/output_file.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace helve::cli {

namespace fs = std::filesystem;

Result<OutputFile> OutputFile::create(Env& env, const std::string& path) {
  OutputFile out(env, path);
  const auto status = env.files().status(path);
  if (status && status->kind == FileKind::Directory) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} is a folder", path),
                 "name a file to write"};
  }
  if (status && status->kind == FileKind::Other) {
    HELVE_ASSIGN(out.file_, env.files().open_write(path, WriteMode::Truncate));
    return out;
  }
  std::error_code failed;
  if (fs::is_symlink(path, failed)) {
    const fs::path target = fs::canonical(path, failed);
    if (!failed) out.path_ = target.native();
  }
  if (auto opened = out.open_draft(); !opened) return out.explained(std::move(opened).error());
  return out;
}

Result<void> OutputFile::open_draft() {
  std::error_code failed;
  const fs::perms permissions = fs::status(path_, failed).permissions();
  // In the same folder, for a rename does not cross file systems.
  draft_ = path_ + "." + env_->random().hex(4) + ".part";
  HELVE_ASSIGN(file_, env_->files().open_write(draft_, WriteMode::CreateNew));
  // Before the first byte: a file that others may not read must not become readable on the way.
  if (fs::exists(path_, failed)) fs::permissions(draft_, permissions, failed);
  return {};
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  file_.reset();
  // The conversion has failed already; a draft that stays is not worth a second error.
  if (!draft_.empty()) static_cast<void>(env_->files().remove(draft_));
}

Result<void> OutputFile::finish() {
  if (auto completed = complete(); !completed) return explained(std::move(completed).error());
  file_.reset();
  return {};
}

Result<void> OutputFile::complete() {
  if (draft_.empty()) return file_->close();
  HELVE_TRY(file_->sync());
  HELVE_TRY(file_->close());
  return env_->files().rename(draft_, path_);
}

Error OutputFile::explained(Error error) const {
  const std::size_t at = draft_.empty() ? std::string::npos : error.message.find(draft_);
  if (at != std::string::npos) error.message.replace(at, draft_.size(), path_);
  return error;
}

}  // namespace helve::cli
