// Deadlines and the per-batch check.
#include "base/op_context.h"

namespace helve {

Duration Deadline::remaining() const {
  if (clock_ == nullptr) return Duration::max();
  const MonotonicTime now = clock_->now();
  return now >= at_ ? Duration::zero() : Duration(at_ - now);
}

Result<void> OpContext::check() const {
  if (meter != nullptr) meter->note();
  if (cancel.is_cancelled()) [[unlikely]] {
    return Error{ErrorCode::Cancelled, "the operation was cancelled"};
  }
  if (deadline.has_passed()) [[unlikely]] {
    return Error{ErrorCode::LimitExceeded, "the deadline has passed",
                 "allow more time or ask for less"};
  }
  return {};
}

}  // namespace helve
