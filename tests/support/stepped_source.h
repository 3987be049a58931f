// A ByteSource that gives a few bytes at a time, to meet every boundary a reader can meet.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/bytes.h"

namespace helve::test {

class SteppedSource final : public ByteSource {
 public:
  // Gives 1 ... step_max bytes, in turn when `varies`, else step_max each time.
  SteppedSource(std::string_view text, std::size_t step_max, bool varies = false)
      : rest_(text), step_max_(step_max), step_(varies ? 1 : step_max), varies_(varies) {}

  Result<std::size_t> read(std::span<char> into) override {
    ++calls_;
    const std::size_t count = std::min({step_, into.size(), rest_.size()});
    std::copy_n(rest_.data(), count, into.data());
    rest_.remove_prefix(count);
    if (varies_) step_ = step_ % step_max_ + 1;
    return count;
  }

  int calls() const { return calls_; }

 private:
  std::string_view rest_;
  std::size_t step_max_;
  std::size_t step_;
  bool varies_;
  int calls_ = 0;
};

}  // namespace helve::test
