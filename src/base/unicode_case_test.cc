#include "base/unicode_case.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(UnicodeCase, FullMappings) {
  EXPECT_EQ(to_upper_case("Straße 12"), "STRASSE 12");
  EXPECT_EQ(to_upper_case("éàç ŉ"), "ÉÀÇ ʼN");
  EXPECT_EQ(to_lower_case("ÉÀÇ ΑΣ"), "éàç ας");  // the last sigma of a word
  EXPECT_EQ(to_upper_case("日本"), "日本");
}

TEST(UnicodeCase, Ascii) {
  EXPECT_EQ(to_upper_case("az AZ 09 {"), "AZ AZ 09 {");
  EXPECT_EQ(to_lower_case("az AZ 09 ["), "az az 09 [");
  EXPECT_EQ(to_lower_case(""), "");
}

}  // namespace
}  // namespace helve
