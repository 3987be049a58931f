// Many HTTP clients at once, each sending its next request when the last one is answered:
//   helve_mcp_load ADDRESS PORT CLIENTS SECONDS REQUESTS
// REQUESTS is a file of blocks: a line "NAME LENGTH", then LENGTH bytes of one HTTP request in
// which ten @ are replaced by a number of ten digits that never comes twice. Prints one JSON
// object. load.py makes the file, starts the server and judges.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kMark = "@@@@@@@@@@";
constexpr int kWaitMs = 100;
constexpr std::size_t kShownMax = 300;

struct Kind {
  std::string name;
  std::string bytes;
};

struct Counts {
  std::uint64_t ok = 0, busy = 0, tool_errors = 0, errors = 0, reconnects = 0;
  std::string first_error;
  std::map<std::string, std::vector<double>> micros;
};

std::vector<Kind> read_kinds(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<Kind> kinds;
  std::string name;
  std::size_t length = 0;
  while (in >> name >> length) {
    in.get();
    std::string bytes(length, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(length));
    kinds.push_back({name, std::move(bytes)});
  }
  return kinds;
}

// The value of a header, by its name in lower case with the colon.
std::string_view header(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const bool is_it = line.size() >= name.size() &&
                       std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
                         return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + 32) : b);
                       });
    if (is_it) {
      const std::string_view value = line.substr(name.size());
      const std::size_t begin = value.find_first_not_of(' ');
      return begin == std::string_view::npos ? std::string_view() : value.substr(begin);
    }
    at = head.find("\r\n", at + 2);
  }
  return {};
}

// The bytes of a chunked body with its frames; nullopt: not all is there.
std::optional<std::size_t> chunked_size(std::string_view body) {
  std::size_t at = 0;
  while (true) {
    const std::size_t end = body.find("\r\n", at);
    if (end == std::string_view::npos) return std::nullopt;
    const std::size_t size =
        std::strtoul(std::string(body.substr(at, end - at)).c_str(), nullptr, 16);
    at = end + 2 + size + 2;
    if (body.size() < at) return std::nullopt;
    if (size == 0) return at;
  }
}

// The bytes of a whole response at the start of `held`; nullopt: not all is there.
std::optional<std::size_t> response_size(std::string_view held) {
  const std::size_t end = held.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = held.substr(0, end + 2);
  if (header(head, "transfer-encoding:") == "chunked") {
    const auto size = chunked_size(held.substr(end + 4));
    return size ? std::optional(end + 4 + *size) : std::nullopt;
  }
  const std::string length(header(head, "content-length:"));
  const std::size_t all = end + 4 + std::strtoul(length.c_str(), nullptr, 10);
  return held.size() < all ? std::nullopt : std::optional(all);
}

class Client {
 public:
  Client(const sockaddr_in& address, const std::vector<Kind>& kinds, std::size_t seed)
      : address_(address), kinds_(kinds), state_(seed * 7919 + 1) {}

  int descriptor() const { return socket_; }
  bool is_waiting() const { return !out_.empty() || is_asked_; }

  bool connect_again() {
    if (socket_ >= 0) close(socket_);
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0) {
      return false;
    }
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(socket_, F_SETFL, O_NONBLOCK);
    held_.clear();
    return true;
  }

  void ask(std::uint64_t number) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    kind_ = static_cast<std::size_t>(state_ >> 33) % kinds_.size();
    out_ = kinds_[kind_].bytes;
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "%010llu",
                  static_cast<unsigned long long>(number % 10'000'000'000U));
    for (std::size_t at = out_.find(kMark); at != std::string::npos; at = out_.find(kMark, at)) {
      out_.replace(at, kMark.size(), digits.data(), kMark.size());
    }
    is_asked_ = true;
    begun_ = Clock::now();
    push();
  }

  // false: the connection is gone.
  bool push() {
    while (!out_.empty()) {
      const ssize_t count = send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL);
      if (count < 0) return errno == EAGAIN || errno == EINTR;
      out_.erase(0, static_cast<std::size_t>(count));
    }
    return true;
  }

  bool pull() {
    std::array<char, 65536> piece;
    while (true) {
      const ssize_t count = recv(socket_, piece.data(), piece.size(), 0);
      if (count > 0) held_.append(piece.data(), static_cast<std::size_t>(count));
      if (count == 0) return false;
      if (count < 0) return errno == EAGAIN || errno == EINTR;
    }
  }

  // Whether the answer is there; then it is counted.
  bool finish(Counts& counts) {
    const auto size = response_size(held_);
    if (!size) return false;
    const std::string response = held_.substr(0, *size);
    held_.erase(0, *size);
    is_asked_ = false;
    const std::chrono::duration<double, std::micro> took = Clock::now() - begun_;
    counts.micros[kinds_[kind_].name].push_back(took.count());
    judge(response, counts);
    return true;
  }

  void fail(const char* why, Counts& counts) {
    is_asked_ = false;
    out_.clear();
    ++counts.errors;
    if (counts.first_error.empty()) counts.first_error = kinds_[kind_].name + ": " + why;
  }

 private:
  void judge(const std::string& response, Counts& counts) {
    const bool is_ok = response.compare(0, 12, "HTTP/1.1 200") == 0;
    const bool is_busy = response.compare(0, 12, "HTTP/1.1 503") == 0 ||
                         response.find("\"code\":-31000") != std::string::npos;
    if (is_busy) {
      ++counts.busy;
    } else if (!is_ok || response.find("\"result\":") == std::string::npos) {
      fail(response.substr(0, kShownMax).c_str(), counts);
    } else if (response.find("\"isError\":true") != std::string::npos) {
      ++counts.tool_errors;
      if (counts.first_error.empty()) counts.first_error = response.substr(0, 4 * kShownMax);
    } else {
      ++counts.ok;
    }
  }

  sockaddr_in address_;
  const std::vector<Kind>& kinds_;
  std::uint64_t state_;
  int socket_ = -1;
  std::size_t kind_ = 0;
  bool is_asked_ = false;
  std::string out_, held_;
  Clock::time_point begun_;
};

