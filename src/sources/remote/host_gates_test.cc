#include "sources/remote/host_gates.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/fake_env.h"

namespace helve::remote {
namespace {

class HostGatesTest : public ::testing::Test {
 protected:
  OpContext within(Duration time) {
    OpContext context;
    context.deadline = Deadline(env_.clock(), time);
    return context;
  }

  FakeEnv env_;
  HostGates gates_{env_.clock()};
};

TEST_F(HostGatesTest, PlacesAreGivenBack) {
  const HostLimits limits{2, Duration::zero()};
  auto a = gates_.enter("h", limits, {});
  auto b = gates_.enter("h", limits, {});
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(gates_.enter("other", limits, within(std::chrono::seconds(1))));
  const auto refused = gates_.enter("h", limits, within(std::chrono::seconds(1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
  *a = HostGates::Permit();
  EXPECT_TRUE(gates_.enter("h", limits, within(std::chrono::seconds(1))));
}

TEST_F(HostGatesTest, RequestsKeepTheirDistance) {
  const HostLimits limits{4, std::chrono::milliseconds(200)};
  const MonotonicTime begun = env_.clock().now();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(gates_.enter("h", limits, {}));
  EXPECT_GE(env_.clock().now() - begun, std::chrono::milliseconds(800));
}

TEST_F(HostGatesTest, AClosedGateOpensInTimeOrSaysNoAtOnce) {
  gates_.close_for("h", std::chrono::seconds(5));
  const MonotonicTime begun = env_.clock().now();
  EXPECT_FALSE(gates_.enter("h", {}, within(std::chrono::seconds(2))));
  EXPECT_EQ(env_.clock().now(), begun);
  EXPECT_TRUE(gates_.enter("h", {}, within(std::chrono::seconds(20))));
  EXPECT_GE(env_.clock().now() - begun, std::chrono::seconds(5));
}

TEST_F(HostGatesTest, WhoIsCancelledDoesNotWait) {
  OpContext context;
  context.cancel.cancel();
  EXPECT_EQ(gates_.enter("h", {}, context).error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace helve::remote
