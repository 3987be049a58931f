#include "base/wait_fd.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/errno_error.h"

namespace helve {

Result<FdReady> wait_for_fd(int fd, bool wants_read, bool wants_write, const OpContext& context) {
  constexpr Duration kLook = std::chrono::milliseconds(20);
  pollfd wait{fd, 0, 0};
  if (wants_read) wait.events |= POLLIN;
  if (wants_write) wait.events |= POLLOUT;
  while (true) {
    HELVE_TRY(context.check());
    const Duration slice = std::min(kLook, context.deadline.remaining());
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(slice).count();
    const int ready = ::poll(&wait, 1, static_cast<int>(ms));
    if (ready > 0) {
      constexpr int kEnded = POLLHUP | POLLERR | POLLNVAL;
      const bool has_ended = (wait.revents & kEnded) != 0;
      return FdReady{has_ended || (wait.revents & POLLIN) != 0,
                     has_ended || (wait.revents & POLLOUT) != 0};
    }
    if (ready < 0 && errno != EINTR) return error_from_errno(errno, "wait for", "a connection");
  }
}

std::size_t readable_bytes(int fd) noexcept {
  int bytes = 0;
  if (::ioctl(fd, FIONREAD, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::size_t>(bytes);
}

void shut_down_socket(int fd) noexcept { ::shutdown(fd, SHUT_RDWR); }

}  // namespace helve
