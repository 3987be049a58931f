#include "surfaces/cli/duration.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, NumbersAndUnits) {
  EXPECT_EQ(*parse_duration("0"), 0s);
  EXPECT_EQ(*parse_duration("30"), 30s);
  EXPECT_EQ(*parse_duration("0.5"), 500ms);
  EXPECT_EQ(*parse_duration("250us"), 250us);
  EXPECT_EQ(*parse_duration("500ms"), 500ms);
  EXPECT_EQ(*parse_duration("1.5s"), 1'500ms);
  EXPECT_EQ(*parse_duration("2min"), 2min);
  EXPECT_EQ(*parse_duration("2m"), 2min);
  EXPECT_EQ(*parse_duration("1h"), 1h);
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const std::string_view text : {"", " ", "s", "-1", "-0.5s", "+1s", "1 s", "1d", "1S", "nan",
                                      "inf", "1e30", "1e400", "0x10", "30s ", "1s500ms"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().code, ErrorCode::InvalidInput);
    EXPECT_FALSE(duration.error().hint.empty());
  }
}

}  // namespace
}  // namespace helve::cli
