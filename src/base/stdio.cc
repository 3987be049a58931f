// Standard streams over plain descriptors.
#include "base/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "base/errno_error.h"
#include "base/fd.h"

namespace helve {

namespace {

constexpr int kPollSliceMs = 20;
constexpr std::size_t kBufferBytes = 64 * kKiB;

class FdSource final : public ByteSource {
 public:
  FdSource(int fd, std::string name, CancelToken cancel, Deadline deadline)
      : fd_(fd), name_(std::move(name)) {
    context_.cancel = std::move(cancel);
    context_.deadline = deadline;
  }

  Result<std::size_t> read(std::span<char> into) override {
    for (;;) {
      HELVE_TRY(context_.check());
      pollfd waiting{fd_, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, kPollSliceMs);
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      const auto [count, error] = read_fd(fd_, into);
      if (error == EAGAIN) continue;
      if (error != 0) return error_from_errno(error, "read", name_);
      return count;
    }
  }

 private:
  int fd_;
  std::string name_;
  OpContext context_;
};

class PatientSource final : public ByteSource {
 public:
  Result<std::size_t> read(std::span<char> into) override {
    for (;;) {
      const auto [count, error] = read_fd(STDIN_FILENO, into);
      if (error == 0) return count;
      if (error != EAGAIN) return error_from_errno(error, "read", "standard input");
      pollfd waiting{STDIN_FILENO, POLLIN, 0};
      ::poll(&waiting, 1, -1);
    }
  }
};

class FdSink final : public ByteSink {
 public:
  FdSink(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
    buffer_.reserve(kBufferBytes);
  }
  FdSink(const FdSink&) = delete;
  FdSink& operator=(const FdSink&) = delete;
  ~FdSink() override { (void)drain(); }

  Result<void> write(std::string_view bytes) override {
    if (buffer_.size() + bytes.size() > kBufferBytes) HELVE_TRY(drain());
    if (bytes.size() >= kBufferBytes) return put(bytes);
    buffer_.append(bytes);
    return {};
  }
  Result<void> flush() override { return drain(); }

 private:
  Result<void> drain() {
    auto outcome = put(buffer_);
    buffer_.clear();
    return outcome;
  }
  Result<void> put(std::string_view bytes) const {
    const int error = write_fd_fully(fd_, bytes);
    if (error == EPIPE) {
      return Error{ErrorCode::Cancelled, "the reader of the output has closed it"}.because(
          ErrorReason::OutputClosed);
    }
    if (error != 0) return error_from_errno(error, "write", name_);
    return {};
  }

  int fd_;
  std::string name_;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<ByteSource> fd_source(int fd, std::string name, CancelToken cancel,
                                      Deadline deadline) {
  return std::make_unique<FdSource>(fd, std::move(name), std::move(cancel), deadline);
}

std::unique_ptr<ByteSink> fd_sink(int fd, std::string name) {
  return std::make_unique<FdSink>(fd, std::move(name));
}

std::unique_ptr<ByteSource> stdin_source(CancelToken cancel, Deadline deadline) {
  return fd_source(STDIN_FILENO, "standard input", std::move(cancel), deadline);
}

std::unique_ptr<ByteSource> patient_stdin_source() { return std::make_unique<PatientSource>(); }

void end_with_stdin() {
  std::thread([] {
    pollfd waiting{STDIN_FILENO, 0, 0};
    while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) {
    }
    std::_Exit(0);
  }).detach();
}

std::unique_ptr<ByteSink> stdout_sink() { return fd_sink(STDOUT_FILENO, "standard output"); }

}  // namespace helve
