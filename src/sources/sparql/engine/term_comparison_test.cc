#include "sources/sparql/engine/term_comparison.h"

#include <gtest/gtest.h>

#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

using F = Function;

TEST(TermComparison, EqualityOfTerms) {
  check_functions_of({
      {F::Equal, ":x, :x", "true"},
      {F::Equal, ":x, :y", "false"},
      {F::Equal, R"(:x, "http://example.org/x")", "false"},
      {F::Equal, ":x, 1", "false"},
      {F::Equal, R"(:x, "x"^^:t)", "false"},
      {F::NotEqual, ":x, :y", "true"},
      {F::NotEqual, R"(:x, "x"^^:t)", "true"},
      {F::Equal, R"("a", "a")", "true"},
      {F::Equal, R"("a", "b")", "false"},
      {F::Equal, R"("a"^^xsd:token, "a")", "true"},
      {F::Equal, R"("a"@en, "a"@en)", "true"},
      {F::Equal, R"("a"@en, "a"@EN)", "true"},
      {F::NotEqual, R"("a"@en, "a"@EN)", "false"},
      {F::Equal, R"("a"@en, "a"@fr)", "false"},
      {F::Equal, R"("a"@en, "a")", "false"},
      {F::NotEqual, R"("a"@en, "a")", "true"},
      {F::NotEqual, R"("a"@en, "a"^^:t)", "true"},
      {F::NotEqual, R"("a"@en, "a"^^xsd:integer)", "true"},
  });
}

TEST(TermComparison, EqualityOfValues) {
  check_functions_of({
      {F::Equal, "1, 1", "true"},
      {F::Equal, "1, 01", "true"},
      {F::Equal, "1, 1.0", "true"},
      {F::Equal, "1, 1.0e0", "true"},
      {F::Equal, R"(1, "1"^^xsd:byte)", "true"},
      {F::Equal, "0.1, 0.1e0", "true"},
      {F::Equal, "1, 2", "false"},
      {F::Equal, "1, true", "false"},
      {F::Equal, R"(1, "1")", "false"},
      {F::NotEqual, R"(1, "1")", "true"},
      {F::Equal, R"("1"^^xsd:boolean, true)", "true"},
      {F::Equal, R"("NaN"^^xsd:double, "NaN"^^xsd:double)", "false"},
      {F::NotEqual, R"("NaN"^^xsd:double, "NaN"^^xsd:double)", "true"},
      {F::Equal, R"("-0"^^xsd:double, 0)", "true"},
      {F::Equal, R"("P1Y"^^xsd:duration, "P12M"^^xsd:yearMonthDuration)", "true"},
      {F::Equal,
       R"("2024-01-01T12:00:00Z"^^xsd:dateTime, "2024-01-01T13:00:00+01:00"^^xsd:dateTime)",
       "true"},
      {F::Equal, R"("2024-01-01T12:00:00Z"^^xsd:dateTime, "2024-01-01"^^xsd:date)", "false"},
  });
}

// https://www.w3.org/TR/sparql11-query/#func-RDFterm-equal
TEST(TermComparison, UnknownLiteralsAreOnlyEqualToThemselves) {
  check_functions_of({
      {F::Equal, R"("a"^^:t, "a"^^:t)", "true"},
      {F::NotEqual, R"("a"^^:t, "a"^^:t)", "false"},
      {F::Equal, R"("a"^^:t, "b"^^:t)", "error"},
      {F::NotEqual, R"("a"^^:t, "b"^^:t)", "error"},
      {F::Equal, R"("a"^^:t, "a")", "error"},
      {F::Equal, R"("a"^^:t, 1)", "error"},
      {F::Equal, R"("a"^^xsd:integer, "a"^^xsd:integer)", "true"},
      {F::Equal, R"("a"^^xsd:integer, 1)", "error"},
      {F::Equal, R"("a"^^xsd:integer, "a")", "error"},
      {F::Equal, R"(" 1"^^xsd:integer, 1)", "error"},
  });
}

TEST(TermComparison, DatesWithoutTimeZoneCompareWhereItCannotMatter) {
  check_functions_of({
      {F::Equal, R"("2006-08-23"^^xsd:date, "2006-08-23"^^xsd:date)", "true"},
      {F::Equal, R"("2006-08-23"^^xsd:date, "2006-08-23Z"^^xsd:date)", "error"},
      {F::NotEqual, R"("2006-08-23"^^xsd:date, "2006-08-23Z"^^xsd:date)", "error"},
      {F::NotEqual, R"("2006-08-23"^^xsd:date, "2001-01-01Z"^^xsd:date)", "true"},
      {F::Equal, R"("2006-08-23Z"^^xsd:date, "2006-08-23+00:00"^^xsd:date)", "true"},
      {F::Greater, R"("2006-08-23Z"^^xsd:date, "2006-08-22"^^xsd:date)", "true"},
      {F::Less, R"("2006-08-23Z"^^xsd:date, "2006-08-23"^^xsd:date)", "error"},
      {F::Less, R"("2006-08-23T00:00:00"^^xsd:dateTime, "2006-08-23T10:00:00Z"^^xsd:dateTime)",
       "error"},
      {F::Less, R"("2006-08-23T00:00:00"^^xsd:dateTime, "2006-08-23T15:00:00Z"^^xsd:dateTime)",
       "true"},
  });
}

TEST(TermComparison, Order) {
  check_functions_of({
      {F::Less, "1, 2", "true"},
      {F::Less, "2, 1", "false"},
      {F::Less, "-1, 1", "true"},
      {F::LessEqual, "1, 1.0", "true"},
      {F::Greater, "2.5, 2", "true"},
      {F::GreaterEqual, "-1.5e0, -1.5", "true"},
      {F::Less, R"("1"^^xsd:byte, 1000)", "true"},
      {F::Less, R"("a", "b")", "true"},
      {F::Less, R"("é", "z")", "false"},
      {F::LessEqual, R"("a", "a")", "true"},
      {F::Less, "false, true", "true"},
      {F::Less, R"("2024-01-01"^^xsd:date, "2024-01-02"^^xsd:date)", "true"},
      {F::Less,
       R"("2024-01-01T12:00:00Z"^^xsd:dateTime, "2024-01-01T12:30:00+01:00"^^xsd:dateTime)",
       "false"},
      {F::Less, R"("NaN"^^xsd:double, 1)", "false"},
      {F::GreaterEqual, R"("NaN"^^xsd:double, 1)", "false"},
      {F::Less, R"("P1Y"^^xsd:yearMonthDuration, "P13M"^^xsd:yearMonthDuration)", "true"},
      {F::Less, R"("P1Y"^^xsd:duration, "P13M"^^xsd:duration)", "error"},
      {F::Less, R"(1, "2")", "error"},
      {F::Less, "1, true", "error"},
      {F::Less, ":a, :b", "error"},
      {F::Less, "_:a, _:b", "error"},
      {F::Less, R"("a"@en, "b"@en)", "error"},
      {F::Less, R"("a"^^:t, "b"^^:t)", "error"},
      {F::LessEqual, R"("a"^^:t, "a"^^:t)", "error"},
      {F::Less, R"("2024-01-01"^^xsd:date, "2024-01-02T00:00:00"^^xsd:dateTime)", "error"},
  });
}

TEST(TermComparison, TheSameForConstantsAndVariables) {
  Evaluation evaluation(R"(:a :p "x", 1, "1"^^xsd:byte, "2020"^^xsd:gYear .)");
  const auto test = [&](F function, std::string_view x, std::string_view y) {
    std::string as_variables = evaluation.truth(operation(function, {variable("x"), variable("y")}),
                                                {{"x", std::string(x)}, {"y", std::string(y)}});
    EXPECT_EQ(evaluation.truth(operation(function, {variable("x"), constant(y)}),
                               {{"x", std::string(x)}}),
              as_variables);
    EXPECT_EQ(evaluation.truth(operation(function, {constant(x), variable("y")}),
                               {{"y", std::string(y)}}),
              as_variables);
    return as_variables;
  };
  EXPECT_EQ(test(F::Equal, R"("x")", R"("x")"), "true");
  EXPECT_EQ(test(F::Equal, R"("x")", R"("y")"), "false");
  EXPECT_EQ(test(F::Equal, "1", R"("1"^^xsd:byte)"), "true");
  EXPECT_EQ(test(F::Less, R"("2020"^^xsd:gYear)", R"("2021"^^xsd:gYear)"), "true");
  EXPECT_EQ(test(F::Less, R"("x")", R"("y")"), "true");
  EXPECT_EQ(test(F::Equal, R"("01"^^xsd:integer)", "1"), "true");
  EXPECT_EQ(test(F::SameTerm, R"("01"^^xsd:integer)", "1"), "false");
}

}  // namespace
}  // namespace helve::sparql
