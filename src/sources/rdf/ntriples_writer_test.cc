#include "sources/rdf/ntriples_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/rdf/statement_check.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

constexpr TermView kS{TermKind::Iri, Direction::None, "http://a/s", {}, {}};
constexpr TermView kP{TermKind::Iri, Direction::None, "http://a/p", {}, {}};

TEST(NTriplesWriter, WritesOneLinePerStatement) {
  StringSink out;
  const auto writer = make_ntriples_writer(Format::NTriples, out);
  ASSERT_TRUE(writer->statement({kS, kP, TermView::blank("b"), {}}));
  ASSERT_TRUE(writer->statement({TermView::blank("b"), kP, TermView::literal("a\nb"), {}}));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(out.text(),
            "<http://a/s> <http://a/p> _:b .\n"
            "_:b <http://a/p> \"a\\nb\" .\n");
}

TEST(NTriplesWriter, WritesGraphs) {
  StringSink out;
  const auto writer = make_ntriples_writer(Format::NQuads, out);
  ASSERT_TRUE(writer->statement({kS, kP, kS, {}}));
  ASSERT_TRUE(writer->statement({kS, kP, kS, TermView::iri("http://a/g")}));
  ASSERT_TRUE(writer->statement({kS, kP, kS, TermView::blank("g")}));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(out.text(),
            "<http://a/s> <http://a/p> <http://a/s> .\n"
            "<http://a/s> <http://a/p> <http://a/s> <http://a/g> .\n"
            "<http://a/s> <http://a/p> <http://a/s> _:g .\n");
}

TEST(NTriplesWriter, RefusesGraphsWhereThereAreNone) {
  StringSink out;
  const auto writer = make_ntriples_writer(Format::NTriples, out);
  const auto result = writer->statement({kS, kP, kS, TermView::iri("http://a/g")});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("<http://a/g>"));
}

TEST(NTriplesWriter, RefusesWhatNoReaderWouldTake) {
  StringSink out;
  const auto writer = make_ntriples_writer(Format::NQuads, out);
  const TermView literal = TermView::literal("x");
  const std::vector<StatementView> bad = {
      {literal, kP, kS, {}},
      {kS, literal, kS, {}},
      {kS, TermView::blank("p"), kS, {}},
      {kS, kP, kS, literal},
      {TermView::iri(""), kP, kS, {}},
      {TermView::iri("relative"), kP, kS, {}},
      {kS, TermView::iri("http://a/ b"), kS, {}},
      {kS, kP, TermView::iri("http://a/\\u0020"), {}},
      {kS, kP, TermView::literal("x", "relative"), {}},
      {kS, kP, TermView::lang_literal("x", "en_US"), {}},
      {kS, kP, kS, TermView::iri("http://a/<>")},
  };
  for (const StatementView& statement : bad) {
    const auto result = writer->statement(statement);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::InvalidInput);
  }
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(out.text(), "");
}

TEST(NTriplesWriter, KnowsLanguageTags) {
  for (const auto* good : {"en", "EN", "en-GB", "x-1-2", "sl-rozaj-1994"}) {
    EXPECT_TRUE(is_language_tag(good)) << good;
  }
  for (const auto* bad : {"", "-", "en-", "-en", "e1", "en--GB", "en_US", "ën"}) {
    EXPECT_FALSE(is_language_tag(bad)) << bad;
  }
}

class FailingSink final : public ByteSink {
 public:
  Result<void> write(std::string_view) override {
    return Error{ErrorCode::Unavailable, "disk full"};
  }
  Result<void> flush() override { return {}; }
};

TEST(NTriplesWriter, PassesOnWhatTheSinkSays) {
  FailingSink out;
  const auto writer = make_ntriples_writer(Format::NTriples, out);
  ASSERT_TRUE(writer->statement({kS, kP, kS, {}}));
  EXPECT_EQ(writer->finish().error().code, ErrorCode::Unavailable);
  const std::string large(100'000, 'x');
  EXPECT_EQ(writer->statement({kS, kP, TermView::literal(large), {}}).error().code,
            ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve::rdf
