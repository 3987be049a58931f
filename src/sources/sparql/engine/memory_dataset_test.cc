// The dataset that the other tests of this folder rest on (tests/support/dataset/memory_dataset.h).
#include "tests/support/dataset/memory_dataset.h"

#include <gtest/gtest.h>

namespace helve::sparql {
namespace {

constexpr std::string_view kData = R"(
:a :p :b, 1, "x"@en .
:b :q :a .
:g1 { :a :p :b . :c :p 2 . }
:g2 { :a :p :b . }
)";

QuadPattern all(GraphChoice::Kind kind) {
  QuadPattern pattern;
  pattern.graph.kind = kind;
  return pattern;
}

TEST(MemoryDataset, CountsByGraphChoice) {
  const auto snapshot = memory_snapshot(kData);
  EXPECT_EQ(snapshot->count(all(GraphChoice::Kind::Default)).n, 4U);
  EXPECT_EQ(snapshot->count(all(GraphChoice::Kind::Union)).n, 5U);
  EXPECT_EQ(snapshot->count(all(GraphChoice::Kind::Named)).n, 3U);
  EXPECT_EQ(snapshot->triples(), 5U);
  EXPECT_EQ(snapshot->named_graphs().size(), 2U);
  QuadPattern one = all(GraphChoice::Kind::One);
  one.graph.graph = snapshot->find(rdf::TermView::iri("http://example.org/g1")).value();
  EXPECT_EQ(snapshot->count(one).n, 2U);
}

TEST(MemoryDataset, ScansInTheOrderAskedForWhereItSuits) {
  const auto snapshot = memory_snapshot(kData);
  QuadPattern pattern = all(GraphChoice::Kind::Union);
  pattern.predicate = snapshot->find(rdf::TermView::iri("http://example.org/p")).value();
  const auto scan = snapshot->scan(pattern, Order::Pos);
  EXPECT_EQ(scan->order(), Order::Pos);
  QuadBatch batch;
  ASSERT_TRUE(scan->next(batch, 3));
  ASSERT_EQ(batch.rows, 3U);
  EXPECT_LE(batch[Part::Object][0], batch[Part::Object][1]);
  EXPECT_TRUE(batch[Part::Graph].empty());
  ASSERT_TRUE(scan->next(batch, 3));
  EXPECT_EQ(batch.rows, 1U);
  EXPECT_FALSE(scan->next(batch, 3));
  EXPECT_NE(snapshot->scan(pattern, Order::Spo)->order(), Order::Spo);
}

TEST(MemoryDataset, TermsComeBack) {
  const auto snapshot = memory_snapshot(kData);
  std::string scratch;
  for (const auto& term :
       {rdf::TermView::iri("http://example.org/a"), rdf::TermView::lang_literal("x", "en"),
        rdf::TermView::literal("1", "http://www.w3.org/2001/XMLSchema#integer")}) {
    const auto id = snapshot->find(term);
    ASSERT_TRUE(id.has_value());
    EXPECT_EQ(snapshot->term(*id, scratch), term);
  }
  EXPECT_EQ(snapshot->find(rdf::TermView::iri("http://example.org/none")), std::nullopt);
}

}  // namespace
}  // namespace helve::sparql
