#include "toolkit/tools/plain_value.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/redaction.h"

namespace helve::toolkit {
namespace {

using rdf::TermView;

std::string json_of(const TermView& term) { return to_json(plain_value(term)); }

TermView typed(std::string_view lexical, const std::string& type) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(std::make_unique<std::string>("http://www.w3.org/2001/XMLSchema#" + type));
  return TermView::literal(lexical, *kept.back());
}

TEST(PlainValue, TermsAreTexts) {
  EXPECT_EQ(json_of(TermView::iri("http://example.org/a")), R"("http://example.org/a")");
  EXPECT_EQ(json_of(TermView::blank("b0")), R"("_:b0")");
  EXPECT_EQ(json_of(TermView::literal("42")), R"("42")");
  EXPECT_EQ(json_of(TermView::lang_literal("Terre", "fr")), R"("Terre")");
  EXPECT_EQ(json_of(typed("2020-01-01", "date")), R"("2020-01-01")");
  EXPECT_EQ(json_of(TermView::literal("1", "http://example.org/integer")), R"("1")");
}

TEST(PlainValue, NumbersAreNumbers) {
  EXPECT_EQ(json_of(typed("42", "integer")), "42");
  EXPECT_EQ(json_of(typed("+007", "int")), "7");
  EXPECT_EQ(json_of(typed("-0", "integer")), "0");
  EXPECT_EQ(json_of(typed("18446744073709551615", "unsignedLong")), "18446744073709551615");
  EXPECT_EQ(json_of(typed("123456789012345678901234567890", "integer")),
            "123456789012345678901234567890");
  EXPECT_EQ(json_of(typed("3389.5", "decimal")), "3389.5");
  EXPECT_EQ(json_of(typed(".5", "decimal")), "0.5");
  EXPECT_EQ(json_of(typed("0.1", "decimal")), "0.1");
  // More digits than a double has: the nearest, so that all of a column are numbers.
  EXPECT_EQ(plain_value(typed("0.333333333333333333333", "decimal")).to_double(), 1.0 / 3);
  EXPECT_EQ(plain_value(typed("9007199254740993", "decimal")).to_double(), 9007199254740992.0);
  EXPECT_EQ(plain_value(typed("1.5E3", "double")).to_double(), 1500.0);
  EXPECT_EQ(plain_value(typed("0.12345678901234567890123", "double")).to_double(),
            0.12345678901234567890123);
}

TEST(PlainValue, WhatIsNoNumberStaysAText) {
  EXPECT_EQ(json_of(typed("INF", "double")), R"("INF")");
  EXPECT_EQ(json_of(typed("NaN", "float")), R"("NaN")");
  EXPECT_EQ(json_of(typed("1e999", "double")), R"("1e999")");
  EXPECT_EQ(json_of(typed("1e5", "decimal")), R"("1e5")");
  EXPECT_EQ(json_of(typed("ten", "integer")), R"("ten")");
  EXPECT_EQ(json_of(typed("1.5", "integer")), R"("1.5")");
  EXPECT_EQ(json_of(typed("", "decimal")), R"("")");
  EXPECT_EQ(json_of(typed("-", "integer")), R"("-")");
  EXPECT_EQ(json_of(typed("1e", "double")), R"("1e")");
  EXPECT_EQ(json_of(typed("1 2", "integer")), R"("1 2")");
  // Python refuses to read so many digits.
  EXPECT_TRUE(plain_value(typed(std::string(5'000, '9'), "integer")).if_string() != nullptr);
}

TEST(PlainValue, BooleansAreBooleans) {
  EXPECT_EQ(json_of(typed("true", "boolean")), "true");
  EXPECT_EQ(json_of(typed("0", "boolean")), "false");
  EXPECT_EQ(json_of(typed("yes", "boolean")), R"("yes")");
}

TEST(PlainValue, SecretsOfTheProcessAreTakenOut) {
  register_secret("hunter2-hunter2-python");
  EXPECT_EQ(json_of(TermView::literal("it is hunter2-hunter2-python.")), R"("it is [secret].")");
}

}  // namespace
}  // namespace helve::toolkit
