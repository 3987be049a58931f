#include "sources/sql/postgres/values.h"

#include <gtest/gtest.h>

#include "sources/rdf/vocabulary.h"
#include "sources/sql/postgres/array_text.h"

namespace helve::sql {
namespace {

constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kNumeric = 1700;
constexpr std::string_view kHex = "http://www.w3.org/2001/XMLSchema#hexBinary";
constexpr std::string_view kJson = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON";

void expect_value(std::uint32_t oid, std::string_view text, std::string_view value,
                  std::string_view datatype) {
  ValueReader reader(value_type(oid, -1, {}));
  const rdf::TermView term = reader.read(text);
  EXPECT_TRUE(term.is_literal());
  EXPECT_EQ(term.value, value) << oid << " " << text;
  EXPECT_EQ(term.datatype, datatype) << oid << " " << text;
}

TEST(PostgresValues, Numbers) {
  expect_value(kInt4, "-42", "-42", rdf::kXsdInteger);
  expect_value(20, "9223372036854775807", "9223372036854775807", rdf::kXsdInteger);
  expect_value(26, "4294967295", "4294967295", rdf::kXsdInteger);
  expect_value(kNumeric, "12345678901234567890.1230", "12345678901234567890.1230",
               rdf::kXsdDecimal);
  expect_value(kNumeric, "-0.5", "-0.5", rdf::kXsdDecimal);
  expect_value(kNumeric, "NaN", "NaN", rdf::kXsdDouble);
  expect_value(kNumeric, "Infinity", "INF", rdf::kXsdDouble);
  expect_value(701, "1e+20", "1e+20", rdf::kXsdDouble);
  expect_value(701, "0.1", "0.1", rdf::kXsdDouble);
  expect_value(701, "-Infinity", "-INF", rdf::kXsdDouble);
  expect_value(700, "NaN", "NaN", rdf::kXsdDouble);
  expect_value(16, "t", "true", rdf::kXsdBoolean);
  expect_value(16, "f", "false", rdf::kXsdBoolean);
}

TEST(PostgresValues, WhatHasNotTheShapeOfItsTypeIsText) {
  for (const std::uint32_t oid :
       {20U, 21U, 23U, 26U, 700U, 701U, 1700U, 16U, 17U, 1082U, 1083U, 1114U, 1184U, 1266U}) {
    for (const std::string_view text : {"", "x", "-", ".", "1.", "e1", "\\x0", "\\xgg", "12:00"}) {
      expect_value(oid, text, text, "");
    }
  }
}

TEST(PostgresValues, DatesAndTimes) {
  expect_value(1082, "2024-02-29", "2024-02-29", rdf::kXsdDate);
  expect_value(1082, "12024-02-29", "12024-02-29", rdf::kXsdDate);
  expect_value(1082, "0044-03-15 BC", "0044-03-15 BC", "");
  expect_value(1082, "infinity", "infinity", "");
  expect_value(1083, "23:59:59.123456", "23:59:59.123456", rdf::kXsdTime);
  expect_value(1266, "12:00:00+02", "12:00:00+02:00", rdf::kXsdTime);
  expect_value(1266, "12:00:00+15:59", "12:00:00+15:59", "");
  expect_value(1114, "2024-01-02 03:04:05.6", "2024-01-02T03:04:05.6", rdf::kXsdDateTime);
  expect_value(1184, "2024-01-02 03:04:05+00", "2024-01-02T03:04:05Z", rdf::kXsdDateTime);
  expect_value(1184, "2024-01-02 03:04:05-03:30", "2024-01-02T03:04:05-03:30", rdf::kXsdDateTime);
  expect_value(1184, "1880-01-01 00:00:00+00:19:32", "1880-01-01 00:00:00+00:19:32", "");
  expect_value(1114, "0044-03-15 12:00:00 BC", "0044-03-15 12:00:00 BC", "");
  expect_value(1184, "-infinity", "-infinity", "");
  expect_value(1186, "1 day 02:00:00", "1 day 02:00:00", "");
}

TEST(PostgresValues, BytesJsonAndTexts) {
  expect_value(17, "\\x00ffa0", "00FFA0", kHex);
  expect_value(17, "\\x", "", kHex);
  expect_value(114, "{\"a\": 1}", "{\"a\": 1}", kJson);
  expect_value(3802, "[1, 2]", "[1, 2]", kJson);
  expect_value(25, "Zürich", "Zürich", "");
  expect_value(2950, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
               "");
  expect_value(99'999, "anything", "anything", "");
}

TEST(PostgresValues, TextThatIsNoUtf8IsBytes) {
  ValueReader reader(value_type(25, -1, {}));
  EXPECT_EQ(reader.read("ok").value, "ok");
  EXPECT_FALSE(reader.has_broken_text());
  const rdf::TermView term = reader.read("a\xFF");
  EXPECT_EQ(term.value, "61FF");
  EXPECT_EQ(term.datatype, kHex);
  EXPECT_TRUE(reader.has_broken_text());
}

TEST(PostgresValues, ArraysAreJsonLists) {
  expect_value(1007, "{1,NULL,-3}", "[1,null,-3]", kJson);
  expect_value(1007, "{}", "[]", kJson);
  expect_value(1007, "{{1,2},{3,4}}", "[[1,2],[3,4]]", kJson);
  expect_value(1007, "[0:1]={1,2}", "[1,2]", kJson);
  expect_value(1009, R"({a,"b c","","NULL","x\"y\\z",NULL,Zürich})",
               R"(["a","b c","","NULL","x\"y\\z",null,"Zürich"])", kJson);
  expect_value(1000, "{t,f,NULL}", "[true,false,null]", kJson);
  expect_value(1022, "{0.1,NaN,Infinity}", R"([0.1,"NaN","INF"])", kJson);
  expect_value(1231, "{1.50,NaN}", R"([1.50,"NaN"])", kJson);
  expect_value(1182, "{2024-01-01,infinity}", R"(["2024-01-01","infinity"])", kJson);
  expect_value(1185, R"({"2024-01-01 00:00:00+00"})", R"(["2024-01-01T00:00:00Z"])", kJson);
  expect_value(3807, R"({"{\"a\": 1}",NULL})", R"([{"a": 1},null])", kJson);
  expect_value(1001, R"({"\\x0aff"})", R"(["0AFF"])", kJson);
}

TEST(PostgresValues, BrokenArraysAreText) {
  for (const std::string_view text : {"{", "{1", "{1,", "{1,}", "}", "{\"a}", "{1}x", "{{1}",
                                      "[0:1]", "{{{{{{{{{{{{{{{{{{{{{{"}) {
    expect_value(1007, text, text, "");
  }
}

TEST(PostgresValues, TypesHaveTheirNames) {
  EXPECT_EQ(value_type(kNumeric, ((10 << 16) | 2) + 4, {}).name, "numeric(10,2)");
  EXPECT_EQ(value_type(kNumeric, -1, {}).name, "numeric");
  EXPECT_EQ(value_type(1043, 44, {}).name, "character varying(40)");
  EXPECT_EQ(value_type(1015, 44, {}).name, "character varying(40)[]");
  EXPECT_EQ(value_type(1184, -1, {}).name, "timestamp with time zone");
  EXPECT_EQ(value_type(0, -1, {}).name, "");
  const TypeTable others = {{70'000, {ValueKind::Array, ValueKind::Text, ',', "data.mood[]"}}};
  EXPECT_EQ(value_type(70'000, -1, others).name, "data.mood[]");
  EXPECT_EQ(value_type(70'000, -1, others).kind, ValueKind::Array);
}

}  // namespace
}  // namespace helve::sql
