#include "agent/experiment/statistics.h"

#include <gtest/gtest.h>

namespace helve::agent {
namespace {

std::vector<Cluster> ones_and_zeros(std::size_t ones, std::size_t zeros, std::size_t times = 1) {
  std::vector<Cluster> clusters(ones, Cluster{static_cast<double>(times), times});
  clusters.resize(ones + zeros, Cluster{0, times});
  return clusters;
}

TEST(Estimates, NothingIsNotZero) {
  EXPECT_EQ(estimate_of({}, 1).values, 0U);
  EXPECT_EQ(estimate_of({{0, 0}, {0, 0}}, 1).values, 0U);
  EXPECT_EQ(difference_of({{1, 1}, {0, 0}}, {{0, 0}, {1, 1}}, 1).tasks, 0U);
}

TEST(Estimates, RatiosAreOfTasksThatBothHave) {
  const std::vector<Cluster> left = {{1, 1}, {2, 1}, {9, 1}};
  const std::vector<Cluster> right = {{2, 1}, {4, 1}, {0, 0}};
  const Estimate half = ratio_of(left, right, 1);
  EXPECT_DOUBLE_EQ(half.mean, 0.5);
  EXPECT_DOUBLE_EQ(half.low, 0.5);
  EXPECT_DOUBLE_EQ(half.high, 0.5);
  EXPECT_EQ(half.tasks, 2U);
  EXPECT_EQ(ratio_of(left, {{0, 1}, {0, 1}, {0, 1}}, 1).values, 0U);
  // A quarter of the draws has nothing below.
  const Estimate some = ratio_of({{1, 1}, {1, 1}}, {{1, 1}, {0, 1}}, 1);
  EXPECT_DOUBLE_EQ(some.mean, 2);
  EXPECT_DOUBLE_EQ(some.low, 1);
}

TEST(Estimates, OneTaskHasNoInterval) {
  const Estimate estimate = estimate_of({{2, 4}}, 1);
  EXPECT_EQ(estimate.mean, 0.5);
  EXPECT_EQ(estimate.low, 0.5);
  EXPECT_EQ(estimate.high, 0.5);
  EXPECT_EQ(estimate.values, 4U);
  EXPECT_EQ(estimate.tasks, 1U);
}

// Two tasks: a draw is (0,0), (0,1), (1,0) or (1,1), each a quarter of the time.
TEST(Estimates, TwoTasksCanComeOutEitherWay) {
  const Estimate estimate = estimate_of(ones_and_zeros(1, 1), 1);
  EXPECT_EQ(estimate.mean, 0.5);
  EXPECT_EQ(estimate.low, 0);
  EXPECT_EQ(estimate.high, 1);
}

// The draws of 20 tasks, half of them right, are binomial: P(X <= 5) = 0.0207, P(X <= 6) = 0.0577.
TEST(Estimates, IntervalIsThatOfTheBinomialDistribution) {
  const Estimate estimate = estimate_of(ones_and_zeros(10, 10), 1);
  EXPECT_DOUBLE_EQ(estimate.mean, 0.5);
  EXPECT_DOUBLE_EQ(estimate.low, 0.3);
  EXPECT_DOUBLE_EQ(estimate.high, 0.7);
}

// A hundred repeats that all come out alike are one task each.
TEST(Estimates, RepeatsOfATaskAreNoEvidenceOfTheirOwn) {
  const Estimate once = estimate_of(ones_and_zeros(10, 10), 1);
  const Estimate often = estimate_of(ones_and_zeros(10, 10, 100), 1);
  EXPECT_EQ(often.values, 2'000U);
  EXPECT_EQ(often.tasks, 20U);
  EXPECT_DOUBLE_EQ(often.low, once.low);
  EXPECT_DOUBLE_EQ(often.high, once.high);
}

TEST(Estimates, MeanIsThatOfAllValues) {
  const Estimate estimate = estimate_of({{3, 3}, {0, 1}, {0, 0}}, 1);
  EXPECT_EQ(estimate.mean, 0.75);
  EXPECT_EQ(estimate.tasks, 2U);
  // (3,3) twice, both, or (0,1) twice: 1, 0.75 and 0.
  EXPECT_EQ(estimate.low, 0);
  EXPECT_EQ(estimate.high, 1);
}

TEST(Estimates, SameSeedGivesTheSameBits) {
  std::vector<Cluster> clusters;
  for (int i = 0; i < 40; ++i) clusters.push_back({static_cast<double>(i * i % 17), 3});
  const Estimate first = estimate_of(clusters, 7);
  const Estimate again = estimate_of(clusters, 7);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  const Estimate other = estimate_of(clusters, 8);
  EXPECT_TRUE(other.low != first.low || other.high != first.high);
  EXPECT_NEAR(other.low, first.low, 0.2);
}

// Tasks differ widely, and each by the same amount between the cells: drawn together that is sure.
TEST(Differences, PairedTasksCancelOut) {
  std::vector<Cluster> left;
  std::vector<Cluster> right;
  for (int i = 0; i < 10; ++i) {
    right.push_back({static_cast<double>(100 * i), 1});
    left.push_back({static_cast<double>(100 * i + 2), 1});
  }
  const Estimate difference = difference_of(left, right, 1);
  EXPECT_NEAR(difference.mean, 2, 1e-9);
  EXPECT_NEAR(difference.low, 2, 1e-9);
  EXPECT_NEAR(difference.high, 2, 1e-9);
  EXPECT_GT(estimate_of(left, 1).high - estimate_of(left, 1).low, 100);
}

TEST(Differences, OnlyTasksOfBothCount) {
  const Estimate difference = difference_of({{1, 1}, {1, 1}, {5, 0}}, {{0, 1}, {0, 0}, {1, 1}}, 1);
  EXPECT_EQ(difference.tasks, 1U);
  EXPECT_EQ(difference.mean, 1);
}

}  // namespace
}  // namespace helve::agent
