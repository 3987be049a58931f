// Pool: a few connections that calls borrow. A connection that failed is not given back.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"

namespace helve::sql {

struct PoolLimits {
  std::size_t connections_max = 4;
  Duration acquire_timeout = std::chrono::seconds(5);
  Duration idle_max = std::chrono::seconds(60);
};

// Thread-safe. Must outlive what is borrowed of it.
template <typename Connection>
class Pool {
 public:
  explicit Pool(PoolLimits limits) : limits_(limits) {}

  // Returns the connection when it goes, unless drop() was called.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept : pool_(other.pool_), connection_(std::move(other.connection_)) {
      other.pool_ = nullptr;
    }
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(std::move(connection_));
    }

    bool has_connection() const { return connection_ != nullptr; }
    Connection& operator*() { return *connection_; }
    Connection* operator->() { return connection_.get(); }
    void set(std::unique_ptr<Connection> connection) { connection_ = std::move(connection); }
    void drop() { connection_.reset(); }

   private:
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  // A place, with an idle connection where there is one that was used lately: otherwise the caller
  // connects and set()s it. Unavailable when all are in use until the time is over.
  Result<Lease> acquire(const OpContext& context) {
    std::vector<std::unique_ptr<Connection>> old;  // close behind the lock
    std::unique_lock lock(mutex_);
    const auto until = Clock::now() + limits_.acquire_timeout;
    while (in_use_ >= limits_.connections_max) {
      HELVE_TRY(context.check());
      if (Clock::now() >= until) {
        return Error{ErrorCode::Unavailable,
                     "all " + std::to_string(limits_.connections_max) +
                         " connections to the database are in use",
                     "call again in a while"};
      }
      changed_.wait_for(lock, kLook);
    }
    HELVE_TRY(context.check());
    ++in_use_;
    const auto oldest = Clock::now() - limits_.idle_max;
    const auto stale = std::partition(idle_.begin(), idle_.end(),
                                      [&](const Idle& one) { return one.since >= oldest; });
    for (auto one = stale; one != idle_.end(); ++one) old.push_back(std::move(one->connection));
    idle_.erase(stale, idle_.end());
    std::unique_ptr<Connection> connection;
    if (!idle_.empty()) {
      connection = std::move(idle_.back().connection);
      idle_.pop_back();
    }
    return Lease(*this, std::move(connection));
  }

  // Closes those that are idle: after a failure that may have hit them all.
  void clear() {
    std::vector<Idle> old;
    const std::lock_guard lock(mutex_);
    old.swap(idle_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kLook = std::chrono::milliseconds(10);
  struct Idle {
    std::unique_ptr<Connection> connection;
    Clock::time_point since;
  };

  void give_back(std::unique_ptr<Connection> connection) {
    {
      const std::lock_guard lock(mutex_);
      --in_use_;
      if (connection != nullptr) idle_.push_back({std::move(connection), Clock::now()});
    }
    changed_.notify_one();
  }

  PoolLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Idle> idle_;  // the last used at the end
  std::size_t in_use_ = 0;
};

}  // namespace helve::sql
