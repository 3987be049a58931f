// WireTester: one connection without a network: a Wire on one end of a socket pair, its client on
// the other. For wire_test.cc and the fuzz target of requests.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "surfaces/http/wire.h"

namespace helve::http {

// Answers every request at once, with its target in a header.
class EchoOwner : public WireOwner {
 public:
  Answer refusal(int status, std::string message) override {
    return {status, std::move(message), "text/plain"};
  }
  std::optional<Answer> check(const WebRequest& /*head*/) override { return std::nullopt; }
  void handle(const std::shared_ptr<Wire>& wire, WebRequest request) override {
    requests.push_back(std::string(view(request.method_string())) + " " +
                       std::string(view(request.target())) + "\n" + request.body());
    Answer answer;
    answer.content_type = "text/plain";
    answer.headers = {{"X-Target", std::string(view(request.target()))}};
    if (!header_value.empty()) answer.headers.emplace_back("X-More", header_value);
    wire->respond(std::move(answer));
  }
  void refused(std::string_view why) override { refusals.emplace_back(why); }
  void closed(const std::shared_ptr<Wire>& /*wire*/) override { is_closed = true; }

  std::string header_value;  // of another header of each answer
  std::vector<std::string> requests;
  std::vector<std::string> refusals;
  bool is_closed = false;
};

class WireTester {
 public:
  explicit WireTester(WireOwner& owner, const WireOptions& options = {}) : options_(options) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    client_ = ends[0];
    static_cast<void>(::fcntl(client_, F_SETFL, O_NONBLOCK));
    boost::asio::ip::tcp::socket socket(loop_);
    socket.assign(boost::asio::ip::tcp::v4(), ends[1]);
    wire_ = std::make_shared<Wire>(std::move(socket), options_, owner);
    wire_->start();
  }
  ~WireTester() {
    wire_->cut();
    loop_.poll();
    if (client_ >= 0) ::close(client_);
  }
  WireTester(const WireTester&) = delete;
  WireTester& operator=(const WireTester&) = delete;

  // Sends in pieces of so many bytes; false: the server no longer reads.
  bool send(std::string_view bytes, std::size_t piece = 4'096) {
    while (!bytes.empty()) {
      const ::ssize_t sent =
          ::send(client_, bytes.data(), std::min(piece, bytes.size()), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      settle();
    }
    return true;
  }
  void end_sending() {
    ::shutdown(client_, SHUT_WR);
    settle();
  }
  // All that the server has answered so far.
  const std::string& answers() const { return answers_; }

 private:
  // Until nothing is left to do.
  void settle() {
    std::array<char, 4'096> bytes{};
    for (int quiet = 0; quiet < 2;) {
      loop_.restart();
      const std::size_t handled = loop_.poll();
      const ::ssize_t count = ::recv(client_, bytes.data(), bytes.size(), 0);
      if (count > 0) answers_.append(bytes.data(), static_cast<std::size_t>(count));
      quiet = handled == 0 && count <= 0 ? quiet + 1 : 0;
    }
  }

  WireOptions options_;
  boost::asio::io_context loop_;
  int client_ = -1;
  std::shared_ptr<Wire> wire_;
  std::string answers_;
};

}  // namespace helve::http
