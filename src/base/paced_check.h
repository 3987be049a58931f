// PacedCheck: OpContext::check() by amount of work. Counting statements is not enough where one
// statement can be megabytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/op_context.h"

namespace helve {

// Not thread-safe. The context must outlive it.
class PacedCheck {
 public:
  // Work is counted in bytes touched, roughly: this much is done in well under 10 ms.
  static constexpr std::uint64_t kWorkPerCheck = 1 << 20;
  // What an item costs beside its bytes.
  static constexpr std::uint64_t kWorkPerItem = 256;

  explicit PacedCheck(const OpContext& context) : context_(&context) {}

  Result<void> add(std::uint64_t bytes, std::uint64_t items = 1) {
    work_ += bytes + items * kWorkPerItem;
    if (work_ < kWorkPerCheck) [[likely]]
      return {};
    work_ = 0;
    return context_->check();
  }

 private:
  const OpContext* context_;
  std::uint64_t work_ = 0;
};

}  // namespace helve
