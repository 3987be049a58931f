#include "base/sqlite_image.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace helve::sqlite {
namespace {

TEST(SqliteImage, IsTheFileOfWhatTheScriptMakes) {
  const std::string script = "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2);";
  const auto image = database_image(script, kMiB);
  ASSERT_TRUE(image.has_value()) << image.error().to_string();
  EXPECT_EQ(image->substr(0, 16), std::string("SQLite format 3\0", 16));
  EXPECT_EQ(*image, *database_image(script, kMiB));
  EXPECT_NE(*image, *database_image(script + "INSERT INTO t VALUES (3);", kMiB));
}

TEST(SqliteImage, FailsWithTheScriptAndBeyondItsLimit) {
  const auto wrong = database_image("CREATE TABLE", kMiB);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::Internal);
  const auto large = database_image("CREATE TABLE t (a);", kKiB);
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace helve::sqlite
