#include "base/secret_shapes.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

TEST(SecretShapes, AreTakenOut) {
  EXPECT_EQ(without_secrets("SELECT 'key sk-live-123456789012345678901234' AS x"),
            "SELECT 'key [redacted]' AS x");
  EXPECT_EQ(without_secrets("a=ghp_0123456789abcdefghijABCDEFGHIJ012345, b"), "a=[redacted], b");
  EXPECT_EQ(without_secrets("AKIAIOSFODNN7EXAMPLE"), "[redacted]");
  EXPECT_EQ(
      without_secrets("x-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\ny"),
      "x[redacted]\ny");
  EXPECT_EQ(without_secrets("-----BEGIN PRIVATE KEY-----\nabc"), "[redacted]");
}

TEST(SecretShapes, LeaveOtherTextAlone) {
  for (const char* text : {"", "sk-short", "desk-1234567890123456789012345", "AKIA", "-----BEGIN",
                           "SELECT * FROM task_list WHERE id = 'sk-1'", "eyJ", "risk-free"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

TEST(SecretShapes, TakeLinearTime) {
  const std::string dashes(1 << 20, '-');
  EXPECT_FALSE(find_secret(dashes));
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "a-b.c=";
  EXPECT_FALSE(find_secret(words));
}

}  // namespace
}  // namespace helve