class Load {
 public:
  Load(const sockaddr_in& address, const std::vector<Kind>& kinds, std::size_t clients)
      : poll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < clients; ++i) clients_.emplace_back(address, kinds, i);
  }

  bool begin() {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (!open(i)) return false;
    }
    for (Client& client : clients_) client.ask(++number_);
    return true;
  }

  void run(double seconds) {
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
    const auto patience = end + std::chrono::seconds(60);
    const auto is_over = [&] {
      return Clock::now() >= end && std::none_of(clients_.begin(), clients_.end(),
                                                 [](auto& one) { return one.is_waiting(); });
    };
    std::array<epoll_event, 64> events;
    while (!is_over() && Clock::now() < patience) {
      const int count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), kWaitMs);
      for (int i = 0; i < count; ++i) {
        step(events[static_cast<std::size_t>(i)].data.u64, Clock::now() < end);
      }
    }
    for (Client& client : clients_) {
      if (client.is_waiting()) client.fail("no answer within a minute of the end", counts_);
    }
  }

  Counts& counts() { return counts_; }

 private:
  bool open(std::size_t i) {
    if (!clients_[i].connect_again()) return false;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    return epoll_ctl(poll_, EPOLL_CTL_ADD, clients_[i].descriptor(), &event) == 0;
  }

  void step(std::size_t i, bool goes_on) {
    Client& client = clients_[i];
    const bool is_open = client.pull() && client.push();
    const bool is_done = client.finish(counts_);
    if (!is_open) {
      if (!is_done && client.is_waiting()) client.fail("the server hung up", counts_);
      ++counts_.reconnects;
      if (!open(i)) return;
    }
    if (goes_on && !client.is_waiting()) client.ask(++number_);
  }

  int poll_;
  std::vector<Client> clients_;
  std::uint64_t number_ = 0;
  Counts counts_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= ' ' && c < 127 ? c : ' ';
  }
  return out + '"';
}

std::string times(std::vector<double>& micros) {
  std::sort(micros.begin(), micros.end());
  const auto at = [&](double share) {
    const auto place = static_cast<std::size_t>(share * static_cast<double>(micros.size()));
    return micros[std::min(place, micros.size() - 1)];
  };
  std::array<char, 200> line{};
  std::snprintf(line.data(), line.size(),
                R"({"n":%zu,"p50_us":%.1f,"p90_us":%.1f,"p99_us":%.1f,"max_us":%.1f})",
                micros.size(), at(0.5), at(0.9), at(0.99), micros.back());
  return line.data();
}

void report(Counts& counts, double seconds) {
  std::vector<double> all;
  std::string kinds;
  for (auto& [name, micros] : counts.micros) {
    all.insert(all.end(), micros.begin(), micros.end());
    kinds += (kinds.empty() ? "" : ",") + quoted(name) + ":" + times(micros);
  }
  if (all.empty()) all.push_back(0);
  std::printf(
      R"({"seconds":%.2f,"ok":%llu,"busy":%llu,"tool_errors":%llu,"errors":%llu,"reconnects":%llu,)"
      R"("first_error":%s,"all":%s,"kinds":{%s}})"
      "\n",
      seconds, static_cast<unsigned long long>(counts.ok),
      static_cast<unsigned long long>(counts.busy),
      static_cast<unsigned long long>(counts.tool_errors),
      static_cast<unsigned long long>(counts.errors),
      static_cast<unsigned long long>(counts.reconnects), quoted(counts.first_error).c_str(),
      times(all).c_str(), kinds.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: helve_mcp_load ADDRESS PORT CLIENTS SECONDS REQUESTS\n", stderr);
    return 2;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[2])));
  const auto kinds = read_kinds(argv[5]);
  if (inet_pton(AF_INET, argv[1], &address.sin_addr) != 1 || kinds.empty()) return 2;
  Load load(address, kinds, static_cast<std::size_t>(std::atoi(argv[3])));
  if (!load.begin()) {
    std::fputs("helve_mcp_load: cannot connect\n", stderr);
    return 1;
  }
  const double seconds = std::atof(argv[4]);
  load.run(seconds);
  report(load.counts(), seconds);
  return 0;
}
