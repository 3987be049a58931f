#include "agent/experiment/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace helve::agent {

namespace {

// SplitMix64: small, fast, and the same everywhere.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  // Below `count`. The bias of the remainder is below 2^-40 for any number of tasks there is.
  std::size_t below(std::size_t count) {
    state_ += 0x9E37'79B9'7F4A'7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % count);
  }

 private:
  std::uint64_t state_;
};

struct Total {
  double sum = 0;
  std::size_t count = 0;

  void add(const Cluster& cluster) {
    sum += cluster.sum;
    count += cluster.count;
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

// The 50th of 2,000 from either end.
void set_interval(Estimate& estimate, std::vector<double> means) {
  constexpr double kTail = 0.025;
  std::sort(means.begin(), means.end());
  const auto tail = static_cast<std::size_t>(kTail * static_cast<double>(means.size()));
  estimate.low = means[tail - 1];
  estimate.high = means[means.size() - tail];
}

// `mean` of a draw of places below `count`.
std::vector<double> resampled(std::size_t count, std::uint64_t seed,
                              const std::function<double(const std::vector<std::size_t>&)>& mean) {
  Draws draws(seed);
  std::vector<double> means;
  means.reserve(kResamples);
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < kResamples; ++i) {
    for (std::size_t& place : places) place = draws.below(count);
    means.push_back(mean(places));
  }
  return means;
}

double mean_at(const std::vector<Cluster>& clusters, const std::vector<std::size_t>& places) {
  Total total;
  for (const std::size_t place : places) total.add(clusters[place]);
  return total.mean();
}

}  // namespace

Estimate estimate_of(const std::vector<Cluster>& clusters, std::uint64_t seed) {
  std::vector<Cluster> measured;
  Total total;
  for (const Cluster& one : clusters) {
    if (one.count == 0) continue;
    measured.push_back(one);
    total.add(one);
  }
  Estimate estimate;
  estimate.values = total.count;
  estimate.tasks = measured.size();
  if (measured.empty()) return estimate;
  estimate.mean = total.mean();
  set_interval(estimate,
               resampled(measured.size(), seed, [&](const std::vector<std::size_t>& places) {
                 return mean_at(measured, places);
               }));
  return estimate;
}

namespace {

// Tasks that both have.
struct Pairs {
  std::vector<Cluster> lefts;
  std::vector<Cluster> rights;
  Total left;
  Total right;

  Pairs(const std::vector<Cluster>& all_left, const std::vector<Cluster>& all_right) {
    for (std::size_t i = 0; i < std::min(all_left.size(), all_right.size()); ++i) {
      if (all_left[i].count == 0 || all_right[i].count == 0) continue;
      lefts.push_back(all_left[i]);
      rights.push_back(all_right[i]);
      left.add(all_left[i]);
      right.add(all_right[i]);
    }
  }

  Estimate without_interval(double mean) const {
    Estimate estimate;
    estimate.values = left.count + right.count;
    estimate.tasks = lefts.size();
    estimate.mean = estimate.low = estimate.high = mean;
    return estimate;
  }
};

}  // namespace

Estimate difference_of(const std::vector<Cluster>& left, const std::vector<Cluster>& right,
                       std::uint64_t seed) {
  const Pairs pairs(left, right);
  if (pairs.lefts.empty()) return {};
  Estimate estimate = pairs.without_interval(pairs.left.mean() - pairs.right.mean());
  set_interval(estimate,
               resampled(pairs.lefts.size(), seed, [&](const std::vector<std::size_t>& places) {
                 return mean_at(pairs.lefts, places) - mean_at(pairs.rights, places);
               }));
  return estimate;
}

Estimate ratio_of(const std::vector<Cluster>& left, const std::vector<Cluster>& right,
                  std::uint64_t seed) {
  const Pairs pairs(left, right);
  if (pairs.lefts.empty() || pairs.right.mean() == 0) return {};
  Estimate estimate = pairs.without_interval(pairs.left.mean() / pairs.right.mean());
  auto ratios = resampled(pairs.lefts.size(), seed, [&](const std::vector<std::size_t>& places) {
    const double below = mean_at(pairs.rights, places);
    return below == 0 ? std::nan("") : mean_at(pairs.lefts, places) / below;
  });
  std::erase_if(ratios, [](double ratio) { return std::isnan(ratio); });
  constexpr std::size_t kEnough = kResamples / 2;
  if (ratios.size() >= kEnough) set_interval(estimate, std::move(ratios));
  return estimate;
}

void keep_common(std::vector<Cluster>& left, std::vector<Cluster>& right) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i].count != 0 && right[i].count != 0) continue;
    left[i] = {};
    right[i] = {};
  }
}

}  // namespace helve::agent
