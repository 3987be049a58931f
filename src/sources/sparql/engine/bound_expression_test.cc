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

TEST(BoundExpression, ConstantsAreComputedOnceAndErrorsWhereTheyAreMet) {
  Limits limits;
  limits.literal_bytes_max = 40;
  Evaluation evaluation("", "", limits);
  const Expression long_text =
      operation(Function::Concat,
                R"("12345678901234567890", "12345678901234567890", "12345678901234567890")");
  EXPECT_EQ(evaluation(operation(Function::If, {constant("true"), constant("1"), long_text})),
            shown("1"));
  EXPECT_EQ(evaluation(operation(Function::Concat, R"("a", "b")")), shown("\"ab\""));
  EXPECT_EQ(evaluation(operation(Function::StrLen, R"("ab")")), shown("2"));
  const Expression sum = operation(Function::Add, {constant("1"), constant("\"a\"")});
  EXPECT_EQ(evaluation(operation(Function::Coalesce, {sum, constant("3")})), shown("3"));
  EXPECT_NE(evaluation(operation(Function::StrUuid, std::vector<Expression>())),
            evaluation(operation(Function::StrUuid, std::vector<Expression>())));
  EXPECT_TRUE(evaluation(long_text).starts_with("failed: "));
}

TEST(BoundExpression, InIsAChainOfEqualities) {
  Evaluation evaluation;
  const auto in = [&](const std::vector<Expression>& arguments) {
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

TEST(BoundExpression, InOfConstantsLooksUpIris) {
  Evaluation evaluation(":a :p 1 .");
  const Expression in = operation(Function::In, {variable("x"), constant(":b"), constant("1"),
                                                 constant(":a"), constant(R"("x"^^:unknown)")});
  EXPECT_EQ(evaluation.truth(in, {{"x", ":a"}}), "true");
  EXPECT_EQ(evaluation.truth(in, {{"x", ":b"}}), "true");
  EXPECT_EQ(evaluation.truth(in, {{"x", ":c"}}), "false");
  EXPECT_EQ(evaluation.truth(in, {{"x", "_:c"}}), "false");
  EXPECT_EQ(evaluation.truth(in, {{"x", "1.0"}}), "true");
  EXPECT_EQ(evaluation.truth(in, {{"x", "2"}}), "error");
  EXPECT_EQ(evaluation.truth(in, {}), "error");
}

TEST(BoundExpression, ConstantsAreFolded) {
  Evaluation evaluation(":a :p 1 .", "http://example.org/");
  const Expression iri = operation(Function::Iri, {constant(R"("a")")});
  EXPECT_EQ(evaluation.truth(operation(Function::Equal, {variable("x"), iri}), {{"x", ":a"}}),
            "true");
  const Expression date{
      Call{"http://www.w3.org/2001/XMLSchema#date", false, {constant(R"("2024-01-01")")}}};
  EXPECT_EQ(evaluation.truth(operation(Function::Less, {variable("x"), date}),
                             {{"x", R"("2023-01-01"^^xsd:date)"}}),
            "true");
  // An error is one only where it is evaluated.
  const Expression bad{
      Call{"http://www.w3.org/2001/XMLSchema#date", false, {constant(R"("soon")")}}};
  EXPECT_EQ(evaluation(bad), "error");
  EXPECT_EQ(evaluation(operation(Function::Coalesce, {bad, constant("1")})), shown("1"));
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

TEST(BoundExpression, ExpressionsMayBeAsDeepAsTheParserAllows) {
  Expression sum = variable("x");
  Expression choice = variable("x");
  const Expression one = constant("1");
  for (std::size_t i = 0; i < Limits().query_depth_max; ++i) {
    std::vector<Expression> arguments;
    arguments.push_back(std::move(sum));
    arguments.push_back(one);
    sum = operation(Function::Add, std::move(arguments));
    std::vector<Expression> alternatives;
    alternatives.push_back(error_expression());
    alternatives.push_back(std::move(choice));
    choice = operation(Function::Coalesce, std::move(alternatives));
  }
  Evaluation evaluation;
  EXPECT_EQ(evaluation(sum, {{"x", "0"}}), shown("1000"));
  EXPECT_EQ(evaluation(choice, {{"x", "5"}}), shown("5"));
}

const Expression kForeignCall{Call{"http://example.org/f", false, {}}};

TEST(BoundExpression, UnknownFunctionsAreDenied) {
  Evaluation evaluation;
  const auto bound = BoundExpression::bind(kForeignCall, Schema(), evaluation.context(), {});
  ASSERT_FALSE(bound.has_value());
  EXPECT_EQ(bound.error().code, ErrorCode::Denied);
  EXPECT_EQ(bound.error().message, "there is no function <http://example.org/f>");
}

TEST(BoundExpression, FunctionsAreCheckedEverywhere) {
  const Expression cast{Call{"http://www.w3.org/2001/XMLSchema#integer", false, {constant("1")}}};
  EXPECT_TRUE(check_functions(cast).has_value());
  EXPECT_FALSE(check_functions(kForeignCall).has_value());
  EXPECT_FALSE(check_functions(operation(Function::Not, {kForeignCall})).has_value());
  EXPECT_FALSE(
      check_functions(
          Expression(Call{"http://www.w3.org/2001/XMLSchema#integer", false, {kForeignCall}}))
          .has_value());
  EXPECT_FALSE(check_functions(Expression(Aggregate{AggregateKind::Sum, false, {kForeignCall}, {}}))
                   .has_value());
  const Pattern inner{Filter{Pattern(), {operation(Function::Not, {kForeignCall})}}};
  EXPECT_FALSE(check_functions(Expression(Exists(inner))).has_value());
  const Pattern good{Filter{Pattern(), {cast}}};
  EXPECT_TRUE(check_functions(Expression(Exists(good))).has_value());
}

TEST(BoundExpression, CastsTakeOneArgument) {
  Evaluation evaluation;
  const std::string integer = "http://www.w3.org/2001/XMLSchema#integer";
  for (const Expression& bad : {Expression(Call{integer, false, {}}),
                                Expression(Call{integer, false, {constant("1"), constant("2")}}),
                                Expression(Call{integer, true, {constant("1")}})}) {
    const auto bound = BoundExpression::bind(bad, Schema(), evaluation.context(), {});
    ASSERT_FALSE(bound.has_value());
    EXPECT_EQ(bound.error().code, ErrorCode::InvalidInput);
  }
}

// Says what it is told, and counts how often.
class FakeProbe final : public PatternProbe {
 public:
  FakeProbe(Result<bool> answer, int& calls) : answer_(std::move(answer)), calls_(calls) {}
  Result<bool> exists(const Batch& /*batch*/, std::size_t /*row*/) override {
    ++calls_;
    return answer_;
  }

 private:
  Result<bool> answer_;
  int& calls_;
};

TEST(BoundExpression, ExistsAsksTheProbe) {
  const auto run = [](const Expression& expression, const Result<bool>& answer, int& calls,
                      Evaluation& evaluation) {
    const MakeProbe make = [&](const Exists&) -> Result<std::unique_ptr<PatternProbe>> {
      return std::make_unique<FakeProbe>(answer, calls);
    };
    const auto bound = BoundExpression::bind(expression, Schema(), evaluation.context(), make);
    Batch batch;
    batch.rows = 1;
    return bound->truth(batch, 0, evaluation.context());
  };
  Evaluation evaluation;
  int calls = 0;
  EXPECT_EQ(run(Expression(Exists(Pattern())), true, calls, evaluation), true);
  EXPECT_EQ(run(Expression(Exists(Pattern(), true)), true, calls, evaluation), false);
  EXPECT_EQ(run(Expression(Exists(Pattern(), true)), false, calls, evaluation), true);
  EXPECT_EQ(calls, 3);
  // What is settled already is not asked.
  EXPECT_EQ(run(operation(Function::Or, {constant("true"), Expression(Exists(Pattern()))}), false,
                calls, evaluation),
            true);
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(evaluation.context().failure().has_value());
  EXPECT_EQ(
      run(Expression(Exists(Pattern())), Error(ErrorCode::Cancelled, "stopped"), calls, evaluation),
      std::nullopt);
  EXPECT_EQ(evaluation.context().failure()->message, "stopped");
}

}  // namespace
}  // namespace helve::sparql
