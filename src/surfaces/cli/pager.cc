#include "surfaces/cli/pager.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/stdio.h"

namespace helve::cli {

std::string pager_command() {
  const char* const chosen = std::getenv("PAGER");
  if (chosen == nullptr) return "less";
  const std::string command = chosen;
  return command == "cat" ? "" : command;
}

PagedOutput::PagedOutput(ByteSink& out, std::string command, std::size_t lines_max)
    : out_(out), command_(std::move(command)), lines_max_(command_.empty() ? 0 : lines_max) {}

PagedOutput::~PagedOutput() {
  if (pager_ != nullptr) ::pclose(pager_);
}

Result<void> PagedOutput::write(std::string_view bytes) {
  if (pipe_ != nullptr) return pipe_->write(bytes);
  if (lines_max_ == 0) return out_.write(bytes);
  held_ += bytes;
  lines_ += static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  return lines_ >= lines_max_ ? start() : Result<void>();
}

Result<void> PagedOutput::start() {
  HELVE_TRY(out_.flush());
  // -R: colours, -S: wide tables are not folded, -X: what was seen stays on the screen. The user's
  // own settings come first.
  ::setenv("LESS", "-RSX", 0);
  pager_ = ::popen(command_.c_str(), "w");
  if (pager_ == nullptr) {
    lines_max_ = 0;
    return out_.write(std::exchange(held_, {}));
  }
  pipe_ = fd_sink(::fileno(pager_), "pager");
  return pipe_->write(std::exchange(held_, {}));
}

Result<void> PagedOutput::flush() {
  if (pipe_ == nullptr) {
    lines_ = 0;
    HELVE_TRY(out_.write(std::exchange(held_, {})));
    return out_.flush();
  }
  auto flushed = pipe_->flush();
  pipe_.reset();
  lines_ = 0;
  ::pclose(std::exchange(pager_, nullptr));
  return flushed;
}

}  // namespace helve::cli
