#include "base/utc.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Utc, ReadsWhatItWrites) {
  const WallTime time = std::chrono::sys_days(std::chrono::year(2026) / 1 / 31) +
                        std::chrono::hours(8) + std::chrono::minutes(5) + std::chrono::seconds(9);
  EXPECT_EQ(to_utc(time), "2026-01-31T08:05:09Z");
  EXPECT_EQ(read_utc("2026-01-31T08:05:09Z"), time);
  EXPECT_EQ(to_utc(time + std::chrono::milliseconds(999)), "2026-01-31T08:05:09Z");
}

TEST(Utc, OtherFormsAreNone) {
  for (const char* text : {"", "2026-01-31", "2026-01-31T08:05:09", "2026-01-31T08:05:09+01:00",
                           "2026-02-30T08:05:09Z", "2026-00-01T08:05:09Z", "2026-01-31T24:00:00Z",
                           "2026-01-31T08:60:00Z", "2026-01-31T08:05:60Z", "x026-01-31T08:05:09Z",
                           "2026-01-31T08:05:09Z "}) {
    EXPECT_EQ(read_utc(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace helve
