// File descriptors: interruption, partial writes and broken pipes handled once.
#include "base/fd.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace helve {

namespace {

// The kernel moves at most this much per call anyway (read(2), NOTES).
constexpr std::size_t kBytesPerCallMax = 0x7ffff000;

// Holds SIGPIPE back on this thread and swallows one that a write raised meanwhile: also a write
// that moved some bytes before the reader left raises it. Per thread, so that a library user's own
// handling of the signal stays as it is.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&only_pipe_);
    sigaddset(&only_pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &only_pipe_, &before_);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;
  ~SigpipeGuard() {
    if (!was_pending_) {
      const timespec no_wait{};
      while (sigtimedwait(&only_pipe_, nullptr, &no_wait) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t only_pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

void UniqueFd::reset() noexcept { (void)close(); }

int UniqueFd::close() noexcept {
  if (fd_ < 0) return 0;
  // Linux frees the descriptor even when close() is interrupted: never repeat it.
  const int outcome = ::close(std::exchange(fd_, -1));
  return outcome == 0 || errno == EINTR ? 0 : errno;
}

IoOutcome read_fd(int fd, std::span<char> into) {
  for (;;) {
    const ssize_t n = ::read(fd, into.data(), std::min(into.size(), kBytesPerCallMax));
    if (n >= 0) return {static_cast<std::size_t>(n), 0};
    if (errno != EINTR) return {0, errno};
  }
}

IoOutcome write_fd(int fd, std::string_view bytes) {
  const SigpipeGuard guard;
  for (;;) {
    const ssize_t n = ::write(fd, bytes.data(), std::min(bytes.size(), kBytesPerCallMax));
    if (n >= 0) return {static_cast<std::size_t>(n), 0};
    if (errno != EINTR) return {0, errno};
  }
}

int write_fd_fully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto [count, error] = write_fd(fd, bytes);
    if (error == EAGAIN) {
      pollfd waiting{fd, POLLOUT, 0};
      (void)::poll(&waiting, 1, -1);
      continue;
    }
    if (error != 0) return error;
    bytes.remove_prefix(count);
  }
  return 0;
}

}  // namespace helve
