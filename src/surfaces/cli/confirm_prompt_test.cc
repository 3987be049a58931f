#include "surfaces/cli/confirm_prompt.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

TEST(ConfirmPrompt, OnlyAClearYesIsOne) {
  for (const char* yes : {"y\n", "Y", "yes\n", " YES \r\n"}) EXPECT_TRUE(is_yes(yes)) << yes;
  for (const char* no : {"", "\n", "n\n", "no", "ye", "yess", "y y", "ok", "1", "true", "ja"}) {
    EXPECT_FALSE(is_yes(no)) << no;
  }
}

}  // namespace
}  // namespace helve::cli
