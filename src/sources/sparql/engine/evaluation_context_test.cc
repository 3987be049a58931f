#include "sources/sparql/engine/evaluation_context.h"

#include <gtest/gtest.h>

#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

TEST(EvaluationContext, ValuesBecomeTheIdsOfTheirTerms) {
  Evaluation evaluation(R"(:a :p "text", "x"@en, "1"^^xsd:int .)");
  EvaluationContext& context = evaluation.context();
  const auto find = [&](std::string_view turtle) {
    return evaluation.terms().snapshot().find(term(turtle).view()).value();
  };
  EXPECT_EQ(context.to_id(std::monostate()), Id());
  EXPECT_EQ(context.to_id(rdf::XsdValue::string("text")), find(R"("text")"));
  EXPECT_EQ(context.to_id(rdf::XsdValue{rdf::XsdType::Int, rdf::Integer(1)}),
            find(R"("1"^^xsd:int)"));
  EXPECT_EQ(context.to_id(term(R"("x"@en)")), find(R"("x"@en)"));
  EXPECT_EQ(context.to_id(rdf::XsdValue::integer(7)), find("7"));
  EXPECT_EQ(context.to_id(rdf::XsdValue::decimal(rdf::Integer(2))), find("2.0"));
  const Id fresh = context.to_id(rdf::XsdValue::string("not in the data"));
  EXPECT_EQ(fresh.tag(), rdf::Tag::Local);
  EXPECT_EQ(context.to_id(rdf::XsdValue::string("not in the data")), fresh);
  EXPECT_EQ(evaluation.show(fresh), R"("not in the data")");
}

TEST(EvaluationContext, ComputedDecimalsKeepTheirPoint) {
  Evaluation evaluation;
  EXPECT_EQ(evaluation.show(rdf::XsdValue::decimal(rdf::Integer(2))), shown("2.0"));
  const auto large = rdf::Decimal::parse("12345678901234567890", 100);
  EXPECT_EQ(evaluation.show(rdf::XsdValue::decimal(*large)), shown("12345678901234567890.0"));
}

TEST(EvaluationContext, TypedValuesOfLiterals) {
  Evaluation evaluation;
  const auto has_value = [&](std::string_view turtle) {
    return evaluation.context().to_xsd(evaluation.id(turtle)).has_value();
  };
  EXPECT_TRUE(has_value("1"));
  EXPECT_TRUE(has_value(R"("x")"));
  EXPECT_TRUE(has_value(R"("1"^^xsd:short)"));
  EXPECT_FALSE(has_value(R"("x"@en)"));
  EXPECT_FALSE(has_value(R"("x"^^xsd:integer)"));
  EXPECT_FALSE(has_value(R"("x"^^:t)"));
  EXPECT_FALSE(has_value(":x"));
}

// https://www.w3.org/TR/sparql11-query/#ebv
TEST(EvaluationContext, EffectiveBooleanValues) {
  Evaluation evaluation;
  const std::pair<std::string_view, std::optional<bool>> cases[] = {
      {"true", true},
      {"false", false},
      {R"("1"^^xsd:boolean)", true},
      {R"("x"^^xsd:boolean)", false},
      {R"("x"^^xsd:integer)", false},
      {R"("")", false},
      {R"("false")", true},
      {R"(""@en)", false},
      {R"("x"@en)", true},
      {"0", false},
      {"0.0", false},
      {"-0.5", true},
      {"0.0e0", false},
      {R"("NaN"^^xsd:double)", false},
      {"00", false},
      {"12345678901234567890", true},
      {R"("2024-01-01"^^xsd:date)", std::nullopt},
      {R"("x"^^xsd:date)", std::nullopt},
      {R"("x"^^:t)", std::nullopt},
      {":x", std::nullopt},
      {"_:x", std::nullopt},
  };
  for (const auto& [turtle, expected] : cases) {
    EXPECT_EQ(evaluation.context().truth(evaluation.id(turtle)), expected) << turtle;
    EXPECT_EQ(evaluation.context().truth(term(turtle)), expected) << turtle;
  }
  EXPECT_EQ(evaluation.context().truth(std::monostate()), std::nullopt);
  EXPECT_EQ(evaluation.context().truth(rdf::XsdValue::string("")), false);
}

TEST(EvaluationContext, TheFirstFailureStays) {
  Evaluation evaluation;
  EvaluationContext& context = evaluation.context();
  context.fail(Error(ErrorCode::LimitExceeded, "first"));
  context.fail(Error(ErrorCode::Cancelled, "second"));
  EXPECT_EQ(context.failure()->message, "first");
  EXPECT_FALSE(context.spend(1));
}

TEST(EvaluationContext, WorkLooksAtTheDeadline) {
  Evaluation evaluation;
  evaluation.op().deadline = Deadline(evaluation.env().clock(), std::chrono::seconds(1));
  EXPECT_TRUE(evaluation.context().spend(2 * PacedCheck::kWorkPerCheck));
  evaluation.env().clock().advance(std::chrono::seconds(2));
  EXPECT_FALSE(evaluation.context().spend(2 * PacedCheck::kWorkPerCheck));
  EXPECT_EQ(evaluation.context().failure()->code, ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace helve::sparql
