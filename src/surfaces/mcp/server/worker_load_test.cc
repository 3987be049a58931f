#include "surfaces/mcp/server/worker_load.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

TEST(WorkerLoad, IsStuckWhenAllAreAtWorkAndNothingBegins) {
  WorkerLoad load(2, Duration::zero());
  EXPECT_FALSE(load.is_stuck());
  load.begin();
  EXPECT_FALSE(load.is_stuck()) << "one is free";
  load.begin();
  EXPECT_TRUE(load.is_stuck());
  load.end();
  EXPECT_FALSE(load.is_stuck());
}

TEST(WorkerLoad, IsNotStuckWhileCallsComeAndGo) {
  WorkerLoad load(1, std::chrono::hours(1));
  load.begin();
  EXPECT_FALSE(load.is_stuck());
}

TEST(WorkerLoad, WhatWaitsIsLateBehindStuckWorkersOrAfterLong) {
  const auto now = std::chrono::steady_clock::now();
  WorkerLoad stuck(1, Duration::zero());
  stuck.begin();
  EXPECT_TRUE(stuck.is_late(now));
  WorkerLoad moving(1, std::chrono::hours(1));
  moving.begin();
  EXPECT_FALSE(moving.is_late(now));
  EXPECT_FALSE(moving.is_late(now - std::chrono::hours(4)));
  EXPECT_TRUE(moving.is_late(now - std::chrono::hours(5)));
}

}  // namespace
}  // namespace helve::mcp
