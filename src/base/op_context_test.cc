// Deadlines, cancellation, and the check that looks at both.
#include "base/op_context.h"

#include <gtest/gtest.h>

#include "tests/support/fake_env.h"

namespace helve {
namespace {

using std::chrono::seconds;

TEST(Deadline, NeverPassesByDefault) {
  const Deadline never;
  EXPECT_TRUE(never.is_never());
  EXPECT_FALSE(never.has_passed());
  EXPECT_EQ(never.remaining(), Duration::max());
}

TEST(Deadline, PassesWithItsClock) {
  FakeClock clock;
  const Deadline deadline(clock, seconds(10));
  EXPECT_EQ(deadline.remaining(), Duration(seconds(10)));
  clock.advance(seconds(9));
  EXPECT_FALSE(deadline.has_passed());
  clock.sleep_for(seconds(1));
  EXPECT_TRUE(deadline.has_passed());
  clock.advance(seconds(5));
  EXPECT_EQ(deadline.remaining(), Duration::zero());
}

TEST(CancelToken, CopiesShareTheFlag) {
  const CancelToken token;
  const CancelToken copy = token;  // NOLINT(performance-unnecessary-copy-initialization): the point
  EXPECT_FALSE(copy.is_cancelled());
  token.cancel();
  EXPECT_TRUE(copy.is_cancelled());
  EXPECT_FALSE(CancelToken().is_cancelled());
}

TEST(OpContext, CheckTellsWhatHappened) {
  FakeClock clock;
  OpContext context;
  EXPECT_TRUE(context.check());
  context.deadline = Deadline(clock, seconds(1));
  EXPECT_TRUE(context.check());
  clock.advance(seconds(1));
  EXPECT_EQ(context.check().error().code, ErrorCode::LimitExceeded);
  context.cancel.cancel();
  EXPECT_EQ(context.check().error().code, ErrorCode::Cancelled);
}

TEST(OpContext, EveryCheckIsWorkThatIsSeen) {
  WorkMeter meter;
  OpContext context;
  context.meter = &meter;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(context.check());
  EXPECT_EQ(meter.done(), 3U);
}

}  // namespace
}  // namespace helve
