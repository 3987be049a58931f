#include "sources/store/part_names.h"

#include <gtest/gtest.h>

namespace helve::store {
namespace {

TEST(PartNamesTest, CodesHaveTheirPlaceInTheList) {
  const PartNames names({3, 70'000, 5'000'000});
  EXPECT_EQ(names.value_of(3), 0U);
  EXPECT_EQ(names.value_of(70'000), 1U);
  EXPECT_EQ(names.value_of(5'000'000), 2U);
}

// A list may be of a file that anybody made.
TEST(PartNamesTest, OthersAreUnknown) {
  const PartNames names({3, 70'000, 5'000'000});
  for (Code code = 0; code < 1'000; ++code) {
    if (code == 3) continue;
    EXPECT_EQ(names.value_of(code), PartNames::kUnknown) << code;
  }
  EXPECT_EQ(PartNames().value_of(17), 17U);  // without a list, codes stand for themselves
}

}  // namespace
}  // namespace helve::store
