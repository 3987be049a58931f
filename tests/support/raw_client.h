// RawClient: a client of tests that sends exactly the bytes it is given, and waits for answers with
// a limit.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"

namespace helve::mcp {

struct RawAnswer {
  int status = 0;                              // 0: none came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  bool is_stream() const { return header("content-type") == "text/event-stream"; }
};

class RawClient {
 public:
  static constexpr auto kPatience = std::chrono::seconds(20);

  explicit RawClient(std::uint16_t port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes != 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool is_connected() const { return is_connected_; }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Something has come that was not received yet.
  bool has_input() const {
    pollfd waiting{socket_, POLLIN, 0};
    return !buffer_.empty() || ::poll(&waiting, 1, 0) > 0;
  }

  // Waits until these bytes have come; nothing is taken away.
  bool receives(std::string_view bytes) {
    while (buffer_.find(bytes) == std::string::npos) {
      if (!fill()) return false;
    }
    return true;
  }

  // The next answer; of a stream its head alone.
  RawAnswer receive(bool has_body = true) {
    RawAnswer answer;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return {};
    }
    read_head(std::string_view(buffer_).substr(0, end + 2), answer);
    buffer_.erase(0, end + 4);
    if (answer.status == 100) return answer;
    is_chunked_ = answer.header("transfer-encoding") == "chunked";
    if (answer.is_stream() || !has_body) return answer;
    const std::size_t length = std::strtoull(answer.header("content-length").c_str(), nullptr, 10);
    while (buffer_.size() < length) {
      if (!fill()) return {};
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
  }

  // A server may have answered before it had read everything.
  RawAnswer ask(std::string_view bytes) {
    send(bytes);
    return receive();
  }

  // The next event of a stream, without the empty line; nullopt: the stream has ended, or nothing
  // came in time.
  std::optional<std::string> next_event() {
    for (;;) {
      const std::size_t end = events_.find("\n\n");
      if (end != std::string::npos) {
        std::string event = events_.substr(0, end);
        events_.erase(0, end + 2);
        return event;
      }
      if (!fill_events()) return std::nullopt;
    }
  }

  // The data of the next event that carries a message.
  std::optional<std::string> next_message() {
    while (const auto event = next_event()) {
      const std::size_t at = event->find("data: ");
      if (at != std::string::npos && event->size() > at + 6) return event->substr(at + 6);
    }
    return std::nullopt;
  }

  bool stream_has_ended() const { return has_ended_; }

  // Nothing more comes, and the other side has closed.
  bool is_closed_by_peer() {
    while (fill()) buffer_.clear();
    return has_eof_;
  }

 private:
  static void read_head(std::string_view head, RawAnswer& answer) {
    answer.status = std::atoi(std::string(head.substr(9, 3)).c_str());
    head.remove_prefix(head.find("\r\n") + 2);
    while (!head.empty()) {
      const std::size_t end = head.find("\r\n");
      const std::size_t colon = head.find(": ");
      answer.headers[ascii_lower(head.substr(0, colon))] =
          std::string(head.substr(colon + 2, end - colon - 2));
      head.remove_prefix(end + 2);
    }
  }

  bool fill() {
    if (has_eof_) return false;
    pollfd waiting{socket_, POLLIN, 0};
    const auto patience = std::chrono::milliseconds(kPatience).count();
    if (::poll(&waiting, 1, static_cast<int>(patience)) <= 0) return false;
    char bytes[16384];
    const ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (count <= 0) {
      has_eof_ = true;
      return false;
    }
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  bool fill_events() {
    if (has_ended_) return false;
    if (!is_chunked_) {
      const bool has_more = !buffer_.empty() || fill();
      events_ += std::exchange(buffer_, {});
      return has_more;
    }
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!fill()) return false;
    }
    const std::size_t size = std::strtoull(buffer_.c_str(), nullptr, 16);
    while (buffer_.size() < end + 2 + size + 2) {
      if (!fill()) return false;
    }
    events_ += buffer_.substr(end + 2, size);
    buffer_.erase(0, end + 2 + size + 2);
    has_ended_ = size == 0;
    return size != 0;
  }

  int socket_;
  bool is_connected_ = false;
  bool has_eof_ = false;
  bool has_ended_ = false;
  bool is_chunked_ = false;
  std::string buffer_;
  std::string events_;
};

}  // namespace helve::mcp
