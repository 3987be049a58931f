#include "tests/sandbox/host_world.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/check.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {

namespace {

constexpr std::string_view kSecret = "SECRET of the host\n";
constexpr const char* kSharedMemoryFile = "/dev/shm/planted-by-guest";

std::atomic<int> signals_seen{0};

void count_signal(int /*number*/) { signals_seen.fetch_add(1); }

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

int port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  HELVE_CHECK(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

int bind_loopback(int type) {
  const int socket = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  HELVE_CHECK(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  return socket;
}

std::string state_of(const std::filesystem::path& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return "gone";
  std::array<char, 256> attributes{};
  const ssize_t size = ::listxattr(path.c_str(), attributes.data(), attributes.size());
  return fmt::format("{:o} {} {} {} {} {}.{} {}", facts.st_mode, facts.st_uid, facts.st_gid,
                     facts.st_nlink, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec,
                     std::string(attributes.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
}

}  // namespace

HostWorld::HostWorld() : abstract_name_(fmt::format("helve-test-{}", ::getpid())) {
  ::setenv("SECRET_TOKEN", "SECRET of the environment", 1);
  struct sigaction action {};
  action.sa_handler = count_signal;
  ::sigaction(SIGUSR1, &action, nullptr);
  ::sigaction(SIGIO, &action, nullptr);
  ::sigaction(SIGURG, &action, nullptr);

  // Everybody may do anything with these: only the sandbox stands before them.
  const std::filesystem::path secret = folder_ / "secret.txt";
  std::ofstream(secret) << kSecret;
  HELVE_CHECK(::chmod(folder_.path().c_str(), 0777) == 0 && ::chmod(secret.c_str(), 0666) == 0);
  ::setxattr(secret.c_str(), "user.kept", "1", 1, 0);  // where the file system has them
  tcp_port_ = listen_tcp();
  udp_port_ = bind_udp();
  const std::string folder = folder_.path().string();
  for (const std::string& name : {folder + "/sock", std::string(1, '\0') + abstract_name_}) {
    HELVE_CHECK(::listen(bind_unix(SOCK_STREAM, name), 8) == 0);
  }
  bind_unix(SOCK_DGRAM, folder + "/datagram");
  bind_unix(SOCK_DGRAM, std::string(1, '\0') + abstract_name_ + "-datagram");
  start_neighbour();
  files_before_ = state_of_files();
}

HostWorld::~HostWorld() {
  for (const int socket : sockets_) ::close(socket);
}

int HostWorld::listen_tcp() {
  sockets_.push_back(bind_loopback(SOCK_STREAM));
  HELVE_CHECK(::listen(sockets_.back(), 8) == 0);
  return port_of(sockets_.back());
}

int HostWorld::bind_udp() {
  sockets_.push_back(bind_loopback(SOCK_DGRAM));
  return port_of(sockets_.back());
}

// A name that begins with a zero is an abstract one.
int HostWorld::bind_unix(int type, const std::string& name) {
  sockets_.push_back(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  HELVE_CHECK(name.size() < sizeof(address.sun_path));
  std::memcpy(&address.sun_path, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  HELVE_CHECK(::bind(sockets_.back(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  if (name.front() == '/') ::chmod(name.c_str(), 0777);
  return sockets_.back();
}

void HostWorld::start_neighbour() {
  auto started = Sandbox::start(with_chosen_python({}));
  HELVE_CHECK(started.has_value());
  neighbour_ = std::move(*started);
  Function drop_all;
  drop_all.name = "drop_all";
  drop_all.handler = [](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
    return FunctionValue{JsonValue("dropped"), {}};
  };
  HELVE_CHECK(neighbour_->register_tool(std::move(drop_all)).has_value());
  const auto told = neighbour_->execute(
      "import os\nopen('note', 'w').write('mine')\nprint(os.getpid())\nprint(os.getcwd(), end='')");
  HELVE_CHECK(told.has_value() && told->end == BlockEnd::Finished);
  const std::size_t line_end = told->output.find('\n');
  neighbour_pid_ = told->output.substr(0, line_end);
  neighbour_folder_ = told->output.substr(line_end + 1);
}

std::string HostWorld::with_places(std::string code) const {
  const std::string folder = folder_.path().string();
  replace_all(code, "@FOLDER@", folder);
  replace_all(code, "@TCP@", std::to_string(tcp_port_));
  replace_all(code, "@UDP@", std::to_string(udp_port_));
  replace_all(code, "@UNIX@", folder + "/sock");
  replace_all(code, "@UNIX_DATAGRAM@", folder + "/datagram");
  replace_all(code, "@ABSTRACT@", abstract_name_);
  replace_all(code, "@NEIGHBOUR@", neighbour_folder_);
  replace_all(code, "@NEIGHBOUR_PID@", neighbour_pid_);
  // The corpus beside the repository has fixed places.
  replace_all(code, "/srv/scratch/sbx", folder);
  replace_all(code, "45999", std::to_string(tcp_port_));
  replace_all(code, "45998", std::to_string(udp_port_));
  return code;
}

std::string HostWorld::state_of_files() const {
  std::string state;
  for (const std::string& name : names_in(folder_.path())) {
    state += name + " " + state_of(folder_ / name) + "\n";
  }
  std::ifstream file(folder_ / "secret.txt");
  return state + std::string(std::istreambuf_iterator<char>(file), {});
}

std::string HostWorld::state_of_neighbour() {
  const auto told = neighbour_->execute("open('note').read()");
  if (!told) return told.error().to_string();
  return told->value == "'mine'" ? "" : "its file says " + told->value;
}

std::string HostWorld::touched() {
  std::string text;
  for (const int socket : sockets_) {
    pollfd asked{socket, POLLIN, 0};
    while (::poll(&asked, 1, 0) > 0) {
      text += "somebody came to a socket; ";
      std::array<char, 256> ignored{};
      if (::recv(socket, ignored.data(), ignored.size(), MSG_DONTWAIT) >= 0) continue;
      ::close(::accept(socket, nullptr, nullptr));
    }
  }
  if (const int seen = signals_seen.exchange(0); seen != 0) {
    text += fmt::format("{} signals came; ", seen);
  }
  if (const std::string files = state_of_files(); files != files_before_) {
    text += "files were:\n" + files_before_ + "are:\n" + files;
    files_before_ = files;
  }
  if (::unlink(kSharedMemoryFile) == 0) text += "a file was in /dev/shm; ";
  if (const std::string state = state_of_neighbour(); !state.empty()) {
    text += "the other sandbox: " + state + "; ";
    start_neighbour();
  }
  return text;
}

}  // namespace helve::sandbox
