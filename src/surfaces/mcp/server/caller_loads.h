// CallerLoads: how many calls each caller has under way, so that none takes all the room.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace helve::mcp {

// Thread-safe.
class CallerLoads {
 public:
  explicit CallerLoads(std::size_t max) : max_(max) {}

  // False: it has as many as it may.
  bool begin(const std::string& caller) {
    const std::lock_guard lock(mutex_);
    std::size_t& count = running_[caller];
    if (count >= max_) return false;
    ++count;
    return true;
  }
  void end(const std::string& caller) {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(caller);
    if (found != running_.end() && --found->second == 0) running_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::size_t max_;
  std::map<std::string, std::size_t> running_;
};

}  // namespace helve::mcp
