// What callers have added and changed lately. Policies bound changed rows by session and by hour,
// besides those of one statement or transaction; unverified lessons are bound by hour.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// How many rows may be changed, and which key of the policy says so.
struct RowLimit {
  std::uint64_t rows = 0;
  std::string_view key = "max_affected_rows";
};

// Of the last hour, by the identity of callers. Thread-safe.
class HourlyCounts {
 public:
  explicit HourlyCounts(const Clock& clock) : clock_(clock) {}

  std::uint64_t count(const std::string& identity);
  // False if there would be more than `most`; then nothing is added.
  bool add(const std::string& identity, std::uint64_t rows, std::uint64_t most);
  void take_back(const std::string& identity, std::uint64_t rows);

 private:
  static constexpr std::int64_t kMinutes = 60;
  struct Minutes {
    std::int64_t newest = 0;
    std::array<std::uint64_t, kMinutes> rows{};
  };
  Minutes& current(const std::string& identity);
  static std::uint64_t sum(const Minutes& minutes);

  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Minutes> identities_;  // those that changed rows in the last hour
};

struct CallerCounts {
  explicit CallerCounts(const Clock& clock) : rows(clock), lessons(clock) {}

  HourlyCounts rows;     // changed
  HourlyCounts lessons;  // added, and not verified by anybody
};

// Rows changed by one session, as a part of those of its caller. Thread-safe.
class SessionRows {
 public:
  explicit SessionRows(HourlyCounts& hourly) : hourly_(hourly) {}

  // The tightest limit of the policy.
  RowLimit limit(const std::string& identity, const Policy& policy);
  // Counts rows that are about to be committed. The limit that they would break, if any; then
  // nothing is counted.
  std::optional<RowLimit> add(const std::string& identity, const Policy& policy,
                              std::uint64_t rows);
  // Counts what has happened already.
  void add_always(const std::string& identity, std::uint64_t rows);
  // The commit failed.
  void take_back(const std::string& identity, std::uint64_t rows);

 private:
  HourlyCounts& hourly_;
  std::mutex mutex_;
  std::uint64_t rows_ = 0;
};

}  // namespace helve::toolkit
