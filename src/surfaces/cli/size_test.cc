#include "surfaces/cli/size.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace helve::cli {
namespace {

TEST(ParseSize, NumbersAndUnits) {
  EXPECT_EQ(*parse_size("1048576"), kMiB);
  EXPECT_EQ(*parse_size("2048K"), 2 * kMiB);
  EXPECT_EQ(*parse_size("512M"), 512 * kMiB);
  EXPECT_EQ(*parse_size("512m"), 512 * kMiB);
  EXPECT_EQ(*parse_size("1.5G"), 3 * kGiB / 2);
  EXPECT_EQ(*parse_size("4GiB"), 4 * kGiB);
  EXPECT_EQ(*parse_size("4GB"), 4 * kGiB);
  EXPECT_EQ(*parse_size("2T"), 2'048 * kGiB);
}

TEST(ParseSize, RefusesEverythingElse) {
  for (const std::string_view text :
       {"",     " ",     "G",           "-1G", "+1G",   "0",    "512K", "1048575",
        "1 G",  "1Gi",   "1GX",         "1X",  "1GiBs", "nan",  "inf",  "infinity",
        "1e30", "1e400", "0x100000000", "4G ", " 4G",   "1,5G", "lots"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().code, ErrorCode::InvalidInput);
    EXPECT_FALSE(size.error().hint.empty());
  }
}

TEST(ParseSize, TellsWhatIsWrong) {
  EXPECT_EQ(parse_size("lots").error().message, "'lots' is not a size");
  EXPECT_EQ(parse_size("-1G").error().message, "'-1G' is not a size");
  EXPECT_EQ(parse_size("400K").error().message, "'400K' is too small a size");
  EXPECT_EQ(parse_size("1e30").error().message, "'1e30' is too large a size");
  EXPECT_EQ(*parse_size("0K", 0), 0U);
}

}  // namespace
}  // namespace helve::cli
