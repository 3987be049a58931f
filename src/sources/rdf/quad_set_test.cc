#include "sources/rdf/quad_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sources/rdf/vocabulary.h"

namespace helve::rdf {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

StatementView triple(std::string_view s, std::string_view p, const TermView& o) {
  return {TermView::iri(s), TermView::iri(p), o, {}};
}

TEST(QuadSet, InternsEqualTermsOnce) {
  QuadSet set;
  const std::vector<TermView> terms = {TermView::iri("x"),
                                       TermView::blank("x"),
                                       TermView::literal("x"),
                                       TermView::literal("x", "d"),
                                       TermView::literal("x", "en"),
                                       TermView::lang_literal("x", "en"),
                                       TermView::literal("xd"),
                                       TermView::iri(""),
                                       TermView::lang_literal("x", "EN")};
  std::set<TermIndex> indexes;
  for (const TermView& term : terms) {
    const TermIndex index = set.intern(term).value();
    indexes.insert(index);
    EXPECT_EQ(set.term(index), term);
  }
  EXPECT_EQ(indexes.size(), terms.size());
  for (const TermView& term : terms) EXPECT_EQ(set.term(set.intern(term).value()), term);
  EXPECT_EQ(set.term_count(), terms.size());
}

TEST(QuadSet, FindsOnlyWhatItHasMet) {
  QuadSet set;
  EXPECT_EQ(set.find(TermView::iri("x")), std::nullopt);
  const TermIndex index = set.intern(TermView::iri("x")).value();
  EXPECT_EQ(set.find(TermView::iri("x")), index);
  EXPECT_EQ(set.find(TermView::literal("x")), std::nullopt);
  EXPECT_EQ(set.term_count(), 1U);
}

TEST(QuadSet, TakesXsdStringAsAPlainLiteral) {
  QuadSet set;
  EXPECT_EQ(set.intern(TermView::literal("x", kXsdString)).value(),
            set.intern(TermView::literal("x")).value());
  const TermView tagged{TermKind::Literal, Direction::None, "x", kRdfLangString, "en"};
  EXPECT_EQ(set.intern(tagged).value(), set.intern(TermView::lang_literal("x", "en")).value());
}

TEST(QuadSet, KeepsManyTermsAndTheirAddresses) {
  QuadSet set;
  const TermIndex first = set.intern(TermView::iri("http://example.org/first")).value();
  const std::string_view text = set.term(first).value;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    ASSERT_TRUE(set.intern(TermView::literal(fmt::format("value {}", i), kXsdInteger)));
  }
  EXPECT_EQ(set.term_count(), kCount + 1);
  EXPECT_EQ(set.term(first).value.data(), text.data());
  for (int i = 0; i < kCount; i += 997) {
    const std::string value = fmt::format("value {}", i);
    EXPECT_EQ(set.intern(TermView::literal(value, kXsdInteger)).value(),
              static_cast<TermIndex>(i + 1));
  }
}

TEST(QuadSet, KeepsArrivalOrderUntilDeduplicated) {
  QuadSet set;
  const StatementView one = triple("s", "p", TermView::literal("1"));
  const StatementView two = triple("s", "p", TermView::literal("2"));
  for (const StatementView& statement : {two, one, two}) ASSERT_TRUE(set.statement(statement));
  ASSERT_EQ(set.quads().size(), 3U);
  EXPECT_EQ(set.view(set.quads()[0]), two);
  EXPECT_EQ(set.view(set.quads()[1]), one);
  set.deduplicate();
  EXPECT_EQ(set.quads().size(), 2U);
}

TEST(QuadSet, DefaultGraphStaysTheDefaultGraph) {
  QuadSet set;
  ASSERT_TRUE(set.statement(triple("s", "p", TermView::iri("o"))));
  EXPECT_TRUE(set.view(set.quads()[0]).in_default_graph());
}

TEST(QuadSet, LaterPrefixReplacesEarlierInPlace) {
  QuadSet set;
  set.prefix("a", "http://a/");
  set.prefix("", "http://b/");
  set.prefix("a", "http://c/");
  EXPECT_THAT(set.prefixes(), ElementsAre(Pair("a", "http://c/"), Pair("", "http://b/")));
}

TEST(QuadSet, ChargesItsMemoryAndGivesItBack) {
  MemoryBudget budget("test", 16 * kMiB);
  OpContext context;
  context.memory = &budget;
  {
    QuadSet set(context);
    for (int i = 0; i < 10'000; ++i) {
      ASSERT_TRUE(set.statement(triple(fmt::format("http://s/{}", i), "p", TermView::iri("o"))));
    }
    // At least the 16 bytes of each statement and the text of its subject.
    EXPECT_GT(budget.bytes_used(), 10'000U * 26);
    const QuadSet moved = std::move(set);
    EXPECT_EQ(moved.quads().size(), 10'000U);
  }
  EXPECT_EQ(budget.bytes_used(), 0U);
}

TEST(QuadSet, StopsAtTheMemoryBudget) {
  MemoryBudget budget("query", 256 * kKiB);
  OpContext context;
  context.memory = &budget;
  QuadSet set(context);
  Result<void> result;
  std::size_t accepted = 0;
  while (result && accepted < 100'000) {
    result = set.statement(triple("s", "p", TermView::literal(std::to_string(accepted))));
    if (result) ++accepted;
  }
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("collecting statements in memory"));
  EXPECT_EQ(set.quads().size(), accepted);
  EXPECT_LE(budget.bytes_used(), 256 * kKiB);
}

TEST(QuadSet, BoundsThePrefixes) {
  OpContext context;
  context.limits.prefixes_max = 2;
  QuadSet set(context);
  for (const auto* name : {"a", "b", "a", "c"}) set.prefix(name, "http://x/");
  EXPECT_EQ(set.prefixes().size(), 2U);
  const auto result = set.statement(triple("s", "p", TermView::iri("o")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace helve::rdf
