#include "sources/sparql/results/results_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

bool same(const SolutionTable& a, const SolutionTable& b, const CompareOptions& options = {}) {
  const auto there = are_same_solutions(a, b, options);
  const auto back = are_same_solutions(b, a, options);
  EXPECT_TRUE(there && back && *there == *back);
  return there && *there;
}

constexpr CompareOptions kOrdered{true, false};
constexpr CompareOptions kSet{false, true};

TEST(CompareSolutions, BooleansByValue) {
  EXPECT_TRUE(same(answer(true), answer(true)));
  EXPECT_FALSE(same(answer(true), answer(false)));
  EXPECT_FALSE(same(answer(true), table({})));
}

TEST(CompareSolutions, ColumnsByName) {
  EXPECT_TRUE(
      same(table({"x", "y"}, {{text("1"), kUnbound}}), table({"y", "x"}, {{kUnbound, text("1")}})));
  EXPECT_FALSE(same(table({"x"}, {{text("1")}}), table({"y"}, {{text("1")}})));
  EXPECT_FALSE(same(table({"x"}), table({"x", "y"})));
  EXPECT_TRUE(same(table({"x", "y"}, {{text("1"), blank("a")}}),
                   table({"y", "x"}, {{blank("b"), text("1")}})));
}

TEST(CompareSolutions, BagsCountRows) {
  const auto one = table({"x"}, {{text("1")}, {text("2")}});
  const auto other = table({"x"}, {{text("2")}, {text("1")}});
  const auto doubled = table({"x"}, {{text("1")}, {text("2")}, {text("2")}});
  EXPECT_TRUE(same(one, other));
  EXPECT_FALSE(same(one, other, kOrdered));
  EXPECT_TRUE(same(one, one, kOrdered));
  EXPECT_FALSE(same(one, doubled));
  EXPECT_TRUE(same(one, doubled, kSet));
  EXPECT_FALSE(same(table({"x"}, {{text("1")}, {text("1")}, {text("2")}}), doubled));
  EXPECT_TRUE(same(table({}, {{}, {}}), table({}, {{}, {}})));
  EXPECT_FALSE(same(table({}, {{}}), table({}, {{}, {}})));
}

TEST(CompareSolutions, TermsByAllTheirParts) {
  const std::vector<MaybeTerm> terms = {
      iri("a"),          text("a"), tagged("a", "en"), typed("a", "http://t"),
      tagged("a", "EN"), kUnbound,  text("a1:"),       typed("", "a")};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = 0; j < terms.size(); ++j) {
      EXPECT_EQ(same(table({"x"}, {{terms[i]}}), table({"x"}, {{terms[j]}})), i == j) << i << j;
      // The same where blank nodes are about.
      EXPECT_EQ(
          same(table({"x"}, {{terms[i]}, {blank("b")}}), table({"x"}, {{blank("c")}, {terms[j]}})),
          i == j)
          << i << j;
    }
  }
}

TEST(CompareSolutions, BlankNodesByARenamingOfTheWhole) {
  const auto chain = table({"x", "y"}, {{blank("a"), blank("b")}, {blank("b"), blank("c")}});
  EXPECT_TRUE(same(chain, table({"x", "y"}, {{blank("c"), blank("x")}, {blank("a"), blank("c")}})));
  EXPECT_FALSE(
      same(chain, table({"x", "y"}, {{blank("a"), blank("b")}, {blank("c"), blank("d")}})));
  EXPECT_FALSE(
      same(chain, table({"x", "y"}, {{blank("a"), blank("b")}, {blank("b"), blank("a")}})));
  EXPECT_FALSE(
      same(table({"x"}, {{blank("a")}, {blank("a")}}), table({"x"}, {{blank("a")}, {blank("b")}})));
  EXPECT_FALSE(same(table({"x"}, {{blank("a")}}), table({"x"}, {{iri("a")}})));
}

TEST(CompareSolutions, OrderedRowsWithBlankNodes) {
  const auto rows = table({"x"}, {{blank("a")}, {blank("b")}, {blank("a")}});
  EXPECT_TRUE(same(rows, table({"x"}, {{blank("b")}, {blank("a")}, {blank("b")}}), kOrdered));
  EXPECT_FALSE(same(rows, table({"x"}, {{blank("a")}, {blank("a")}, {blank("b")}}), kOrdered));
  EXPECT_TRUE(same(rows, table({"x"}, {{blank("a")}, {blank("a")}, {blank("b")}})));
}

TEST(CompareSolutions, SetsWithBlankNodes) {
  const auto rows = table({"x"}, {{blank("a")}, {blank("a")}, {text("1")}});
  EXPECT_TRUE(same(rows, table({"x"}, {{text("1")}, {text("1")}, {blank("z")}}), kSet));
  EXPECT_FALSE(same(rows, table({"x"}, {{text("1")}, {blank("y")}, {blank("z")}}), kSet));
}

TEST(CompareSolutions, LabelsOfRowsAreNoLabelsOfData) {
  EXPECT_TRUE(same(table({"x"}, {{blank("row 0")}, {blank("row 1")}}),
                   table({"x"}, {{blank("0")}, {blank("1")}})));
}

TEST(CompareSolutions, ManyAlikeRowsAreLittleWork) {
  std::vector<std::vector<MaybeTerm>> rows;
  std::vector<std::vector<MaybeTerm>> others;
  constexpr int kRows = 5'000;
  for (int i = 0; i < kRows; ++i) {
    rows.push_back({blank("a" + std::to_string(i)), text("same")});
    others.push_back({blank("b" + std::to_string(kRows - i)), text("same")});
  }
  EXPECT_TRUE(same(table({"x", "y"}, rows), table({"x", "y"}, others)));
  others[0][0] = others[1][0];
  EXPECT_FALSE(same(table({"x", "y"}, rows), table({"x", "y"}, others)));
}

TEST(CompareSolutions, StopsWhenCancelled) {
  OpContext context;
  context.cancel.cancel();
  const auto rows = table({"x"}, {{blank("a")}});
  const auto result = are_same_solutions(rows, rows, {}, context);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace helve::sparql
