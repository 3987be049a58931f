// Pools of sessions that are ready: taken once, filled again, and nothing left behind.
#include "agent/sandbox/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using namespace std::chrono_literals;

class SandboxPoolTest : public SandboxTest {
 protected:
  static Function named(const std::string& name, int value) {
    Function function;
    function.name = name;
    function.handler = [value](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
      return FunctionValue{JsonValue(value), {}};
    };
    return function;
  }

  static std::unique_ptr<SandboxPool> make(PoolOptions options) {
    auto pool = SandboxPool::make(std::move(options));
    HELVE_CHECK(pool.has_value());
    return std::move(*pool);
  }

  // Waits for as many; the test's own time limit ends a wait that is in vain.
  static void wait_for_ready(const SandboxPool& pool, std::size_t count) {
    while (pool.ready() < count) std::this_thread::sleep_for(1ms);
  }

  static std::unique_ptr<Sandbox> take(SandboxPool& pool, std::vector<Function> functions = {}) {
    auto taken = pool.take(std::move(functions));
    HELVE_CHECK(taken.has_value());
    return std::move(*taken);
  }
};

TEST_F(SandboxPoolTest, FillsItselfAgain) {
  PoolOptions options;
  options.ready = 3;
  auto pool = make(options);
  wait_for_ready(*pool, 3);
  EXPECT_EQ(pool->ready(), 3U);
  auto one = take(*pool);
  expect_works(*one);
  wait_for_ready(*pool, 3);
  EXPECT_EQ(pool->ready(), 3U);
}

TEST_F(SandboxPoolTest, NeverGivesOutAUsedOne) {
  PoolOptions options;
  options.ready = 2;
  auto pool = make(options);
  std::set<std::string> pids;
  for (int i = 0; i < 20; ++i) {
    auto sandbox = take(*pool);
    const BlockResult result =
        run(*sandbox, "import os\n'used' in globals(), os.listdir('.'), os.getpid()");
    EXPECT_THAT(result.value, ::testing::StartsWith("(False, [], "));
    EXPECT_TRUE(pids.insert(result.value).second);
    run(*sandbox, "used = 1\nopen('used', 'w').close()");
  }
}

TEST_F(SandboxPoolTest, GivesNewOnesWhereNoneIsReady) {
  PoolOptions options;
  options.ready = 1;
  auto pool = make(options);
  std::vector<std::unique_ptr<Sandbox>> taken;
  for (int i = 0; i < 6; ++i) taken.push_back(take(*pool));
  for (auto& sandbox : taken) expect_works(*sandbox);
}

TEST_F(SandboxPoolTest, BringsTheFunctionsOfWhoTakes) {
  PoolOptions options;
  options.functions = {named("known", 0)};
  options.functions.front().handler = {};
  auto pool = make(options);
  wait_for_ready(*pool, 1);
  auto one = take(*pool, {named("known", 1), named("extra", 2)});
  auto two = take(*pool, {named("known", 3)});
  EXPECT_EQ(run(*one, "known(), extra()").value, "(1, 2)");
  EXPECT_EQ(run(*two, "known()").value, "3");
  EXPECT_EQ(run(*two, "extra()").end, BlockEnd::Raised);
  // One that was declared and got no handler answers with an error, not with a crash.
  auto three = take(*pool);
  EXPECT_EQ(run(*three, "known()").end, BlockEnd::Raised);
  expect_works(*three);
}

TEST_F(SandboxPoolTest, TellsEventsToWhoTook) {
  std::string seen;
  auto pool = make({});
  wait_for_ready(*pool, 2);
  auto taken = pool->take({}, [&](const Event& event) {
    if (event.kind == EventKind::Output) seen += event.text;
  });
  ASSERT_TRUE(taken.has_value());
  auto other = take(*pool);
  run(**taken, "print('x')");
  run(*other, "print('y')");
  EXPECT_EQ(seen, "x\n");
}

// One that ended while it waited is not handed out.
TEST_F(SandboxPoolTest, PassesOverTheDead) {
  PoolOptions options;
  options.ready = 2;
  const auto before = child_processes();
  auto pool = make(options);
  wait_for_ready(*pool, 2);
  for (const int child : child_processes()) {
    if (std::find(before.begin(), before.end(), child) == before.end()) ::kill(child, SIGKILL);
  }
  std::this_thread::sleep_for(50ms);
  for (int i = 0; i < 3; ++i) expect_works(*take(*pool));
}

TEST_F(SandboxPoolTest, OutlivesWhatItGave) {
  std::unique_ptr<Sandbox> sandbox;
  {
    auto pool = make({});
    sandbox = take(*pool);
  }
  expect_works(*sandbox);
}

TEST_F(SandboxPoolTest, ServesManyThreads) {
  PoolOptions options;
  options.ready = 2;
  auto pool = make(options);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        if (run(*take(*pool), "6*7").value == "42") right.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 20);
}

// Sessions, from the pool and cold, that end in every way: SandboxTest counts what is left of them.
// HELVE_POOL_RUNS sets their number (150).
TEST_F(SandboxPoolTest, LeavesNothingBehindAfterManyRuns) {
  PoolOptions options;
  options.ready = 4;
  options.sandbox.limits.block_time = 50ms;
  options.sandbox.limits.interrupt_time = 50ms;
  auto pool = make(options);
  const char* const given = std::getenv("HELVE_POOL_RUNS");
  const int runs = given != nullptr ? std::stoi(given) : 150;
  for (int i = 0; i < runs; ++i) {
    auto sandbox = i % 10 == 9 ? start(options.sandbox) : take(*pool);
    const int way = i % 50;
    const std::string_view code = way == 0   ? "import os; os._exit(1)"
                                  : way == 1 ? "import os; os.mkdir('d'); open('d/f', 'w')"
                                  : way == 2 ? "1/0"
                                  : way == 3 ? "import os; os.closerange(0, 64)"
                                             : "1+1";
    const auto result = sandbox->execute(code);
    ASSERT_TRUE(result.has_value()) << result.error().to_string();
    if (way > 3 && result->end == BlockEnd::Finished) {
      ASSERT_EQ(result->value, "2");
    }
  }
}

TEST_F(SandboxPoolTest, EndsThoseThatNobodyTook) {
  PoolOptions options;
  options.ready = 4;
  for (int i = 0; i < 5; ++i) auto pool = make(options);
}

}  // namespace
}  // namespace helve::sandbox
