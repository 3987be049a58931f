#include "base/ascii.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(Ascii, ChangesLettersAlone) {
  EXPECT_EQ(ascii_lower("aZ[@`{É_09"), "az[@`{É_09");
  EXPECT_EQ(ascii_lower(std::string_view()), "");
}

TEST(Ascii, ComparesInAnyCase) {
  EXPECT_TRUE(is_same_in_any_case("SELECT", "select"));
  EXPECT_FALSE(is_same_in_any_case("SELECT", "selec"));
  EXPECT_FALSE(is_same_in_any_case("[", "{"));
  EXPECT_FALSE(is_same_in_any_case("É", "é"));
}

}  // namespace
}  // namespace helve
