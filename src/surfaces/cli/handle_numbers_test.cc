#include "surfaces/cli/handle_numbers.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_directory.h"

namespace helve::cli {
namespace {

class HandleNumbers : public ::testing::Test {
 protected:
  std::uint64_t reserve() { return reserve_handle_numbers(real_env(), folder_ / "state"); }
  void write_counter(const std::string& text) {
    std::ofstream(folder_ / "state" / "handle-numbers") << text;
  }
  // Not from the counter: a block above the first, of the same size.
  static void expect_random(std::uint64_t number) {
    EXPECT_GE(number, 1'000U);
    EXPECT_LT(number, 1'000'000'000U);
    EXPECT_EQ(number % 1'000, 0U);
  }

  TempDirectory folder_;
};

TEST_F(HandleNumbers, GoOnFromBlockToBlock) {
  EXPECT_EQ(reserve(), 0U);
  EXPECT_EQ(reserve(), 1'000U);
  EXPECT_EQ(reserve(), 2'000U);
}

TEST_F(HandleNumbers, BeginAnewBeforeTheyAreTooLong) {
  reserve();
  write_counter("999999000\n");
  EXPECT_EQ(reserve(), 999'999'000U);
  EXPECT_EQ(reserve(), 0U);
}

TEST_F(HandleNumbers, AreRandomWithoutACounter) {
  expect_random(reserve_handle_numbers(real_env(), {}));
  expect_random(reserve_handle_numbers(real_env(), "/proc/nowhere"));
  reserve();
  for (const char* const damaged : {"", "x", "99999999999999999999999"}) {
    write_counter(damaged);
    expect_random(reserve());
  }
}

TEST_F(HandleNumbers, ALockThatIsHeldIsNotWaitedForForever) {
  reserve();
  const auto lock = real_env().files().lock(folder_ / "state" / "handle-numbers.lock");
  ASSERT_TRUE(lock);
  expect_random(reserve());
}

}  // namespace
}  // namespace helve::cli
