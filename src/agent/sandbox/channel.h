// Messages on a descriptor that is not trusted: four bytes of length, most significant first, then
// as many bytes. Never waits. Neighbour: guest.py has the other end.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::sandbox {

class Channel {
 public:
  // The descriptor is non-blocking and outlives it.
  Channel(int fd, std::size_t message_bytes_max) : fd_(fd), message_bytes_max_(message_bytes_max) {}

  void queue(std::string_view message);
  void queue_raw(std::string_view bytes) { unsent_ += bytes; }
  bool has_unsent() const { return sent_ < unsent_.size(); }

  // Sends as much as can be sent. Unavailable where the other end is closed.
  Result<void> send();
  // Takes in what has come, up to some 256 KiB. Unavailable at the end of it; LimitExceeded where a
  // message is said to be longer than it may be.
  Result<void> receive();
  // The next whole message, in the order of sending.
  std::optional<std::string> next();
  bool has_next() const;

 private:
  Result<void> check_length() const;
  std::optional<std::size_t> length_of_next() const;

  const int fd_;
  const std::size_t message_bytes_max_;
  std::string unsent_;
  std::size_t sent_ = 0;
  std::string received_;
  std::size_t taken_ = 0;  // of received_
};

}  // namespace helve::sandbox
