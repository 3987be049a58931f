#include "base/utf8_repair.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(RepairedUtf8, HasAMarkForEveryBadByte) {
  EXPECT_EQ(repaired_utf8("a\xC3\xA9"), "a\xC3\xA9");
  EXPECT_EQ(repaired_utf8("\xFF_\xC3"), "\xEF\xBF\xBD_\xEF\xBF\xBD");
  EXPECT_EQ(repaired_utf8(""), "");
}

}  // namespace
}  // namespace helve
