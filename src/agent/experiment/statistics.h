// Means with intervals. What is resampled are tasks: runs of one task are alike, and so no evidence
// of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace helve::agent {

// What was measured for one task: the sum of its values, and how many there are.
struct Cluster {
  double sum = 0;
  std::size_t count = 0;
};

// A mean with its 95 % interval.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::size_t values = 0;  // 0: nothing was measured
  std::size_t tasks = 0;
};

inline constexpr std::size_t kResamples = 2'000;

// The mean of all values; the interval by a percentile bootstrap over the clusters that have
// values. The same clusters and seed give the same bits.
Estimate estimate_of(const std::vector<Cluster>& clusters, std::uint64_t seed);

// How much the mean of the left is above that of the right: over tasks that both have, which are at
// the same places, drawn together.
Estimate difference_of(const std::vector<Cluster>& left, const std::vector<Cluster>& right,
                       std::uint64_t seed);
// The mean of the left in parts of that of the right, likewise. No values where the right is zero;
// draws in which it is are left out.
Estimate ratio_of(const std::vector<Cluster>& left, const std::vector<Cluster>& right,
                  std::uint64_t seed);

// Empties what only one of them has, so that means are of the same tasks.
void keep_common(std::vector<Cluster>& left, std::vector<Cluster>& right);

}  // namespace helve::agent
