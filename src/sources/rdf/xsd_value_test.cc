// Tests of xsd_value.h and xsd_text.h.
#include "sources/rdf/xsd_value.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "sources/rdf/xsd_text.h"
#include "sources/rdf/xsd_value_testing.h"

namespace helve::rdf {
namespace {

TEST(XsdValue, ParsesAndWritesCanonically) {
  const std::pair<const char*, const char*> cases[] = {
      {"  a\tb  string", "  a\tb  string"},
      {" a\tb\nc normalizedString", " a b c normalizedString"},
      {"  a \t b  token", "a b token"},
      {"de-DE-1996 language", "de-DE-1996 language"},
      {"-1.a:ü NMTOKEN", "-1.a:ü NMTOKEN"},
      {"ä:b Name", "ä:b Name"},
      {"_a-1 NCName", "_a-1 NCName"},
      {" http://a/b  c anyURI", "http://a/b c anyURI"},
      {"1 boolean", "true boolean"},
      {" false\n boolean", "false boolean"},
      {"\t+007 \r integer", "7 integer"},
      {" 1.50 decimal", "1.5 decimal"},
      {" 1 float", "1.0E0 float"},
      {"1e1 double", "1.0E1 double"},
      {" NaN double", "NaN double"},
      {" 2024-01-01 date", "2024-01-01 date"},
      {" P1M duration", "P1M duration"},
      {"0fB7 hexBinary", "0FB7 hexBinary"},
      {" hexBinary", " hexBinary"},
      {"aGVs\nbG8= base64Binary", "aGVsbG8= base64Binary"},
      {"255 unsignedByte", "255 unsignedByte"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(shown(literal(text)), expected);
}

TEST(XsdValue, RejectedSpaceMakesLiteralsIllTyped) {
  const std::pair<const char*, XsdType> cases[] = {
      {" 3", XsdType::Int},           {"3 ", XsdType::Integer},
      {"\t1.5", XsdType::Decimal},    {" true", XsdType::Boolean},
      {"1 ", XsdType::Double},        {" a", XsdType::Token},
      {"a  b", XsdType::Token},       {"a\tb", XsdType::NormalizedString},
      {" de", XsdType::Language},     {"aGVs  bG8=", XsdType::Base64Binary},
      {"2024-01-01 ", XsdType::Date}, {" P1D", XsdType::Duration},
      {" a:b", XsdType::AnyUri},
  };
  for (const auto& [text, type] : cases) {
    EXPECT_FALSE(parse_xsd_value(text, type, XsdSpace::Reject).has_value()) << text;
    EXPECT_TRUE(parse_xsd_value(text, type, XsdSpace::Process).has_value()) << text;
  }
  EXPECT_EQ(parse_xsd_value(" a\t", XsdType::String, XsdSpace::Reject)->text(), " a\t");
  EXPECT_TRUE(parse_xsd_value("aGVs bG8=", XsdType::Base64Binary, XsdSpace::Reject).has_value());
}

TEST(XsdValue, IllTypedFormsHaveNoValue) {
  const std::pair<const char*, XsdType> cases[] = {
      {"", XsdType::Boolean},      {"TRUE", XsdType::Boolean},
      {"yes", XsdType::Boolean},   {"", XsdType::Integer},
      {"1.0", XsdType::Integer},   {"1 2", XsdType::Integer},
      {"1e0", XsdType::Decimal},   {"", XsdType::Double},
      {"inf", XsdType::Double},    {"abc", XsdType::Float},
      {"0F1", XsdType::HexBinary}, {"0G", XsdType::HexBinary},
      {"", XsdType::Language},     {"toolongword", XsdType::Language},
      {"1a", XsdType::Language},   {"de-", XsdType::Language},
      {"", XsdType::NmToken},      {"a b", XsdType::NmToken},
      {"-a", XsdType::Name},       {"a:b", XsdType::NcName},
      {"", XsdType::NcName},       {"\xC3\x97", XsdType::Name},
      {"noon", XsdType::Time},
  };
  for (const auto& [text, type] : cases) {
    EXPECT_FALSE(parse_xsd_value(text, type).has_value()) << text;
  }
}

TEST(XsdValue, DerivedIntegersHaveRanges) {
  struct Case {
    XsdType type;
    const char* least;  // null: no end
    const char* below;
    const char* greatest;  // null: no end
    const char* above;
  };
  const Case cases[] = {
      {XsdType::Long, "-9223372036854775808", "-9223372036854775809", "9223372036854775807",
       "9223372036854775808"},
      {XsdType::Int, "-2147483648", "-2147483649", "2147483647", "2147483648"},
      {XsdType::Short, "-32768", "-32769", "32767", "32768"},
      {XsdType::Byte, "-128", "-129", "127", "128"},
      {XsdType::UnsignedLong, "0", "-1", "18446744073709551615", "18446744073709551616"},
      {XsdType::UnsignedInt, "0", "-1", "4294967295", "4294967296"},
      {XsdType::UnsignedShort, "0", "-1", "65535", "65536"},
      {XsdType::UnsignedByte, "-0", "-1", "255", "256"},
      {XsdType::NonNegativeInteger, "0", "-1", nullptr, nullptr},
      {XsdType::PositiveInteger, "1", "0", nullptr, nullptr},
      {XsdType::NonPositiveInteger, nullptr, nullptr, "0", "1"},
      {XsdType::NegativeInteger, nullptr, nullptr, "-1", "0"},
      {XsdType::Integer, nullptr, nullptr, nullptr, nullptr},
  };
  const std::string huge(50, '9');
  for (const Case& c : cases) {
    const auto parses = [&](const std::string& text) {
      return parse_xsd_value(text, c.type).has_value();
    };
    EXPECT_TRUE(parses(c.least != nullptr ? c.least : "-" + huge));
    EXPECT_TRUE(parses(c.greatest != nullptr ? c.greatest : huge));
    if (c.below != nullptr) {
      EXPECT_FALSE(parses(c.below)) << c.below;
    }
    if (c.above != nullptr) {
      EXPECT_FALSE(parses(c.above)) << c.above;
    }
  }
}

TEST(XsdValue, DigitsAreLimited) {
  XsdContext context;
  context.digits_max = 20;
  const std::string digits(21, '1');
  for (const XsdType type : {XsdType::Integer, XsdType::PositiveInteger, XsdType::Decimal}) {
    EXPECT_FALSE(parse_xsd_value(digits, type, XsdSpace::Process, context).has_value());
    EXPECT_TRUE(parse_xsd_value(digits.substr(1), type, XsdSpace::Process, context).has_value());
  }
  EXPECT_FALSE(parse_xsd_value(std::string(1'000'000, '1'), XsdType::Integer).has_value());
  EXPECT_FALSE(parse_xsd_value("." + std::string(1'000'000, '1'), XsdType::Decimal).has_value());
}

TEST(XsdText, Base64FollowsTheAlphabetAndPadding) {
  const std::pair<const char*, const char*> good[] = {
      {"", ""},
      {"Zg==", "f"},
      {"Zm8=", "fo"},
      {"Zm9v", "foo"},
      {"Zm9vYg==", "foob"},
      {"Zm9vYmE=", "fooba"},
      {"Zm9vYmFy", "foobar"},
  };
  for (const auto& [text, bytes] : good) {
    EXPECT_EQ(decode_base64(text), bytes);
    EXPECT_EQ(encode_base64(bytes), text);
  }
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Zh==", "Zm9=", "Z=g=", "Zm9v=",
                           "Zm9v====", "Zm9-", "Z m 9  v", " Zm9v", "Zm9v ", "Zg==Zg=="}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
  EXPECT_EQ(decode_base64("Z m 9 v Y g = ="), "foob");
}

TEST(XsdText, BinaryRoundTrips) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length < 100; ++length) {
    std::string bytes;
    for (std::size_t i = 0; i < length; ++i) bytes.push_back(static_cast<char>(random()));
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
    EXPECT_EQ(decode_hex(encode_hex(bytes)), bytes);
  }
}

TEST(XsdValue, CanonicalFormsAreFixedPoints) {
  const char* literals[] = {
      "x string",
      "12 integer",
      "-1 long",
      "1.5 decimal",
      "-1e300 double",
      "-INF float",
      "NaN float",
      "-0 double",
      "true boolean",
      "--02-29 gMonthDay",
      "---31Z gDay",
      "P1Y2DT3.5S duration",
      "P13M yearMonthDuration",
      "-PT25H dayTimeDuration",
      "ff hexBinary",
      "AAAA base64Binary",
      "a:b anyURI",
      "1999-12-31T24:00:00-05:00 dateTime",
      "23:00:00.000 time",
      "-12345-06 gYearMonth",
      "0000 gYear",
      "2024-02-29+14:00 date",
  };
  for (const char* text : literals) {
    const XsdValue value = literal(text);
    const auto again = parse_xsd_value(canonical_lexical(value), value.type, XsdSpace::Reject);
    ASSERT_TRUE(again.has_value()) << text;
    EXPECT_EQ(shown(again), shown(value));
  }
}

}  // namespace
}  // namespace helve::rdf
