#include "surfaces/http/listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>

namespace helve::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto kTick = std::chrono::milliseconds(200);
constexpr auto kQuietTick = std::chrono::seconds(5);  // with no connection there is little to watch
constexpr auto kPollStop = std::chrono::milliseconds(2);
constexpr Duration kInterruptTime = std::chrono::milliseconds(500);  // at least

Result<asio::ip::address> read_address(const std::string& host) {
  boost::system::error_code error;
  auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error) {
    return Error{ErrorCode::InvalidInput, "not an address to listen on: '" + host + "'",
                 "write 127.0.0.1, ::1, or the address of an interface"};
  }
  return address;
}

Result<void> listen(tcp::acceptor& acceptor, const tcp::endpoint& where) {
  boost::system::error_code error;
  acceptor.open(where.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(where, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (!error) return {};
  const bool is_denied = error == asio::error::access_denied;
  return Error{is_denied ? ErrorCode::Denied : ErrorCode::Unavailable,
               fmt::format("cannot listen on {} port {}: {}", where.address().to_string(),
                           where.port(), error.message()),
               is_denied ? "ports below 1024 need rights; take a higher one"
                         : "take another port, or 0 for any that is free"};
}

}  // namespace

Listener::Listener()
    : loop_(std::make_shared<Loop>()),
      acceptor_(loop_->io),
      timer_(loop_->io),
      work_(loop_->io.get_executor()) {}

Listener::~Listener() = default;

Result<void> Listener::bind(const std::string& host, std::uint16_t port, bool has_tokens,
                            std::string_view token_hint) {
  HELVE_ASSIGN(const asio::ip::address address, read_address(host));
  if (!address.is_loopback() && !has_tokens) {
    return Error{ErrorCode::Denied,
                 "will not listen on " + address.to_string() + " without authentication",
                 fmt::format("{}, or listen on 127.0.0.1", token_hint)};
  }
  HELVE_TRY(listen(acceptor_, {address, port}));
  boost::system::error_code error;
  where_ = acceptor_.local_endpoint(error);
  if (error) return Error{ErrorCode::Unavailable, "the listening socket: " + error.message()};
  return {};
}

Result<Guard> Listener::make_guard(GuardOptions options) const {
  const std::string address = where_.address().to_string();
  // "All addresses" is no name of a host.
  if (!where_.address().is_unspecified()) {
    options.bound_host = where_.address().is_v6() ? "[" + address + "]" : address;
  }
  options.port = where_.port();
  return Guard::make(std::move(options));
}

void Listener::start(Reception& reception, std::function<void()> failed) {
  reception_ = &reception;
  failed_ = std::move(failed);
  accept();
  tick_later();
  thread_ = std::thread([this] { run(); });
}

void Listener::run() {
  for (;;) {
    try {
      loop_->io.run();
      return;
    } catch (const std::exception&) {
      // Out of memory, most likely, in the work of one connection: the others go on.
      failed_();
    }
  }
}

void Listener::accept() {
  is_accepting_ = true;
  acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
    has_accepted(error, std::move(socket));
  });
}

void Listener::has_accepted(const boost::system::error_code& error, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  // Without descriptors to spare, the next tick tries again.
  is_accepting_ = !error;
  if (error) return;
  accept();
  const bool is_first = reception_->connections() == 0;
  reception_->open(std::move(socket));
  if (is_first) tick_later();
}

void Listener::tick_later() {
  timer_.expires_after(reception_->connections() == 0 ? Duration(kQuietTick) : Duration(kTick));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || has_closed_) return;
    tick_later();
    if (!is_accepting_ && acceptor_.is_open()) accept();
    reception_->tick();
  });
}

bool Listener::wait_until_quiet(Duration longest) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  for (;;) {
    if (on_loop([this] { return reception_->is_quiet(); })) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPollStop);
  }
}

void Listener::stop(Duration grace, const StopSteps& steps) {
  const std::lock_guard lock(stop_mutex_);
  if (std::exchange(has_stopped_, true) || !thread_.joinable()) return;
  on_loop([this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    reception_->stop_taking();
  });
  if (steps.taking_stopped) steps.taking_stopped();
  // Most of the time is for finishing, the rest for ending what was cancelled.
  if (!wait_until_quiet(grace / 5 * 4)) {
    on_loop([this] { reception_->interrupt_all(); });
    wait_until_quiet(std::max(grace / 5, kInterruptTime));
  }
  // A tick that has come due already must not use what ends with steps.closed.
  on_loop([this] {
    reception_->close_all();
    has_closed_ = true;
    timer_.cancel();
  });
  if (steps.closed) steps.closed();
  on_loop([this] { work_.reset(); });
  loop_->io.stop();
  thread_.join();
}

}  // namespace helve::http
