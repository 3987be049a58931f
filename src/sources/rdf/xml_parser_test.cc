// Documents that are not well-formed, not XML or built to harm, through the RDF/XML reader.
#include "sources/rdf/xml_parser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "sources/rdf/rdfxml_reader.h"
#include "tests/support/step_clock.h"
#include "tests/support/stepped_source.h"

namespace helve::rdf {
namespace {

using ::testing::HasSubstr;

struct Counting final : StatementSink {
  std::string last;
  std::size_t count = 0;
  Result<void> statement(const StatementView& statement) override {
    ++count;
    last = to_ntriples(statement.subject) + " " + to_ntriples(statement.object);
    return {};
  }
};

Error fail_parsing(std::string_view document, const OpContext& context = {}) {
  Counting sink;
  ReadOptions options;
  options.base_iri = "http://example.org/";
  const auto report = read_rdfxml(document, options, context, sink);
  EXPECT_FALSE(report) << document.substr(0, 200);
  return report ? Error{ErrorCode::Internal, "no error"} : report.error();
}

std::string last_of(std::string_view document) {
  Counting sink;
  ReadOptions options;
  options.base_iri = "http://example.org/";
  const auto report = read_rdfxml(document, options, {}, sink);
  EXPECT_TRUE(report) << report.error().to_string();
  return sink.last;
}

TEST(XmlParser, EmptyAndForeignDocuments) {
  EXPECT_THAT(fail_parsing("").message, HasSubstr("is empty"));
  EXPECT_THAT(fail_parsing(" \n\n").message, HasSubstr("is empty"));
  EXPECT_THAT(fail_parsing("<!-- only -->").message, HasSubstr("ends before its first element"));
  EXPECT_THAT(fail_parsing("@prefix ex: <http://a/> .").message,
              HasSubstr("not XML: it starts with \"@pref"));
  EXPECT_THAT(fail_parsing("<!doctype html><html><p>x").message, HasSubstr("HTML page"));
  EXPECT_THAT(fail_parsing("<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'/>").message,
              HasSubstr("HTML page"));
  EXPECT_THAT(fail_parsing("<html><body/></html>").message, HasSubstr("HTML page"));
  EXPECT_EQ(fail_parsing(std::string_view("\x7F"
                                          "ELF\0\0\1\2",
                                          8))
                .code,
            ErrorCode::InvalidInput);
}

TEST(XmlParser, TruncatedDocumentsNameTheOpenElement) {
  const std::string_view whole =
      "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n"
      "<r:Description r:about='a'>\n<r:value>v</r:value>\n<r:x";
  const Error error = fail_parsing(whole);
  EXPECT_THAT(error.message, HasSubstr("ends in the middle of <r:Description> opened at line 2"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(fail_parsing(whole.substr(0, length)).code, ErrorCode::InvalidInput) << length;
  }
}

TEST(XmlParser, MalformedXmlIsExplained) {
  EXPECT_THAT(fail_parsing("<a:b/>").message, HasSubstr("prefix"));
  EXPECT_THAT(fail_parsing("<A xmlns='http://a/'>\n<p>&nbsp;</p></A>").to_string(),
              HasSubstr(":2:4: the entity &nbsp; is not declared"));
  EXPECT_THAT(fail_parsing("<A xmlns='http://a/'><p>a & b</p></A>").hint, HasSubstr("&amp;"));
  EXPECT_THAT(fail_parsing("<A xmlns='http://a/'/><B/>").message, HasSubstr("after the end"));
  EXPECT_THAT(fail_parsing("<A xmlns='http://a/' xmlns='http://b/'/>").message, HasSubstr("twice"));
  EXPECT_THAT(fail_parsing("<?xml version='1.0' encoding='klingon'?><a/>").message,
              HasSubstr("klingon"));
}

TEST(XmlParser, InvalidUtf8HasAPosition) {
  const Error error = fail_parsing("<A xmlns='http://a/'>\n<p>\xC3\xA9\xE9 x</p></A>");
  EXPECT_THAT(error.to_string(), HasSubstr(":2:5: the byte 0xE9 here is not valid UTF-8"));
  EXPECT_THAT(fail_parsing("<A xmlns='http://a/'><p>\x01</p></A>").message, HasSubstr("U+0001"));
}

TEST(XmlParser, OtherEncodings) {
  EXPECT_EQ(last_of("<?xml version='1.0' encoding='ISO-8859-1'?><A xmlns='http://a/' "
                    "xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' r:about='http://x/'>"
                    "<p>\xE9</p></A>"),
            "<http://x/> \"\u00E9\"");
  const std::string_view ascii = "<A xmlns='http://a/'><p>v</p></A>";
  std::string wide = "\xFF\xFE";
  for (const char c : ascii) wide += {c, '\0'};
  EXPECT_EQ(last_of(wide), "_:genid1 \"v\"");
  EXPECT_EQ(last_of("\xEF\xBB\xBF" + std::string(ascii)), "_:genid1 \"v\"");
}

TEST(XmlParser, InternalEntitiesExpand) {
  EXPECT_EQ(last_of("<!DOCTYPE r:RDF [<!ENTITY b 'http://b/'><!ENTITY c '&b;c#'>]>"
                    "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='&c;'>"
                    "<e:A r:about='&c;x'><e:p>&b;&amp;</e:p></e:A></r:RDF>"),
            "<http://b/c#x> \"http://b/&\"");
}

TEST(XmlParser, BillionLaughsStopAtTheirDeclaration) {
  std::string dtd = "<!ENTITY l0 'lollollollol'>";
  for (int i = 1; i < 10; ++i) {
    dtd += fmt::format("<!ENTITY l{} '", i);
    for (int k = 0; k < 10; ++k) dtd += fmt::format("&l{};", i - 1);
    dtd += "'>";
  }
  const Error error =
      fail_parsing("<!DOCTYPE A [" + dtd + "]><A xmlns='http://a/'><p>&l9;</p></A>");
  EXPECT_EQ(error.code, ErrorCode::LimitExceeded);
  EXPECT_THAT(error.message, HasSubstr("&l5;"));
}

TEST(XmlParser, EntityChainsAndCyclesAreRefused) {
  std::string chain = "<!ENTITY e0 'x'>";
  for (int i = 1; i < 2'000; ++i) chain += fmt::format("<!ENTITY e{} '&e{};'>", i, i - 1);
  EXPECT_EQ(fail_parsing("<!DOCTYPE A [" + chain + "]><A xmlns='http://a/'/>").code,
            ErrorCode::LimitExceeded);
  EXPECT_THAT(
      fail_parsing("<!DOCTYPE A [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><A xmlns='&a;'/>").message,
      HasSubstr("not declared before it"));
}

TEST(XmlParser, ManyReferencesToALargeEntityAreRefused) {
  std::string references;
  for (int i = 0; i < 100'000; ++i) references += "&e;";
  const std::string dtd = fmt::format("<!DOCTYPE A [<!ENTITY e '{}'>]>", std::string(100'000, 'x'));
  EXPECT_EQ(fail_parsing(dtd + "<A xmlns='http://a/'><p>" + references + "</p></A>").code,
            ErrorCode::LimitExceeded);
  EXPECT_EQ(
      fail_parsing(dtd + "<A xmlns='http://a/' xmlns:e='http://e/' e:x='" + references + "'/>")
          .code,
      ErrorCode::LimitExceeded);
}

TEST(XmlParser, AttributeDefaultsCannotMultiplyTheDocument) {
  std::string document =
      fmt::format("<!DOCTYPE A [<!ATTLIST p xml:x CDATA '{}'>]><A xmlns='http://a/'>",
                  std::string(100'000, 'x'));
  for (int i = 0; i < 10'000; ++i) document += "<p/>";
  document += "</A>";
  EXPECT_EQ(fail_parsing(document).code, ErrorCode::LimitExceeded);
}

TEST(XmlParser, NothingExternalIsFetched) {
  EXPECT_THAT(fail_parsing("<!DOCTYPE A [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
                           "<A xmlns='http://a/'><p>&x;</p></A>")
                  .message,
              HasSubstr("&x; stands for another file, and those are never fetched"));
  EXPECT_EQ(fail_parsing("<!DOCTYPE A [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
                         "<A xmlns='http://a/' xmlns:e='http://e/' e:p='&x;'/>")
                .code,
            ErrorCode::InvalidInput);
  EXPECT_EQ(
      last_of("<!DOCTYPE A SYSTEM 'http://example.org/x.dtd'><A xmlns='http://a/'><p>v</p></A>"),
      "_:genid1 \"v\"");
}

TEST(XmlParser, EntitiesOfAnUnreadDtdAreErrorsNotNothing) {
  const std::string_view doctype = "<!DOCTYPE A SYSTEM 'http://example.org/x.dtd'>";
  EXPECT_THAT(fail_parsing(std::string(doctype) + "<A xmlns='http://a/'><p>a&x;b</p></A>").message,
              HasSubstr("&x; is not declared"));
  EXPECT_THAT(
      fail_parsing(std::string(doctype) + "<A xmlns='http://a/' xmlns:e='http://e/' e:p='a&x;b'/>")
          .message,
      HasSubstr("&x; is not declared"));
  EXPECT_THAT(fail_parsing("<!DOCTYPE A [<!ENTITY % d SYSTEM 'x.dtd'> %d; <!ENTITY x 'y'>]>"
                           "<A xmlns='http://a/' xmlns:e='http://e/' e:p='a&x;b'/>")
                  .message,
              HasSubstr("&x; is not declared"));
}

TEST(XmlParser, NestingIsBounded) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<p xmlns='http://a/'>";
  const Error error = fail_parsing(deep);
  EXPECT_EQ(error.code, ErrorCode::LimitExceeded);
  EXPECT_THAT(error.message, HasSubstr("nested more than 1000 deep"));
}

TEST(XmlParser, TermsAreBounded) {
  OpContext context;
  context.limits.term_bytes_max = 100;
  const std::string big(101, 'x');
  const std::string rdf = "xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'";
  EXPECT_EQ(fail_parsing("<A xmlns='http://a/'><p>" + big + "</p></A>", context).code,
            ErrorCode::LimitExceeded);
  EXPECT_EQ(fail_parsing("<A xmlns='http://a/' " + rdf + " r:about='" + big + "'/>", context).code,
            ErrorCode::LimitExceeded);
  EXPECT_EQ(fail_parsing("<A xmlns='http://a/'><" + big + "/></A>", context).code,
            ErrorCode::LimitExceeded);
  EXPECT_EQ(fail_parsing("<A xmlns='http://a/' " + rdf + "><p r:parseType='Literal'><" +
                             big.substr(0, 60) + "/></p></A>",
                         context)
                .code,
            ErrorCode::LimitExceeded);
}

TEST(XmlParser, AnEndlessTagIsRefusedInBoundedMemory) {
  MemoryBudget budget("test", 24 * kMiB);
  OpContext context;
  context.memory = &budget;
  context.limits.term_bytes_max = 64 * kKiB;
  context.limits.window_bytes = 64 * kKiB;
  const std::string document = "<A xmlns='" + std::string(32 * kMiB, 'x') + "'/>";
  EXPECT_EQ(fail_parsing(document, context).code, ErrorCode::LimitExceeded);
  EXPECT_LT(budget.bytes_peak(), 8 * kMiB);
  EXPECT_EQ(budget.bytes_used(), 0U);
}

TEST(XmlParser, NestedBasesCannotMultiplyMemory) {
  OpContext context;
  context.limits.term_bytes_max = 100'000;
  std::string document =
      "<A xmlns='http://a/' xml:base='http://a/" + std::string(90'000, 'x') + "'>";
  for (int i = 0; i < 400; ++i) document += "<p xml:base='?'><A xml:base='?'>";
  EXPECT_EQ(fail_parsing(document, context).code, ErrorCode::LimitExceeded);
}

TEST(XmlParser, ALongLineIsReadInPieces) {
  MemoryBudget budget("test", 64 * kMiB);
  OpContext context;
  context.memory = &budget;
  context.limits.window_bytes = 64 * kKiB;
  std::string document = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>";
  for (int i = 0; i < 100'000; ++i) document += "<r:Bag/>";
  document += "</r:RDF>";
  Counting sink;
  ASSERT_TRUE(read_rdfxml(document, {}, context, sink));
  EXPECT_EQ(sink.count, 100'000U);
  EXPECT_LT(budget.bytes_peak(), kMiB);
}

// expat reads an unfinished tag again with every chunk, so that chunks must grow.
TEST(XmlParser, ALongTagIsReadInFewChunks) {
  StepClock clock(std::chrono::milliseconds(1));
  OpContext context;
  context.deadline = Deadline(clock, std::chrono::hours(1));
  context.limits.window_bytes = 4 * kKiB;
  std::string document =
      "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e/'>";
  document += "<r:Bag e:p='" + std::string(4 * kMiB, 'x') + "'/></r:RDF>";
  Counting sink;
  ASSERT_TRUE(read_rdfxml(document, {}, context, sink));
  EXPECT_EQ(sink.count, 2U);
  EXPECT_LT(clock.looks(), 40) << "1,024 chunks of 4 KiB";
}

// A document is parsed in chunks; where one ends must not matter.
TEST(XmlParser, ChunksDoNotMatter) {
  OpContext context;
  context.limits.window_bytes = 4 * kKiB;
  const std::string_view document = "<A xmlns='http://a/'><p>a\u00E9\U0001F600&amp;\nb</p></A>";
  for (std::size_t before = 0; before <= document.size(); ++before) {
    const std::string padded = std::string(4 * kKiB - before, ' ') + std::string(document);
    test::SteppedSource source(padded, 100, true);
    Counting sink;
    const auto report = read_rdfxml(source, {}, context, sink);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_EQ(sink.last, "_:genid1 \"a\u00E9\U0001F600&\\nb\"");
  }
}

}  // namespace
}  // namespace helve::rdf
