// What reference queries brought, so that each is run once for all runs of its task.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "agent/judge/judged_query.h"

namespace helve::agent {

// Bounded: what was used longest ago goes. Thread-safe; who asks for the same at the same time
// waits for the first.
class ReferenceCache {
 public:
  static constexpr std::size_t kEntriesMax = 256;
  static constexpr std::uint64_t kBytesMax =
      64UL * 1024 * 1024;  // of all; larger ones are not kept

  using Run = std::function<Result<JudgedResult>()>;
  // Failures are not kept.
  Result<JudgedResult> get(const std::string& key, const Run& run);

 private:
  struct Entry {
    std::mutex mutex;  // held while it is run
    std::optional<JudgedResult> result;
    std::uint64_t bytes = 0;
    std::uint64_t last = 0;
  };
  void settle(const std::string& key, const std::shared_ptr<Entry>& entry, std::uint64_t bytes);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  std::uint64_t bytes_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace helve::agent
