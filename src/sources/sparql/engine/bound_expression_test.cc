#include "sources/sparql/engine/bound_expression.h"

#include <gtest/gtest.h>

#include "sources/sparql/algebra/pattern.h"
#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

// The three truth values as expressions.
Expression truth_value(char letter) {
  if (letter == 'E') return error_expression();
  return constant(letter == 'T' ? "true" : "false");
}

TEST(BoundExpression, AndOrNotHaveThreeValues) {
  struct Case {
    std::string_view arguments;
    std::string_view conjunction;
    std::string_view disjunction;
  };
  const Case cases[] = {
      {"TT", "true", "true"},   {"TF", "false", "true"},   {"FT", "false", "true"},
      {"FF", "false", "false"}, {"TE", "error", "true"},   {"ET", "error", "true"},
      {"FE", "false", "error"}, {"EF", "false", "error"},  {"EE", "error", "error"},
      {"TTE", "error", "true"}, {"EEF", "false", "error"}, {"EFT", "false", "true"},
      {"TTT", "true", "true"},  {"FFF", "false", "false"},
  };
  Evaluation evaluation;
  for (const Case& test : cases) {
    SCOPED_TRACE(test.arguments);
    std::vector<Expression> arguments;
    for (const char letter : test.arguments) arguments.push_back(truth_value(letter));
    EXPECT_EQ(evaluation.truth(operation(Function::And, arguments)), test.conjunction);
    EXPECT_EQ(evaluation.truth(operation(Function::Or, arguments)), test.disjunction);
  }
  EXPECT_EQ(evaluation.truth(operation(Function::Not, {truth_value('T')})), "false");
  EXPECT_EQ(evaluation.truth(operation(Function::Not, {truth_value('F')})), "true");
  EXPECT_EQ(evaluation.truth(operation(Function::Not, {truth_value('E')})), "error");
}

TEST(BoundExpression, InIsAChainOfEqualities) {
  Evaluation evaluation;
  const auto in = [&](std::vector<Expression> arguments) {
    return evaluation.truth(operation(Function::In, arguments)) + " " +
           evaluation.truth(operation(Function::NotIn, arguments));
  };
  EXPECT_EQ(in({constant("2"), constant("1"), constant("2")}), "true false");
  EXPECT_EQ(in({constant("2"), constant("2.0")}), "true false");
  EXPECT_EQ(in({constant("2")}), "false true");
  EXPECT_EQ(in({constant("2"), constant(":x"), constant("3")}), "false true");
  EXPECT_EQ(in({constant("2"), error_expression(), constant("2")}), "true false");
  EXPECT_EQ(in({constant("2"), error_expression(), constant("3")}), "error error");
  EXPECT_EQ(in({error_expression(), constant("3")}), "error error");
}

TEST(BoundExpression, FunctionalFormsAreLazy) {
  Evaluation evaluation;
  EXPECT_EQ(
      evaluation(operation(Function::If, {constant("true"), constant("1"), error_expression()})),
      rdf::to_ntriples(term("1").view()));
  EXPECT_EQ(evaluation(operation(Function::If, {constant("0"), constant("1"), constant("2")})),
            rdf::to_ntriples(term("2").view()));
  EXPECT_EQ(evaluation(operation(Function::If, {constant(":x"), constant("1"), constant("2")})),
            "error");
  EXPECT_EQ(
      evaluation(operation(Function::Coalesce, {error_expression(), constant("2"), constant("3")})),
      rdf::to_ntriples(term("2").view()));
  EXPECT_EQ(evaluation(operation(Function::Coalesce, std::vector<Expression>())), "error");
  EXPECT_EQ(evaluation.truth(operation(Function::Bound, {variable("x")}), {{"x", "1"}}), "true");
  EXPECT_EQ(evaluation.truth(operation(Function::Bound, {variable("y")}), {{"x", "1"}}), "false");
}

TEST(BoundExpression, VariablesAreColumns) {
  Evaluation evaluation(":a :p 5 .");
  const Expression sum = operation(Function::Add, {variable("x"), variable("y")});
  EXPECT_EQ(evaluation(sum, {{"x", "1"}, {"y", "2"}}), rdf::to_ntriples(term("3").view()));
  EXPECT_EQ(evaluation(sum, {{"x", "1"}}), "error");
  const Expression is_a = operation(Function::Equal, {variable("x"), constant(":a")});
  EXPECT_EQ(evaluation.truth(is_a, {{"x", ":a"}}), "true");
  EXPECT_EQ(evaluation.truth(is_a, {{"x", ":b"}}), "false");
}

TEST(BoundExpression, UnknownFunctionsAreDenied) {
  Evaluation evaluation;
  const Expression call{Call{"http://example.org/f", false, {}}};
  const auto bound = BoundExpression::bind(call, Schema(), evaluation.context(), {});
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code, ErrorCode::Denied);
  EXPECT_EQ(bound.error().message, "there is no function <http://example.org/f>");
}

}  // namespace
}  // namespace helve::sparql
