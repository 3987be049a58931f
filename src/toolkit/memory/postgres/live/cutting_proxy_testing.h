// CuttingProxy: stands between a bank and its server, and cuts the connection at the next COMMIT.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/temp_directory.h"

namespace helve::memory {

enum class Cut : std::uint8_t { None, BeforeCommit, BehindCommit };

class CuttingProxy {
 public:
  explicit CuttingProxy(const std::string& server_folder)
      : server_(server_folder + "/.s.PGSQL.5432"), listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    const sockaddr_un address = address_of((folder_ / ".s.PGSQL.5432").string());
    (void)::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    (void)::listen(listener_, 16);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~CuttingProxy() {
    is_ended_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& one : connections_) one.join();
    ::close(listener_);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::string folder() const { return folder_.path().string(); }
  // At the next COMMIT, and then no more.
  void cut(Cut how) { cut_ = how; }
  bool has_cut() const { return cut_ == Cut::None; }

 private:
  // The whole text: READ COMMITTED is none.
  static constexpr std::string_view kStatement{"\0COMMIT\0", 8};

  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }

  void accept_all() {
    while (!is_ended_) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) continue;
      connections_.emplace_back([this, client] { serve(client); });
    }
  }

  void serve(int client) {
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un address = address_of(server_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      while (!is_ended_ && pass_on(client, server)) {
      }
    }
    ::close(client);
    ::close(server);
  }

  bool pass_on(int client, int server) {
    std::array<pollfd, 2> ends = {pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (::poll(ends.data(), ends.size(), 20) <= 0) return true;
    for (const pollfd& end : ends) {
      if (end.revents == 0) continue;
      const bool is_client = end.fd == client;
      std::array<char, 65'536> bytes{};
      const ssize_t count = ::read(end.fd, bytes.data(), bytes.size());
      if (count <= 0) return false;
      const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
      const bool is_commit = is_client && text.find(kStatement) != std::string_view::npos;
      const Cut how = is_commit ? cut_.exchange(Cut::None) : Cut::None;
      if (how == Cut::BeforeCommit) return false;
      if (::write(is_client ? server : client, bytes.data(), text.size()) < 0) return false;
      if (how == Cut::BehindCommit) {
        wait_for_commit(server);
        return false;
      }
    }
    return true;
  }

  static void wait_for_commit(int server) {
    std::string answer;
    std::array<char, 4'096> bytes{};
    while (answer.find(kStatement.substr(1)) == std::string::npos) {
      const ssize_t count = ::read(server, bytes.data(), bytes.size());
      if (count <= 0) return;
      answer.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }

  TempDirectory folder_;
  const std::string server_;
  const int listener_;
  std::atomic<Cut> cut_{Cut::None};
  std::atomic<bool> is_ended_{false};
  std::thread acceptor_;
  std::vector<std::thread> connections_;
};

}  // namespace helve::memory
