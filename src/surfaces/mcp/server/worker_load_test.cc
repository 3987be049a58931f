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

}  // namespace
}  // namespace helve::mcp
