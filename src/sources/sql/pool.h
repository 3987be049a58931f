// Pool: a few connections that calls borrow, shared fairly among callers. A connection that failed
// is not given back.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
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
    Lease(Pool& pool, std::uint64_t caller, std::unique_ptr<Connection> connection)
        : pool_(&pool), caller_(caller), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept
        : pool_(other.pool_), caller_(other.caller_), connection_(std::move(other.connection_)) {
      other.pool_ = nullptr;
    }
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(caller_, std::move(connection_));
    }

    bool has_connection() const { return connection_ != nullptr; }
    Connection& operator*() { return *connection_; }
    Connection* operator->() { return connection_.get(); }
    void set(std::unique_ptr<Connection> connection) { connection_ = std::move(connection); }
    void drop() { connection_.reset(); }

   private:
    Pool* pool_;
    std::uint64_t caller_;
    std::unique_ptr<Connection> connection_;
  };

  // Waits for a free place. The lease has an idle connection if one was used lately; otherwise the
  // caller connects and calls set(). A known caller never gets the last of several places, and a
  // free place goes to the waiting caller who has the fewest. Unavailable after acquire_timeout.
  Result<Lease> acquire(const OpContext& context) {
    std::vector<std::unique_ptr<Connection>> old;  // close behind the lock
    std::unique_lock lock(mutex_);
    const auto until = Clock::now() + limits_.acquire_timeout;
    const auto self = waiting_.insert(waiting_.end(), context.caller);
    const auto leave = [&] {
      waiting_.erase(self);
      changed_.notify_all();
    };
    while (!is_turn_of(self)) {
      const auto on = context.check();
      if (!on || Clock::now() >= until) {
        const bool has_share = used_by(context.caller) >= share_of(context.caller);
        leave();
        if (!on) return on.error();
        return none_free(has_share && in_use_ < limits_.connections_max);
      }
      changed_.wait_for(lock, kLook);
    }
    leave();
    HELVE_TRY(context.check());
    ++in_use_;
    ++used_[context.caller];
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
    return Lease(*this, context.caller, std::move(connection));
  }

  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
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

  std::size_t share_of(std::uint64_t caller) const {
    const std::size_t all = limits_.connections_max;
    return caller == 0 ? all : std::max<std::size_t>(1, all - 1);
  }
  std::size_t used_by(std::uint64_t caller) const {
    const auto found = used_.find(caller);
    return found == used_.end() ? 0 : found->second;
  }
  bool is_turn_of(typename std::list<std::uint64_t>::const_iterator self) const {
    const std::size_t used = used_by(*self);
    if (in_use_ >= limits_.connections_max || used >= share_of(*self)) return false;
    bool is_before = true;
    for (auto other = waiting_.begin(); other != waiting_.end(); ++other) {
      if (other == self) {
        is_before = false;
        continue;
      }
      const std::size_t theirs = used_by(*other);
      const bool goes_first = theirs < used || (theirs == used && is_before);
      if (theirs < share_of(*other) && goes_first) return false;
    }
    return true;
  }
  Error none_free(bool has_share) const {
    const std::string most = std::to_string(limits_.connections_max);
    return {ErrorCode::Unavailable,
            has_share ? "this caller uses all but one of the " + most +
                            " connections to the database; the last is reserved for other callers"
                      : "all " + most + " connections to the database are in use",
            "Call again in a while. An operator can allow more by ?connections=NUMBER in the "
            "address of the database."};
  }

  void give_back(std::uint64_t caller, std::unique_ptr<Connection> connection) {
    {
      const std::lock_guard lock(mutex_);
      --in_use_;
      if (const auto used = used_.find(caller); --used->second == 0) used_.erase(used);
      if (connection != nullptr) idle_.push_back({std::move(connection), Clock::now()});
    }
    changed_.notify_all();
  }

  PoolLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Idle> idle_;  // the last used at the end
  std::size_t in_use_ = 0;
  std::map<std::uint64_t, std::size_t> used_;  // by caller
  std::list<std::uint64_t> waiting_;           // callers, the first to come first
};

}  // namespace helve::sql
