#include "base/harmless_lines.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(HarmlessLines, KeepsLinesAndShowsWhatSteers) {
  EXPECT_EQ(harmless_lines("a\n\tb\r\n\x1B[31m\xE2\x80\xAEx\n"), "a\n\tb\\r\n\\x1B[31m\\u202Ex\n");
  EXPECT_EQ(harmless_lines(""), "");
  EXPECT_EQ(harmless_lines("\xFF\n"), "\\xFF\n");
}

}  // namespace
}  // namespace helve
