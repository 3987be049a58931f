// UniqueFd and the calls on file descriptors that survive interruption. Neighbours: files_posix.cc,
// stdio.cc and process_posix.cc, which build on it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace helve {

// Owns a file descriptor; closed on destruction. Move-only.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset() noexcept;
  // Closes and gives errno, or 0: a write that was accepted may still fail here (NFS, quotas).
  int close() noexcept;

 private:
  int fd_ = -1;
};

// The outcome of a system call: `count` bytes were moved, unless error (an errno) is not 0.
struct IoOutcome {
  std::size_t count = 0;
  int error = 0;
};

// One read(2), repeated on EINTR. On a non-blocking descriptor EAGAIN is an outcome.
IoOutcome read_fd(int fd, std::span<char> into);

// One write(2), repeated on EINTR. A reader that has gone is EPIPE, never a SIGPIPE, whatever the
// process does with that signal.
IoOutcome write_fd(int fd, std::string_view bytes);

// write_fd until everything is written, waiting where the descriptor is non-blocking. 0 or errno.
int write_fd_fully(int fd, std::string_view bytes);

}  // namespace helve
