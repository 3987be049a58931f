#include "base/read_whole.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(ReadWhole, TakesWhatFits) {
  const std::string text(100'000, 'x');
  StringSource source(text);
  EXPECT_EQ(read_whole(source, "it", text.size()).value(), text);
  StringSource none("");
  EXPECT_EQ(read_whole(none, "it", 0).value(), "");
}

TEST(ReadWhole, MoreIsAnErrorWithTheName) {
  StringSource source("12345");
  const auto read = read_whole(source, "notes.txt", 4);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(read.error().message, "notes.txt is longer than 4 B");
}

}  // namespace
}  // namespace helve
