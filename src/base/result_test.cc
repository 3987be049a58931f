// Errors: passing up, texts, codes.
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace helve {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::InvalidInput, "odd", "give an even one"};
  return number / 2;
}

Result<int> quarter(int number) {
  HELVE_ASSIGN(const int first, half(number));
  HELVE_ASSIGN(const int second, half(first));
  return second;
}

Result<void> check_even(int number) {
  HELVE_TRY(half(number));
  return {};
}

TEST(Result, ValuesPassThrough) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_TRUE(check_even(2));
}

TEST(Result, TheFirstErrorComesBack) {
  const auto result = quarter(6);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(result.error().to_string(), "odd (give an even one)");
  EXPECT_FALSE(check_even(1));
}

TEST(Result, CarriesMoveOnlyValues) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  const auto use = [&]() -> Result<int> {
    HELVE_ASSIGN(const auto pointer, make());
    return *pointer;
  };
  EXPECT_EQ(*use(), 7);
}

TEST(Error, TextNamesDocumentAndPlace) {
  const Error error = Error{ErrorCode::InvalidInput, "expected '.'"}.at("a.ttl", {3, 17});
  EXPECT_EQ(error.to_string(), "a.ttl:3:17: expected '.'");
  EXPECT_EQ((Error{ErrorCode::Internal, "x"}.at("", {1, 2}).to_string()), "1:2: x");
}

TEST(Error, WordsOfOthersStandBehindOurOwn) {
  Error error = Error(ErrorCode::NotFound, "there is no such table", "list them")
                    .with_detail("relation \"x\" does not exist")
                    .because(ErrorReason::Expired);
  EXPECT_EQ(error.full_message(), "there is no such table: relation \"x\" does not exist");
  EXPECT_EQ(error.reason, ErrorReason::Expired);
  error.suggestions = {"y", "z"};
  EXPECT_EQ(error.full_hint(), "list them; did you mean y, z?");
  EXPECT_EQ(
      error.to_string(),
      "there is no such table: relation \"x\" does not exist (list them; did you mean y, z?)");
  error.restate("it failed");
  EXPECT_EQ(error.full_message(),
            "it failed: there is no such table: relation \"x\" does not exist");
  error.hint.clear();
  EXPECT_EQ(error.full_hint(), "did you mean y, z?");
}

TEST(Error, CodesHaveStableNamesAndNumbers) {
  EXPECT_EQ(error_code_name(ErrorCode::Internal), "internal");
  EXPECT_EQ(error_code_name(ErrorCode::InvalidInput), "invalid_input");
  EXPECT_EQ(error_code_name(ErrorCode::NotFound), "not_found");
  EXPECT_EQ(error_code_name(ErrorCode::Denied), "denied");
  EXPECT_EQ(error_code_name(ErrorCode::LimitExceeded), "limit_exceeded");
  EXPECT_EQ(error_code_name(ErrorCode::Unavailable), "unavailable");
  EXPECT_EQ(error_code_name(ErrorCode::Cancelled), "cancelled");
  EXPECT_EQ(static_cast<int>(ErrorCode::Internal), 1);
  EXPECT_EQ(static_cast<int>(ErrorCode::Cancelled), 7);
}

}  // namespace
}  // namespace helve
