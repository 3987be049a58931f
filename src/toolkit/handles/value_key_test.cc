#include "toolkit/handles/value_key.h"

#include <gtest/gtest.h>

#include "sources/rdf/vocabulary.h"

namespace helve::toolkit {
namespace {

using rdf::TermView;

constexpr std::string_view kXsdInt = "http://www.w3.org/2001/XMLSchema#int";
constexpr std::string_view kXsdByte = "http://www.w3.org/2001/XMLSchema#byte";

std::string exact(std::string_view lexical, std::string_view datatype = {}) {
  return value_key(TermView::literal(lexical, datatype)).exact;
}
bool close_values(const char* left, std::string_view left_type, const char* right,
                  std::string_view right_type) {
  const ValueKey a = value_key(TermView::literal(left, left_type));
  const ValueKey b = value_key(TermView::literal(right, right_type));
  return are_close(a.number.value(), b.number.value(), a.is_single || b.is_single);
}

TEST(ValueKey, NumbersOfAllTypesAreEqualByValue) {
  const std::string twelve = exact("12", rdf::kXsdInteger);
  for (const char* form : {"12", "+12", "012", "12."}) {
    EXPECT_EQ(exact(form, rdf::kXsdDecimal), twelve) << form;
  }
  EXPECT_EQ(exact("12.000", rdf::kXsdDecimal), twelve);
  EXPECT_EQ(exact("1.2e1", rdf::kXsdDouble), twelve);
  EXPECT_EQ(exact("12", rdf::kXsdFloat), twelve);
  EXPECT_EQ(exact("12", kXsdInt), twelve);
  EXPECT_NE(exact("120", rdf::kXsdInteger), twelve);
  EXPECT_NE(exact("-12", rdf::kXsdInteger), twelve);
  EXPECT_EQ(exact("0.10", rdf::kXsdDecimal), exact("1e-1", rdf::kXsdDouble));
  EXPECT_EQ(exact("-0", rdf::kXsdInteger), exact("-0.0", rdf::kXsdDouble));
}

TEST(ValueKey, WholeNumbersAndDecimalsAreExact) {
  EXPECT_NE(exact("12345678901234567890123", rdf::kXsdInteger),
            exact("12345678901234567890124", rdf::kXsdInteger));
  EXPECT_NE(exact("0.1234567890123456789", rdf::kXsdDecimal),
            exact("0.1234567890123456788", rdf::kXsdDecimal));
}

TEST(ValueKey, RoughNumbersForgiveTheLastDigits) {
  EXPECT_NE(exact("0.30000000000000004", rdf::kXsdDouble), exact("0.3", rdf::kXsdDouble));
  const auto d = rdf::kXsdDouble;
  EXPECT_TRUE(close_values("0.30000000000000004", d, "0.3", rdf::kXsdDecimal));
  EXPECT_TRUE(close_values("0.333333333333333333", rdf::kXsdDecimal, "0.3333333333333333", d));
  EXPECT_TRUE(close_values("0.9999999999999999", d, "1", rdf::kXsdInteger));
  EXPECT_FALSE(close_values("0.9999999999", d, "1", rdf::kXsdInteger));
  // However digits are cut, these would fall apart at some of them.
  EXPECT_TRUE(close_values("266.3985714285714", d, "266.3985714285715", d));
  EXPECT_TRUE(close_values("-266.3985714285714", d, "-266.3985714285715", d));
  EXPECT_FALSE(close_values("266.3985714285714", d, "-266.3985714285714", d));
  // Times in milliseconds and the like.
  EXPECT_FALSE(close_values("1700000000001", d, "1700000000002", d));
  EXPECT_TRUE(close_values("12.34567", rdf::kXsdFloat, "12.345671", rdf::kXsdFloat));
  EXPECT_FALSE(close_values("12.34567", d, "12.345671", d));
  EXPECT_FALSE(value_key(TermView::literal("1e400000", rdf::kXsdDecimal)).number.has_value());
  EXPECT_TRUE(value_key(TermView::literal("1", rdf::kXsdDouble)).is_approximate);
  EXPECT_FALSE(value_key(TermView::literal("1", rdf::kXsdDecimal)).is_approximate);
  EXPECT_EQ(exact("INF", rdf::kXsdFloat), exact("INF", rdf::kXsdDouble));
  EXPECT_NE(exact("INF", rdf::kXsdDouble), exact("-INF", rdf::kXsdDouble));
}

TEST(ValueKey, IllTypedLiteralsAreThemselvesAlone) {
  EXPECT_NE(exact("300", kXsdByte), exact("300", rdf::kXsdInteger));
  EXPECT_NE(exact("many", rdf::kXsdInteger), exact("many"));
  EXPECT_EQ(exact("many", rdf::kXsdInteger), exact("many", rdf::kXsdInteger));
}

TEST(ValueKey, BooleansAndMoments) {
  EXPECT_EQ(exact("1", rdf::kXsdBoolean), exact("true", rdf::kXsdBoolean));
  EXPECT_NE(exact("1", rdf::kXsdBoolean), exact("1", rdf::kXsdInteger));
  EXPECT_EQ(exact("2020-01-01T01:00:00+01:00", rdf::kXsdDateTime),
            exact("2020-01-01T00:00:00Z", rdf::kXsdDateTime));
  EXPECT_EQ(exact("2020-01-01T00:00:00.000", rdf::kXsdDateTime),
            exact("2020-01-01T00:00:00Z", rdf::kXsdDateTime));
  EXPECT_NE(exact("2020-01-01", rdf::kXsdDate), exact("2020-01-01T00:00:00", rdf::kXsdDateTime));
  EXPECT_EQ(exact("2020-01-01"), exact("2020-01-01", rdf::kXsdDate));
  EXPECT_EQ(exact("2020-01-01 12:30:00"), exact("2020-01-01T12:30:00Z", rdf::kXsdDateTime));
  EXPECT_EQ(exact("2020-13-41"), "t2020-13-41");
}

TEST(ValueKey, TextsKeepTheirLanguageApart) {
  const ValueKey plain = value_key(TermView::literal("Mars"));
  const ValueKey english = value_key(TermView::lang_literal("Mars", "EN"));
  EXPECT_EQ(plain.exact, english.exact);
  EXPECT_EQ(plain.language, "");
  EXPECT_EQ(english.language, "en");
  EXPECT_FALSE(plain.number.has_value());
  EXPECT_NE(plain.exact, value_key(TermView::iri("Mars")).exact);
  EXPECT_NE(value_key(TermView::blank("Mars")).exact, value_key(TermView::iri("Mars")).exact);
}

}  // namespace
}  // namespace helve::toolkit
