// JSON in and out.
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace helve {
namespace {

using ::testing::HasSubstr;

JsonValue read_json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().to_string());
  return value ? *std::move(value) : JsonValue();
}

std::string error_of(std::string_view text) {
  const auto value = parse_json(text);
  if (value) return "no error";
  EXPECT_EQ(value.error().code, ErrorCode::InvalidInput);
  return value.error().to_string();
}

TEST(JsonParse, Scalars) {
  EXPECT_TRUE(read_json("null").is_null());
  EXPECT_EQ(read_json(" true "), JsonValue(true));
  EXPECT_EQ(read_json("false"), JsonValue(false));
  EXPECT_EQ(read_json("\"a\\u00e9\\n\\ud83d\\ude00\""), JsonValue("aé\n😀"));
  EXPECT_EQ(read_json("\"\""), JsonValue(""));
  EXPECT_EQ(read_json("42"), JsonValue(42));
  EXPECT_EQ(read_json("\xEF\xBB\xBF 1"), JsonValue(1));
}

TEST(JsonParse, IntegersOfEverySize) {
  EXPECT_EQ(read_json("9223372036854775807").kind(), JsonKind::Int);
  EXPECT_EQ(read_json("-9223372036854775808").to_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read_json("9223372036854775808").kind(), JsonKind::UInt);
  EXPECT_EQ(read_json("18446744073709551615").to_uint64(),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read_json("18446744073709551616").kind(), JsonKind::Double);  // 2^64 is one
  const JsonValue beyond = read_json("18446744073709551617");
  ASSERT_EQ(beyond.kind(), JsonKind::BigNumber);
  EXPECT_EQ(beyond.if_big_number()->text, "18446744073709551617");
  EXPECT_EQ(beyond.to_double(), 18446744073709551616.0);
  EXPECT_EQ(beyond.to_uint64(), std::nullopt);
  EXPECT_EQ(read_json("-9223372036854775809").kind(), JsonKind::BigNumber);
  EXPECT_EQ(read_json(std::string(5'000, '7')).if_big_number()->text.size(), 5'000U);
}

TEST(JsonParse, DecimalsKeepTheirDigitsOrTheirText) {
  EXPECT_EQ(read_json("0.1"), JsonValue(0.1));
  EXPECT_EQ(read_json("1.0"), JsonValue(1.0));
  EXPECT_EQ(read_json("1e2"), JsonValue(100.0));
  EXPECT_EQ(read_json("1.7976931348623157e308"), JsonValue(std::numeric_limits<double>::max()));
  EXPECT_EQ(read_json("5e-324").kind(), JsonKind::Double);
  EXPECT_TRUE(std::signbit(*read_json("-0").to_double()));
  EXPECT_EQ(read_json("0.30000000000000004").kind(), JsonKind::Double);
  EXPECT_EQ(read_json("3.14159265358979323846").if_big_number()->text, "3.14159265358979323846");
  EXPECT_EQ(read_json("1e400").kind(), JsonKind::BigNumber);
  EXPECT_EQ(read_json("1e400").to_double(), std::nullopt);
  EXPECT_EQ(read_json("1e-400").kind(), JsonKind::BigNumber);
  EXPECT_EQ(read_json("0e99999999999999999999").kind(), JsonKind::Double);
  EXPECT_EQ(read_json("1e99999999999999999999").kind(), JsonKind::BigNumber);
}

TEST(JsonParse, WholeDoublesCountAsIntegers) {
  EXPECT_EQ(read_json("3.0").to_int64(), 3);
  EXPECT_EQ(read_json("3.5").to_int64(), std::nullopt);
  EXPECT_EQ(read_json("-1").to_uint64(), std::nullopt);
  EXPECT_EQ(read_json("1e30").to_int64(), std::nullopt);
  EXPECT_EQ(read_json("\"3\"").to_int64(), std::nullopt);
}

TEST(JsonParse, Containers) {
  const JsonValue value = read_json(R"( {"z": [1, "two", [ ], {}], "a": {"b": null}, "": 0} )");
  const JsonValue::Object& object = *value.if_object();
  ASSERT_EQ(object.size(), 3U);
  EXPECT_EQ(object[0].key, "z");
  EXPECT_EQ(object[1].key, "a");
  EXPECT_EQ(object[2].key, "");
  EXPECT_EQ(value.find("z")->if_array()->size(), 4U);
  EXPECT_TRUE(value.find("a")->find("b")->is_null());
  EXPECT_EQ(value.find("none"), nullptr);
  EXPECT_EQ(value.find("z")->find("z"), nullptr);
}

TEST(JsonParse, ErrorsHaveAPlace) {
  EXPECT_EQ(error_of(""), "1:1: not JSON: expected a value, met the end of the text");
  EXPECT_EQ(error_of("{\n \"a\": 1,\n \"b\" 2}"),
            "3:6: not JSON: expected ':' after the key, met '2'");
  EXPECT_EQ(error_of("[1 2]"), "1:4: not JSON: expected ',' or ']', met '2'");
  EXPECT_EQ(error_of("[1,]"), "1:4: not JSON: expected a value, met ']'");
  EXPECT_EQ(error_of("{\"a\":1,}"), "1:8: not JSON: expected a key in \"\", met '}'");
  EXPECT_EQ(error_of("[1"), "1:3: not JSON: expected ',' or ']', met the end of the text");
  EXPECT_EQ(error_of("[\"é\" x]"), "1:6: not JSON: expected ',' or ']', met 'x'");
  EXPECT_EQ(error_of("\"abc"),
            "1:5: not JSON: expected '\"' at the end of the string, met the end "
            "of the text");
}

TEST(JsonParse, RefusesWhatTheGrammarDoes) {
  for (const std::string_view text : {"{",
                                      "}",
                                      "]",
                                      "[",
                                      "[}",
                                      "{]",
                                      "nul",
                                      "nulll",
                                      "tru",
                                      "truee",
                                      "True",
                                      "01",
                                      "-",
                                      "+1",
                                      ".5",
                                      "1.",
                                      "1e",
                                      "1e+",
                                      "0x1",
                                      "NaN",
                                      "Infinity",
                                      "1 2",
                                      "1,2",
                                      "1],[2",
                                      "[1],",
                                      "[,1]",
                                      "[1,,2]",
                                      "{,}",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{a:1}",
                                      "{1:2}",
                                      "'a'",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\u12g4\"",
                                      "\"\\ud800\"",
                                      "\"\\udc00\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"a\nb\"",
                                      "\"\x01\"",
                                      "[1]x",
                                      "// c\n1",
                                      "[1]]",
                                      "{\"a\":1}}",
                                      "\"a\" \"b\"",
                                      "[\"a]",
                                      "1a",
                                      "truefalse",
                                      "[1 true]",
                                      "[true null]",
                                      "[\"a\" \"b\"]",
                                      "[{}{}]",
                                      "[[][]]",
                                      "{\"a\":1 \"b\":2}",
                                      "{\"a\":{}\"b\":2}",
                                      "\\",
                                      "\"\\",
                                      "[-]",
                                      "[1e5.5]",
                                      "{\"a\":1,\"b\"}",
                                      "\f1",
                                      " "}) {
    EXPECT_THAT(error_of(text), HasSubstr("not JSON: expected")) << text;
  }
}

TEST(JsonParse, RefusesBytesThatAreNotUtf8) {
  EXPECT_EQ(error_of("[\"é\", \"\xFF\"]"), "1:8: not JSON: the bytes here are not UTF-8");
  EXPECT_EQ(error_of("\"\xED\xA0\x80\""), "1:2: not JSON: the bytes here are not UTF-8");
  EXPECT_EQ(error_of(std::string_view("1\0", 2)),
            "1:2: not JSON: expected nothing after the value, "
            "met U+0000");
}

TEST(JsonParse, RefusesAKeyTwice) {
  EXPECT_THAT(error_of("{\"a\":1,\n\"b\":2, \"a\":3}"),
              HasSubstr("2:8: the key \"a\" stands twice"));
  EXPECT_THAT(error_of(R"({"a":1,"\u0061":3})"), HasSubstr("stands twice"));
  EXPECT_THAT(error_of(R"([{"x":{"k":1,"j":{"k":0},"k":2}}])"), HasSubstr("1:26: the key \"k\""));
  std::string many = "{";
  for (int i = 0; i < 1'000; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_EQ(read_json(many + "\"last\":1}").if_object()->size(), 1'001U);
  EXPECT_THAT(error_of(many + "\"k500\":1}"), HasSubstr("\"k500\" stands twice"));
}

TEST(JsonParse, LimitsOnBytesDepthAndValues) {
  Limits limits;
  limits.json_bytes_max = 4;
  EXPECT_TRUE(parse_json("[12]", limits));
  EXPECT_EQ(parse_json("[123]", limits).error().code, ErrorCode::LimitExceeded);
  limits = {};
  limits.json_depth_max = 3;
  EXPECT_TRUE(parse_json("[[{}]]", limits));
  EXPECT_EQ(parse_json("[[[[]]]]", limits).error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(parse_json(std::string(1'000'000, '[')).error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(parse_json(std::string(100'000, '[') + std::string(100'000, ']')).error().code,
            ErrorCode::LimitExceeded);
  limits = {};
  limits.json_values_max = 3;
  EXPECT_TRUE(parse_json("[1,2]", limits));
  EXPECT_EQ(parse_json("[1,2,3]", limits).error().code, ErrorCode::LimitExceeded);
}

TEST(JsonWrite, RoundTrip) {
  for (const std::string_view text :
       {"null", "true", "-5", "18446744073709551615", "123456789012345678901234567890", "0.1",
        "1.0", "-0.0", "1e+300", "\"a\\\"b\\\\\"", "[]", "{}", "[1,[2,{}],\"x\"]",
        R"({"b":1,"a":{"c":[null,false]}})", "\"\\u001b\\n\\t\\r\\u007f\""}) {
    EXPECT_EQ(to_json(read_json(text)), text);
  }
}

TEST(JsonWrite, Indented) {
  EXPECT_EQ(
      to_json(read_json(R"({"a":[1,{}],"b":[],"c":{"d":null}})"), JsonStyle::Indented),
      "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": [],\n  \"c\": {\n    \"d\": null\n  }\n}");
}

TEST(JsonWriter, StreamsMembersOfEveryType) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("b", true);
  writer.member("i", -1);
  writer.member("u", std::uint8_t{200});
  writer.member("z", std::size_t{7});
  writer.member("d", 0.5);
  writer.member("s", "text");
  writer.member("t", std::string("str"));
  writer.key("n");
  writer.null();
  EXPECT_FALSE(writer.is_complete());
  writer.end_object();
  EXPECT_TRUE(writer.is_complete());
  EXPECT_EQ(out, R"({"b":true,"i":-1,"u":200,"z":7,"d":0.5,"s":"text","t":"str","n":null})");
}

TEST(JsonWriter, DoublesAreShortestAndReadBack) {
  for (const double number : {0.1, 1.0 / 3, 1e21, 1e-7, 123456789.0, 5e-324, -0.0, 1e15,
                              std::numeric_limits<double>::max()}) {
    const std::string text = to_json(JsonValue(number));
    EXPECT_EQ(read_json(text), JsonValue(number)) << text;
  }
  EXPECT_EQ(to_json(JsonValue(0.1)), "0.1");
  EXPECT_EQ(to_json(JsonValue(2.0)), "2.0");
  EXPECT_EQ(to_json(JsonValue(std::nan(""))), "null");
  EXPECT_EQ(to_json(JsonValue(-HUGE_VAL)), "null");
}

TEST(JsonWriter, NeverEmitsInvalidUtf8) {
  EXPECT_EQ(to_json(JsonValue("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(to_json(JsonValue("\xE2\x82")), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(to_json(JsonValue("\xED\xA0\x80é")), "\"\xEF\xBF\xBDé\"");
  EXPECT_EQ(to_json(JsonValue(std::string_view("\0", 1))), "\"\\u0000\"");
  EXPECT_TRUE(parse_json(to_json(JsonValue("\x80\x80\xC0\xAF\xF4\x90\x80\x80"))));
}

TEST(JsonWriterDeathTest, MisuseIsABug) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  EXPECT_DEATH(writer.value(1), "check failed");
  EXPECT_DEATH(writer.end_array(), "check failed");
}

}  // namespace
}  // namespace helve
