#include "base/bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace helve {
namespace {

TEST(StringSource, GivesTheTextInPieces) {
  StringSource source("abcde");
  std::array<char, 3> buffer{};
  EXPECT_EQ(source.read(buffer).value(), 3U);
  EXPECT_EQ(source.read(buffer).value(), 2U);
  EXPECT_EQ(std::string_view(buffer.data(), 2), "de");
  EXPECT_EQ(source.read(buffer).value(), 0U);
}

TEST(StringSource, NothingIsAtItsEnd) {
  StringSource source(std::string_view{});
  std::array<char, 3> buffer{};
  EXPECT_EQ(source.read(buffer).value(), 0U);
}

}  // namespace
}  // namespace helve
