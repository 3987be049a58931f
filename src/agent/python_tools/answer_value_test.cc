#include "agent/python_tools/answer_value.h"

#include <gtest/gtest.h>

#include "base/redaction.h"

namespace helve::python_tools {
namespace {

using rdf::TermView;
using toolkit::ReplyList;
using toolkit::ReplyValue;

std::string json_of(const TermView& term) { return to_json(value_of(term)); }

TermView typed(std::string_view lexical, const std::string& type) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(std::make_unique<std::string>("http://www.w3.org/2001/XMLSchema#" + type));
  return TermView::literal(lexical, *kept.back());
}

TEST(AnswerValue, TermsAreTexts) {
  EXPECT_EQ(json_of(TermView::iri("http://example.org/a")), R"("http://example.org/a")");
  EXPECT_EQ(json_of(TermView::blank("b0")), R"("_:b0")");
  EXPECT_EQ(json_of(TermView::literal("42")), R"("42")");
  EXPECT_EQ(json_of(TermView::lang_literal("Terre", "fr")), R"("Terre")");
  EXPECT_EQ(json_of(typed("2020-01-01", "date")), R"("2020-01-01")");
  EXPECT_EQ(json_of(TermView::literal("1", "http://example.org/integer")), R"("1")");
}

TEST(AnswerValue, NumbersAreNumbersWhereNothingIsLost) {
  EXPECT_EQ(json_of(typed("42", "integer")), "42");
  EXPECT_EQ(json_of(typed("+007", "int")), "7");
  EXPECT_EQ(json_of(typed("-0", "integer")), "0");
  EXPECT_EQ(json_of(typed("18446744073709551615", "unsignedLong")), "18446744073709551615");
  EXPECT_EQ(json_of(typed("123456789012345678901234567890", "integer")),
            "123456789012345678901234567890");
  EXPECT_EQ(json_of(typed("3389.5", "decimal")), "3389.5");
  EXPECT_EQ(json_of(typed(".5", "decimal")), "0.5");
  EXPECT_EQ(json_of(typed("0.1", "decimal")), "0.1");
  // More digits than a double has.
  EXPECT_EQ(json_of(typed("0.12345678901234567890123", "decimal")),
            R"("0.12345678901234567890123")");
  EXPECT_EQ(json_of(typed("9007199254740993", "decimal")), R"("9007199254740993")");
  EXPECT_EQ(value_of(typed("1.5E3", "double")).to_double(), 1500.0);
  EXPECT_EQ(value_of(typed("0.12345678901234567890123", "double")).to_double(),
            0.12345678901234567890123);
}

TEST(AnswerValue, WhatIsNoNumberStaysAText) {
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
  EXPECT_TRUE(value_of(typed(std::string(5'000, '9'), "integer")).if_string() != nullptr);
}

TEST(AnswerValue, BooleansAreBooleans) {
  EXPECT_EQ(json_of(typed("true", "boolean")), "true");
  EXPECT_EQ(json_of(typed("0", "boolean")), "false");
  EXPECT_EQ(json_of(typed("yes", "boolean")), R"("yes")");
}

TEST(AnswerValue, RowsAreObjects) {
  ReplyList list;
  list.columns = {"x", "n"};
  list.items.emplace_back(
      ReplyValue::List{ReplyValue::iri("http://example.org/a"), ReplyValue(std::uint64_t{3})});
  list.items.emplace_back(ReplyValue::List{ReplyValue(), ReplyValue("b")});
  EXPECT_EQ(to_json(items_of(list)), R"([{"x":"http://example.org/a","n":3},{"x":null,"n":"b"}])");
  list.columns.clear();
  EXPECT_EQ(to_json(items_of(list)), R"([["http://example.org/a",3],[null,"b"]])");
}

TEST(AnswerValue, SecretsOfTheProcessAreTakenOut) {
  register_secret("hunter2-hunter2-python");
  EXPECT_EQ(json_of(TermView::literal("it is hunter2-hunter2-python.")), R"("it is [secret].")");
}

TEST(AnswerValue, NamesAreProposedInTheHint) {
  toolkit::ToolError failure(Error{ErrorCode::NotFound, "there is no ex:Plant", "look again"});
  failure.did_you_mean = {"ex:Planet", "ex:Plane"};
  EXPECT_EQ(error_of(failure).hint, "look again; did you mean ex:Planet, ex:Plane?");
  EXPECT_EQ(error_of(failure).code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace helve::python_tools
