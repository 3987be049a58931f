#include "agent/sandbox/channel.h"

#include <fmt/core.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "base/check.h"
#include "base/limits.h"

namespace helve::sandbox {

namespace {

constexpr std::size_t kHeadBytes = 4;
constexpr std::size_t kChannelReadBytes = 64 * kKiB;
constexpr std::size_t kChannelReadsMax = 4;

Error gone() { return {ErrorCode::Unavailable, "its end of the channel is closed"}; }

}  // namespace

void Channel::queue(std::string_view message) {
  HELVE_CHECK(message.size() <= UINT32_MAX);
  for (int shift = 24; shift >= 0; shift -= 8) {
    unsent_.push_back(static_cast<char>((message.size() >> shift) & 0xff));
  }
  unsent_ += message;
}

Result<void> Channel::send() {
  while (has_unsent()) {
    const ssize_t count =
        ::send(fd_, unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return {};
    } else if (errno != EINTR) {
      return gone();
    }
  }
  unsent_.clear();
  if (unsent_.capacity() > kMiB) unsent_.shrink_to_fit();
  sent_ = 0;
  return {};
}

Result<void> Channel::receive() {
  std::array<char, kChannelReadBytes> buffer;
  for (std::size_t reads = 0; reads < kChannelReadsMax; ++reads) {
    const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (count <= 0) return gone();
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    HELVE_TRY(check_length());
    if (static_cast<std::size_t>(count) < buffer.size()) return {};
  }
  return {};
}

std::optional<std::size_t> Channel::length_of_next() const {
  if (received_.size() - taken_ < kHeadBytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kHeadBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(received_[taken_ + i]);
  }
  return length;
}

Result<void> Channel::check_length() const {
  const auto length = length_of_next();
  if (!length || *length <= message_bytes_max_) return {};
  return Error{ErrorCode::LimitExceeded,
               fmt::format("it sent a message of {} bytes, and {} are allowed", *length,
                           message_bytes_max_)};
}

bool Channel::has_next() const {
  const auto length = length_of_next();
  return length && received_.size() - taken_ - kHeadBytes >= *length;
}

std::optional<std::string> Channel::next() {
  if (!has_next()) return std::nullopt;
  const std::size_t length = *length_of_next();
  std::string message = received_.substr(taken_ + kHeadBytes, length);
  taken_ += kHeadBytes + length;
  if (taken_ == received_.size()) {
    received_.clear();
    if (received_.capacity() > kMiB) received_.shrink_to_fit();
    taken_ = 0;
  } else if (taken_ > kMiB) {
    received_.erase(0, taken_);
    taken_ = 0;
  }
  return message;
}

}  // namespace helve::sandbox
