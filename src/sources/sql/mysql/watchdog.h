// Watchdog: ends calls of a client library that sit in the network beyond their deadline.
// connection.h has what it guards.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/op_context.h"

namespace helve::sql::mysql {

// One thread for all connections of a source, started by the first watch. Thread-safe.
class Watchdog {
 public:
  // `kill` asks the server to end a query; it must not block for long.
  explicit Watchdog(std::function<void(std::uint64_t thread_id)> kill) : kill_(std::move(kill)) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // While it lives: at the deadline or when cancelled the query is killed, and soon after the
  // socket is shut down, so that whoever sits in a call on it comes back. The socket must stay
  // open.
  class Watch {
   public:
    Watch(Watchdog& dog, int socket, std::uint64_t thread_id, const OpContext& context);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    // Whether the time was over: the connection is not to be used again.
    bool has_fired() const { return has_fired_.load(std::memory_order_acquire); }

   private:
    friend class Watchdog;
    Watchdog& dog_;
    int socket_;
    std::uint64_t thread_id_;
    Deadline deadline_;
    CancelToken cancel_;
    std::atomic<bool> has_fired_{false};
    bool is_shut_ = false;
    std::chrono::steady_clock::time_point fired_at_;
  };

 private:
  bool start();  // REQUIRES: the lock
  void run();
  void look(std::vector<std::uint64_t>& to_kill);

  std::function<void(std::uint64_t)> kill_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Watch*> watches_;
  bool is_asleep_ = false;  // nothing was watched for a while
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace helve::sql::mysql
