// PagedOutput: standard output of an interactive command, through a pager where it is longer than
// the screen.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace helve::cli {

// $PAGER, or less; empty where that is switched off (PAGER set to nothing, or to cat).
std::string pager_command();

// Holds back what fits on the screen; with the first line that does not, starts the pager. flush()
// is the end of an answer: it waits until the pager is left.
class PagedOutput final : public ByteSink {
 public:
  // `out` gets what needs no pager. `lines_max`: of the screen; 0: never page.
  PagedOutput(ByteSink& out, std::string command, std::size_t lines_max);
  PagedOutput(const PagedOutput&) = delete;
  PagedOutput& operator=(const PagedOutput&) = delete;
  ~PagedOutput() override;

  // Cancelled for the reason OutputClosed when the reader has left the pager.
  Result<void> write(std::string_view bytes) override;
  Result<void> flush() override;

 private:
  Result<void> start();

  ByteSink& out_;
  std::string command_;
  std::size_t lines_max_;
  std::size_t lines_ = 0;
  std::string held_;
  std::FILE* pager_ = nullptr;
  std::unique_ptr<ByteSink> pipe_;
};

}  // namespace helve::cli
