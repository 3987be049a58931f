// Numbers and casts; the other functions have tests beside their files.
#include "sources/sparql/engine/term_functions.h"

#include <gtest/gtest.h>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

using F = Function;

TEST(TermFunctions, ArithmeticPromotes) {
  check_functions_of({
      {F::Add, "1, 2", "3"},
      {F::Add, "1, 2.5", "3.5"},
      {F::Add, "1.5, 2.5", "4.0"},
      {F::Add, "1, 2.5e0", "3.5E0"},
      {F::Add, R"(1, "2"^^xsd:float)", R"("3.0E0"^^xsd:float)"},
      {F::Add, R"("1"^^xsd:byte, "2"^^xsd:int)", "3"},
      {F::Add, "576460752303423487, 1", "576460752303423488"},
      {F::Add, "9223372036854775807, 1", "9223372036854775808"},
      {F::Subtract, "1, 2", "-1"},
      {F::Multiply, "1.5, 2", "3.0"},
      {F::Divide, "1, 2", "0.5"},
      {F::Divide, "4, 2", "2.0"},
      {F::Divide, "1, 0", "error"},
      {F::Divide, "1.0, 0.0", "error"},
      {F::Divide, "1, 0.0e0", R"("INF"^^xsd:double)"},
      {F::Add, R"(1, "2")", "error"},
      {F::Add, R"(1, "x"^^xsd:integer)", "error"},
      {F::Add, "1, :x", "error"},
      {F::Add, R"("a", "b")", "error"},
      {F::Negate, "1", "-1"},
      {F::Negate, "-1.5", "1.5"},
      {F::Negate, R"("x")", "error"},
      {F::Plus, "1", "1"},
      {F::Plus, R"("x")", "error"},
  });
}

TEST(TermFunctions, RoundingKeepsTheType) {
  check_functions_of({
      {F::Abs, "-1.5", "1.5"},
      {F::Abs, "-1", "1"},
      {F::Abs, "-1.5e0", "1.5E0"},
      {F::Abs, R"("-3"^^xsd:int)", "3"},
      {F::Abs, R"("x")", "error"},
      {F::Round, "2.4999", "2.0"},
      {F::Round, "2.5", "3.0"},
      {F::Round, "-2.5", "-2.0"},
      {F::Round, "2.5e0", "3.0E0"},
      {F::Round, "7", "7"},
      {F::Ceil, "10.5", "11.0"},
      {F::Ceil, "-10.5", "-10.0"},
      {F::Floor, "10.5", "10.0"},
      {F::Floor, "-10.5e0", "-1.1E1"},
      {F::Floor, ":x", "error"},
  });
}

TEST(TermFunctions, RandomNumbersAreBelowOne) {
  Evaluation evaluation;
  for (int i = 0; i < 100; ++i) {
    const Value value = call_function(F::Rand, {}, evaluation.context());
    const double number = std::get<double>(std::get<rdf::XsdValue>(value).data);
    EXPECT_GE(number, 0);
    EXPECT_LT(number, 1);
  }
}

struct CastCase {
  std::string_view type;
  std::string_view argument;
  std::string_view expected;
};

constexpr CastCase kCasts[] = {
    {"string", "1", R"("1")"},
    {"string", "1.50", R"("1.5")"},
    {"string", "1.0e0", R"("1")"},
    {"string", ":x", R"("http://example.org/x")"},
    {"string", "true", R"("true")"},
    {"string", R"("x"@en)", "error"},
    {"string", R"("x"^^:t)", "error"},
    {"string", "_:x", "error"},
    {"boolean", R"("true")", "true"},
    {"boolean", R"("1")", "true"},
    {"boolean", R"("yes")", "error"},
    {"boolean", "0", "false"},
    {"boolean", "2.5", "true"},
    {"boolean", R"("NaN"^^xsd:double)", "false"},
    {"boolean", ":x", "error"},
    {"integer", R"(" 42 ")", "42"},
    {"integer", R"("4.2")", "error"},
    {"integer", "3.7", "3"},
    {"integer", "-3.7e0", "-3"},
    {"integer", "true", "1"},
    {"integer", R"("INF"^^xsd:double)", "error"},
    {"integer", R"("x"^^xsd:integer)", "error"},
    {"decimal", R"("1.5")", "1.5"},
    {"decimal", "2", "2.0"},
    {"decimal", R"("1e0")", "error"},
    {"double", R"("1.5")", "1.5E0"},
    {"double", R"("not a double")", "error"},
    {"double", "1", "1.0E0"},
    {"float", R"("1.5")", R"("1.5E0"^^xsd:float)"},
    {"dateTime", R"("2024-01-02T03:04:05")", R"("2024-01-02T03:04:05"^^xsd:dateTime)"},
    {"dateTime", R"("2024-01-02"^^xsd:date)", R"("2024-01-02T00:00:00"^^xsd:dateTime)"},
    {"dateTime", R"("yesterday")", "error"},
    {"date", R"("2024-01-02T03:04:05Z"^^xsd:dateTime)", R"("2024-01-02Z"^^xsd:date)"},
    {"time", R"("2024-01-02T03:04:05Z"^^xsd:dateTime)", R"("03:04:05Z"^^xsd:time)"},
    {"duration", R"("P1D")", R"("P1D"^^xsd:duration)"},
    {"dayTimeDuration", R"("P1M1D"^^xsd:duration)", R"("P1D"^^xsd:dayTimeDuration)"},
    {"byte", "127", R"("127"^^xsd:byte)"},
    {"byte", "128", "error"},
    {"nonNegativeInteger", "-1", "error"},
};

TEST(TermFunctions, Casts) {
  Evaluation evaluation;
  for (const CastCase& test : kCasts) {
    const std::string iri = std::string(rdf::kXsd) + std::string(test.type);
    ASSERT_TRUE(is_cast(iri));
    const Expression call{Call{iri, false, {constant(test.argument)}}};
    EXPECT_EQ(evaluation(call), shown(test.expected)) << test.type << " of " << test.argument;
  }
  EXPECT_FALSE(is_cast("http://www.w3.org/2001/XMLSchema#nothing"));
  EXPECT_FALSE(is_cast("http://example.org/integer"));
  EXPECT_TRUE(is_error(call_cast(rdf::kXsdInteger, std::monostate(), evaluation.context())));
}

TEST(TermFunctions, AnErrorAmongTheArgumentsIsAnError) {
  Evaluation evaluation;
  const std::vector<Value> arguments{std::monostate(), term("1")};
  EXPECT_TRUE(is_error(call_function(F::Add, arguments, evaluation.context())));
  EXPECT_TRUE(is_error(call_function(F::SameTerm, arguments, evaluation.context())));
}

TEST(TermFunctions, NumbersOfTooManyDigitsAreErrors) {
  Limits limits;
  limits.number_digits_max = 20;
  Evaluation evaluation("", "", limits);
  EXPECT_EQ(evaluation(operation(F::Multiply, "99999999999, 99999999999")), "error");
  EXPECT_EQ(evaluation(operation(F::Multiply, "999999999, 999999999")),
            shown("999999998000000001"));
}

}  // namespace
}  // namespace helve::sparql
