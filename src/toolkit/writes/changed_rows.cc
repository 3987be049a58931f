#include "toolkit/writes/changed_rows.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace helve::toolkit {

namespace {

std::uint64_t left_of(std::uint64_t most, std::uint64_t used) {
  return most - std::min(most, used);
}

}  // namespace

// Entries without a row in the last hour go, so that old callers take no room.
HourlyCounts::Minutes& HourlyCounts::current(const std::string& identity) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::minutes>(clock_.now().time_since_epoch()).count();
  for (auto one = identities_.begin(); one != identities_.end();) {
    Minutes& minutes = one->second;
    const std::int64_t passed = std::min(now - minutes.newest, kMinutes);
    for (std::int64_t i = 1; i <= passed; ++i) {
      minutes.rows[static_cast<std::size_t>((minutes.newest + i) % kMinutes)] = 0;
    }
    minutes.newest = now;
    one = sum(minutes) == 0 ? identities_.erase(one) : std::next(one);
  }
  Minutes& minutes = identities_[identity];
  minutes.newest = now;
  return minutes;
}

std::uint64_t HourlyCounts::sum(const Minutes& minutes) {
  return std::accumulate(minutes.rows.begin(), minutes.rows.end(), std::uint64_t{0});
}

std::uint64_t HourlyCounts::count(const std::string& identity) {
  const std::lock_guard lock(mutex_);
  return sum(current(identity));
}

bool HourlyCounts::add(const std::string& identity, std::uint64_t rows, std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  Minutes& minutes = current(identity);
  if (rows > left_of(most, sum(minutes))) return false;
  minutes.rows[static_cast<std::size_t>(minutes.newest % kMinutes)] += rows;
  return true;
}

// The minute may be another one by now.
void HourlyCounts::take_back(const std::string& identity, std::uint64_t rows) {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t& one : current(identity).rows) {
    const std::uint64_t part = std::min(one, rows);
    one -= part;
    rows -= part;
  }
}

RowLimit SessionRows::limit(const std::string& identity, const Policy& policy) {
  RowLimit limit{policy.max_affected_rows};
  const auto tighten = [&limit](std::uint64_t rows, std::string_view key) {
    if (rows < limit.rows) limit = {rows, key};
  };
  tighten(left_of(policy.max_affected_rows_per_hour, hourly_.count(identity)),
          "max_affected_rows_per_hour");
  const std::lock_guard lock(mutex_);
  tighten(left_of(policy.max_affected_rows_per_session, rows_), "max_affected_rows_per_session");
  return limit;
}

std::optional<RowLimit> SessionRows::add(const std::string& identity, const Policy& policy,
                                         std::uint64_t rows) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t left = left_of(policy.max_affected_rows_per_session, rows_);
  if (rows > left) return RowLimit{left, "max_affected_rows_per_session"};
  if (!hourly_.add(identity, rows, policy.max_affected_rows_per_hour)) {
    return RowLimit{left_of(policy.max_affected_rows_per_hour, hourly_.count(identity)),
                    "max_affected_rows_per_hour"};
  }
  rows_ += rows;
  return std::nullopt;
}

void SessionRows::add_always(const std::string& identity, std::uint64_t rows) {
  const std::lock_guard lock(mutex_);
  static_cast<void>(hourly_.add(identity, rows, UINT64_MAX));
  rows_ += rows;
}

void SessionRows::take_back(const std::string& identity, std::uint64_t rows) {
  const std::lock_guard lock(mutex_);
  rows_ -= std::min(rows_, rows);
  hourly_.take_back(identity, rows);
}

}  // namespace helve::toolkit
