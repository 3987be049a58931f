#include "sources/sparql/engine/date_functions.h"

#include <gtest/gtest.h>

#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

using F = Function;

TEST(DateFunctions, PartsOfDateTimes) {
  check_functions_of({
      {F::Year, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)", "2011"},
      {F::Month, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)", "1"},
      {F::Day, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)", "10"},
      {F::Hours, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)", "14"},
      {F::Minutes, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)", "45"},
      {F::Seconds, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)", "13.815"},
      {F::Seconds, R"("2011-01-10T14:45:13"^^xsd:dateTime)", "13.0"},
      {F::Year, R"("-0044-03-15T00:00:00"^^xsd:dateTime)", "-44"},
      {F::Year, R"("2011-13-10T14:45:13"^^xsd:dateTime)", "error"},
      {F::Year, R"("2011-01-10T14:45:13")", "error"},
      {F::Year, "2011", "error"},
      {F::Year, ":x", "error"},
  });
}

TEST(DateFunctions, PartsOfOtherTypesThatHaveThem) {
  check_functions_of({
      {F::Year, R"("2011-01-10"^^xsd:date)", "2011"},
      {F::Month, R"("2011-01-10"^^xsd:date)", "1"},
      {F::Day, R"("2011-01-10Z"^^xsd:date)", "10"},
      {F::Hours, R"("2011-01-10"^^xsd:date)", "error"},
      {F::Seconds, R"("2011-01-10"^^xsd:date)", "error"},
      {F::Hours, R"("14:45:13"^^xsd:time)", "14"},
      {F::Year, R"("14:45:13"^^xsd:time)", "error"},
      {F::Year, R"("2011"^^xsd:gYear)", "2011"},
      {F::Month, R"("2011"^^xsd:gYear)", "error"},
      {F::Month, R"("--02"^^xsd:gMonth)", "2"},
  });
}

TEST(DateFunctions, TimeZones) {
  check_functions_of({
      {F::Timezone, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)",
       R"("-PT5H"^^xsd:dayTimeDuration)"},
      {F::Timezone, R"("2011-01-10T14:45:13Z"^^xsd:dateTime)", R"("PT0S"^^xsd:dayTimeDuration)"},
      {F::Timezone, R"("2011-01-10T14:45:13"^^xsd:dateTime)", "error"},
      {F::Timezone, R"("2011-01-10+05:30"^^xsd:date)", R"("PT5H30M"^^xsd:dayTimeDuration)"},
      {F::Tz, R"("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime)", R"("-05:00")"},
      {F::Tz, R"("2011-01-10T14:45:13+05:30"^^xsd:dateTime)", R"("+05:30")"},
      {F::Tz, R"("2011-01-10T14:45:13Z"^^xsd:dateTime)", R"("Z")"},
      {F::Tz, R"("2011-01-10T14:45:13"^^xsd:dateTime)", R"("")"},
      {F::Tz, R"("2011")", "error"},
  });
}

TEST(DateFunctions, ArithmeticWithDurations) {
  check_functions_of({
      {F::Add, R"("2024-01-31"^^xsd:date, "P1M"^^xsd:yearMonthDuration)",
       R"("2024-02-29"^^xsd:date)"},
      {F::Subtract, R"("2024-03-01"^^xsd:date, "2024-02-01"^^xsd:date)",
       R"("P29D"^^xsd:dayTimeDuration)"},
      {F::Subtract, R"("2024-03-01T00:00:00Z"^^xsd:dateTime, "PT1S"^^xsd:dayTimeDuration)",
       R"("2024-02-29T23:59:59Z"^^xsd:dateTime)"},
      {F::Add, R"("2024-01-31"^^xsd:date, 1)", "error"},
  });
}

TEST(DateFunctions, NowStaysTheSame) {
  Evaluation evaluation;
  EXPECT_EQ(evaluation.call(F::Now, ""), shown(R"("2025-01-01T00:00:00Z"^^xsd:dateTime)"));
  evaluation.env().clock().advance(std::chrono::seconds(5));
  EXPECT_EQ(evaluation.call(F::Now, ""), shown(R"("2025-01-01T00:00:00Z"^^xsd:dateTime)"));
}

}  // namespace
}  // namespace helve::sparql
