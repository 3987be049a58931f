// Waiting for descriptors of client libraries, within the deadline and the cancellation of a call.
#pragma once

#include <cstddef>

#include "base/op_context.h"
#include "base/result.h"

namespace helve {

struct FdReady {
  bool can_read = false;  // or the other side has gone: reading tells
  bool can_write = false;
};

// Waits until the descriptor can be read or written, as is wanted. LimitExceeded and Cancelled by
// the context, at most 20 ms late; Unavailable where it cannot be waited for.
Result<FdReady> wait_for_fd(int fd, bool wants_read, bool wants_write, const OpContext& context);

// Bytes that have come and were not read yet; 0 where that cannot be told.
std::size_t readable_bytes(int fd) noexcept;

// Ends a connection in both directions, so that whoever sits in a call on it comes back. Safe from
// other threads while the descriptor is open.
void shut_down_socket(int fd) noexcept;

}  // namespace helve
