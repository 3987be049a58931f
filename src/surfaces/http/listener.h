// Listener: the listening socket of an HTTP server, the thread of its loop, and the clock that
// moves what answers there. Whom it gives connections to is a Reception: the endpoint of a server.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "surfaces/http/guard.h"
#include "surfaces/http/loop.h"

namespace helve::http {

// Lives on the loop, as do all calls of it.
class Reception {
 public:
  virtual ~Reception() = default;
  virtual void open(boost::asio::ip::tcp::socket socket) = 0;
  virtual std::size_t connections() const = 0;
  virtual void tick() = 0;
  // The steps of stopping, in this order.
  virtual void stop_taking() = 0;    // no more requests but those that are being read
  virtual void interrupt_all() = 0;  // cancels what runs
  virtual void close_all() = 0;
  // Nothing runs and nothing is being written.
  virtual bool is_quiet() const = 0;
};

// What else happens between the steps of stopping, on the thread that stops.
struct StopSteps {
  std::function<void()> taking_stopped;
  std::function<void()> closed;
};

class Listener {
 public:
  Listener();
  ~Listener();  // REQUIRES: stopped, or never started
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Takes the port. Denied: another address than loopback without tokens; `token_hint` tells how
  // one is given. InvalidInput: no address. Unavailable: the port is taken.
  Result<void> bind(const std::string& host, std::uint16_t port, bool has_tokens,
                    std::string_view token_hint);
  // The rest of the options of a guard come from who asks. REQUIRES: bound.
  Result<Guard> make_guard(GuardOptions options) const;
  std::uint16_t port() const { return where_.port(); }
  const std::shared_ptr<Loop>& loop() const { return loop_; }

  // Gives connections to the reception, which outlives stop(). `failed` is told of exceptions that
  // ended the work of one connection. REQUIRES: bound.
  void start(Reception& reception, std::function<void()> failed);
  // Takes no more clients, gives what runs most of `grace` to finish, cancels the rest, and closes.
  // Returns when the thread has ended.
  void stop(Duration grace, const StopSteps& steps);

 private:
  void accept();
  void has_accepted(const boost::system::error_code& error, boost::asio::ip::tcp::socket socket);
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

  std::shared_ptr<Loop> loop_;
  Reception* reception_ = nullptr;
  std::function<void()> failed_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ip::tcp::endpoint where_;
  boost::asio::steady_timer timer_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
  std::mutex stop_mutex_;
  bool has_stopped_ = false;
  bool is_accepting_ = true;
  bool has_closed_ = false;  // of the loop, as the one above
};

}  // namespace helve::http
