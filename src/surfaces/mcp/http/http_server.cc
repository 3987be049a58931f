#include "surfaces/mcp/http/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "surfaces/mcp/http/call_queue.h"
#include "surfaces/mcp/http/endpoint.h"
#include "surfaces/mcp/http/guard.h"
#include "surfaces/mcp/http/loop.h"
#include "surfaces/mcp/server/http_paths.h"

namespace helve::mcp {

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

Result<void> check_options(const HttpOptions& options, const asio::ip::address& address) {
  if (!address.is_loopback() && options.callers.empty()) {
    return Error{ErrorCode::Denied,
                 "will not listen on " + address.to_string() + " without authentication",
                 "give callers with bearer tokens, or listen on 127.0.0.1"};
  }
  if (!is_endpoint_path(options.path)) {
    return Error{ErrorCode::InvalidInput, "not a path for the server: '" + options.path + "'",
                 fmt::format("write {}", kEndpointPathRule)};
  }
  return {};
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

Result<Guard> make_guard(const HttpOptions& options, const tcp::endpoint& where) {
  GuardOptions guard;
  const std::string address = where.address().to_string();
  // "All addresses" is no name of a host.
  if (!where.address().is_unspecified()) {
    guard.bound_host = where.address().is_v6() ? "[" + address + "]" : address;
  }
  guard.port = where.port();
  guard.allowed_hosts = options.allowed_hosts;
  guard.allowed_origins = options.allowed_origins;
  for (const HttpCaller& caller : options.callers) guard.tokens.push_back(caller.token);
  return Guard::make(std::move(guard));
}

}  // namespace

// The listening socket, the thread of the loop, and the clock that moves the endpoint.
class HttpServer::Life {
 public:
  Life(HttpOptions options, Server& server)
      : options_(std::move(options)),
        server_(server),
        loop_(std::make_shared<Loop>()),
        acceptor_(loop_->io),
        timer_(loop_->io),
        work_(loop_->io.get_executor()) {}

  Result<void> start(Env& env);
  void stop(Duration grace);
  std::uint16_t port() const { return port_; }

 private:
  void accept();
  void has_accepted(const boost::system::error_code& error, tcp::socket socket);
  void tick_later();
  void run();
  // Runs a task on the loop and waits for what it gives.
  template <typename Task>
  auto on_loop(Task task) {
    const auto packaged = std::make_shared<std::packaged_task<decltype(task())()>>(std::move(task));
    auto result = packaged->get_future();
    loop_->post([packaged] { (*packaged)(); });
    return result.get();
  }
  bool wait_until_quiet(Duration longest);

  const HttpOptions options_;
  Server& server_;
  std::shared_ptr<Loop> loop_;
  std::unique_ptr<CallQueue> calls_;
  std::unique_ptr<Endpoint> endpoint_;
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::uint16_t port_ = 0;
  std::thread thread_;
  std::mutex stop_mutex_;
  bool has_stopped_ = false;
  bool is_accepting_ = true;
  bool has_closed_ = false;  // of the loop, as the one above
};

Result<void> HttpServer::Life::start(Env& env) {
  HELVE_ASSIGN(const asio::ip::address address, read_address(options_.host));
  HELVE_TRY(check_options(options_, address));
  HELVE_TRY(listen(acceptor_, {address, options_.port}));
  boost::system::error_code error;
  const tcp::endpoint where = acceptor_.local_endpoint(error);
  if (error) return Error{ErrorCode::Unavailable, "the listening socket: " + error.message()};
  port_ = where.port();
  HELVE_ASSIGN(Guard guard, make_guard(options_, where));
  calls_ = std::make_unique<CallQueue>(options_.workers, options_.queue_max);
  endpoint_ = std::make_unique<Endpoint>(options_, std::move(guard), server_, env, loop_, *calls_);
  accept();
  tick_later();
  thread_ = std::thread([this] { run(); });
  return {};
}

void HttpServer::Life::run() {
  for (;;) {
    try {
      loop_->io.run();
      return;
    } catch (const std::exception&) {
      // Out of memory, most likely, in the work of one connection: the others go on.
      server_.metrics().count_refusal("failure");
    }
  }
}

void HttpServer::Life::accept() {
  is_accepting_ = true;
  acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
    has_accepted(error, std::move(socket));
  });
}

void HttpServer::Life::has_accepted(const boost::system::error_code& error, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  // Without descriptors to spare, the next tick tries again.
  is_accepting_ = !error;
  if (error) return;
  accept();
  const bool is_first = endpoint_->connections() == 0;
  endpoint_->open(std::move(socket));
  if (is_first) tick_later();
}

void HttpServer::Life::tick_later() {
  timer_.expires_after(endpoint_->connections() == 0 ? Duration(kQuietTick) : Duration(kTick));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || has_closed_) return;
    tick_later();
    if (!is_accepting_ && acceptor_.is_open()) accept();
    endpoint_->tick();
  });
}

bool HttpServer::Life::wait_until_quiet(Duration longest) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  for (;;) {
    if (on_loop([this] { return endpoint_->is_quiet(); })) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPollStop);
  }
}

void HttpServer::Life::stop(Duration grace) {
  const std::lock_guard lock(stop_mutex_);
  if (std::exchange(has_stopped_, true) || !thread_.joinable()) return;
  on_loop([this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    endpoint_->stop_taking();
  });
  server_.end_subscriptions();
  // Most of the time is for finishing, the rest for ending what was cancelled.
  if (!wait_until_quiet(grace / 5 * 4)) {
    on_loop([this] { endpoint_->interrupt_all(); });
    wait_until_quiet(std::max(grace / 5, kInterruptTime));
  }
  // A tick that has come due already must not use the queue, which ends here.
  on_loop([this] {
    endpoint_->close_all();
    has_closed_ = true;
    timer_.cancel();
  });
  calls_.reset();
  on_loop([this] { work_.reset(); });
  loop_->io.stop();
  thread_.join();
}

HttpServer::HttpServer(std::unique_ptr<Life> life) : life_(std::move(life)) {}

HttpServer::~HttpServer() { stop(Duration::zero()); }

std::uint16_t HttpServer::port() const { return life_->port(); }

void HttpServer::stop(Duration grace) { life_->stop(grace); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpOptions options, Server& server,
                                                      Env& env) {
  try {
    auto life = std::make_unique<Life>(std::move(options), server);
    HELVE_TRY(life->start(env));
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(life)));
  } catch (const std::exception& failure) {
    return Error{ErrorCode::Unavailable, fmt::format("cannot start: {}", failure.what()),
                 "the machine may be short of memory, threads or descriptors"};
  }
}

}  // namespace helve::mcp
