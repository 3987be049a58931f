#include "agent/judge/comparison.h"

#include <algorithm>

#include "agent/judge/graph_comparison.h"
#include "agent/judge/judge_testing.h"

namespace helve::agent {
namespace {

using learning::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

Comparison compare(const toolkit::RowTablePtr& reference, const toolkit::RowTablePtr& candidate,
                   const ComparisonOptions& options = {}) {
  const auto comparison = compare_results(*reference, *candidate, options, {});
  EXPECT_TRUE(comparison.has_value()) << comparison.error().to_string();
  return comparison.value_or(Comparison{});
}

ComparisonOptions bag() {
  ComparisonOptions options;
  options.is_bag = true;
  return options;
}
ComparisonOptions in_order() {
  ComparisonOptions options;
  options.is_ordered = true;
  return options;
}

TEST(Comparison, SaysFiguresAndNoValues) {
  const auto reference = table_of({"x"}, {{"secret1"}, {"secret2"}, {"secret3"}, {"secret4"}});
  const auto candidate = table_of({"y"}, {{"secret1"}, {"secret2"}, {"secret3"}, {"other"}, {"b"}});
  const Comparison comparison = compare(reference, candidate);
  EXPECT_EQ(comparison.verdict, Verdict::Partial);
  EXPECT_DOUBLE_EQ(comparison.precision, 0.6);
  EXPECT_DOUBLE_EQ(comparison.recall, 0.75);
  EXPECT_NEAR(comparison.f1, 2 * 0.6 * 0.75 / 1.35, 1e-12);
  EXPECT_EQ(comparison.common, 3U);
  EXPECT_EQ(comparison.reference_rows, 4U);
  EXPECT_EQ(comparison.rows, 5U);
  EXPECT_EQ(comparison.says,
            "3 of 4 rows are there, and 2 that should not be (precision 0.60, recall 0.75)");
}

TEST(Comparison, EmptyAgainstEmptyIsCorrectByDefinition) {
  const Comparison both = compare(table_of({"x"}, {}), table_of({"a", "b"}, {}));
  EXPECT_EQ(both.verdict, Verdict::Correct);
  EXPECT_EQ(both.precision, 1);
  EXPECT_EQ(both.recall, 1);
  EXPECT_EQ(both.f1, 1);
  const Comparison none = compare(table_of({"x"}, {{"a"}}), table_of({"x"}, {}));
  EXPECT_EQ(none.verdict, Verdict::Incorrect);
  EXPECT_EQ(none.precision + none.recall + none.f1, 0);
  EXPECT_EQ(compare(table_of({"x"}, {}), table_of({"x"}, {{"a"}})).verdict, Verdict::Incorrect);
  EXPECT_EQ(compare(table_of({"x", "y"}, {}), table_of({"x"}, {})).verdict, Verdict::Incorrect);
}

TEST(Comparison, MatchesColumnsByWhatIsInThem) {
  const auto reference = table_of({"a", "b", "c"}, {{"1", "x", "p"}, {"2", "y", "q"}});
  const auto candidate =
      table_of({"b", "n", "a", "c"}, {{"p", "extra", "x", "1"}, {"q", "extra", "y", "2"}});
  const Comparison comparison = compare(reference, candidate);
  EXPECT_EQ(comparison.verdict, Verdict::Correct) << comparison.says;
  EXPECT_THAT(comparison.columns, ElementsAre(Optional(3), Optional(2), Optional(0)));
  EXPECT_EQ(comparison.more_columns, 1U);
  EXPECT_THAT(comparison.says, HasSubstr("1 column more than asked for"));
  ComparisonOptions strict;
  strict.allows_more_columns = false;
  EXPECT_EQ(compare(reference, candidate, strict).verdict, Verdict::Partial);
}

// The same values in every column: which is which shows in the rows alone.
TEST(Comparison, TriesMatchingsUntilOneIsRight) {
  const auto reference = table_of(
      {"a", "b", "c"}, {{"1", "2", "3"}, {"2", "3", "1"}, {"3", "1", "1"}, {"1", "1", "2"}});
  const auto candidate = table_of(
      {"a", "b", "c"}, {{"3", "1", "2"}, {"1", "2", "3"}, {"1", "3", "1"}, {"2", "1", "1"}});
  const Comparison comparison = compare(reference, candidate);
  EXPECT_EQ(comparison.verdict, Verdict::Correct) << comparison.says;
  EXPECT_THAT(comparison.columns, ElementsAre(Optional(1), Optional(2), Optional(0)));
}

TEST(Comparison, TakesTheBestMatchingWhereNoneIsRight) {
  const auto reference = table_of({"a", "b"}, {{"1", "2"}, {"2", "3"}, {"3", "1"}, {"4", "1"}});
  const auto candidate = table_of({"x", "y"}, {{"2", "1"}, {"3", "2"}, {"1", "3"}, {"1", "5"}});
  const Comparison comparison = compare(reference, candidate);
  EXPECT_EQ(comparison.verdict, Verdict::Partial);
  EXPECT_EQ(comparison.common, 3U);
  EXPECT_THAT(comparison.columns, ElementsAre(Optional(1), Optional(0)));
}

TEST(Comparison, MissingColumnIsIncorrect) {
  const Comparison comparison =
      compare(table_of({"a", "b"}, {{"1", "2"}, {"3", "4"}}), table_of({"z"}, {{"2"}, {"4"}}));
  EXPECT_EQ(comparison.verdict, Verdict::Incorrect);
  EXPECT_THAT(comparison.columns, ElementsAre(std::nullopt, Optional(0)));
  EXPECT_EQ(comparison.missing_columns, 1U);
  EXPECT_EQ(comparison.says, "the reference has 2 columns, the result 1");
}

TEST(Comparison, BagsCountAndSetsDoNot) {
  const auto reference = table_of({"x"}, {{"a"}, {"a"}, {"b"}});
  const auto candidate = table_of({"x"}, {{"a"}, {"b"}, {"b"}});
  EXPECT_EQ(compare(reference, candidate).verdict, Verdict::Correct);
  const Comparison counted = compare(reference, candidate, bag());
  EXPECT_EQ(counted.verdict, Verdict::Partial);
  EXPECT_EQ(counted.common, 2U);
  EXPECT_EQ(compare(reference, reference, bag()).verdict, Verdict::Correct);
}

TEST(Comparison, OrderCountsWhereItIsAskedFor) {
  const auto reference = table_of({"x"}, {{"a"}, {"b"}, {"c"}});
  const auto candidate = table_of({"x"}, {{"a"}, {"c"}, {"b"}});
  EXPECT_EQ(compare(reference, candidate).verdict, Verdict::Correct);
  const Comparison ordered = compare(reference, candidate, in_order());
  EXPECT_EQ(ordered.verdict, Verdict::Partial);
  EXPECT_TRUE(ordered.is_order_wrong);
  EXPECT_EQ(ordered.f1, 1);
  EXPECT_EQ(ordered.says, "the same 3 rows, in another order");
  EXPECT_EQ(compare(reference, reference, in_order()).verdict, Verdict::Correct);
}

TEST(Comparison, DoublesForgiveTheLastDigitsAndOthersDoNot) {
  const auto exact = table_of({"x"}, {{"0.1234567890123456789^decimal"}});
  EXPECT_EQ(compare(exact, table_of({"x"}, {{"0.12345678901234568^double"}})).verdict,
            Verdict::Correct);
  EXPECT_EQ(compare(exact, table_of({"x"}, {{"0.1234567890123456788^decimal"}})).verdict,
            Verdict::Incorrect);
  // A double elsewhere changes nothing here.
  EXPECT_EQ(
      compare(exact, table_of({"d", "x"}, {{"1^double", "0.1234567890123456788^decimal"}})).verdict,
      Verdict::Incorrect);
}

// Averages of the same doubles, forwards and backwards.
TEST(Comparison, SumsInAnotherOrderAreTheSame) {
  const auto forwards = table_of({"x"}, {{"266.3985714285714^double"}, {"1.5^double"}});
  const auto backwards = table_of({"x"}, {{"266.3985714285715^double"}, {"1.5^double"}});
  EXPECT_EQ(compare(forwards, backwards).verdict, Verdict::Correct);
  EXPECT_EQ(compare(backwards, forwards).verdict, Verdict::Correct);
  EXPECT_EQ(compare(forwards, table_of({"x"}, {{"266.39857142^double"}, {"1.5^double"}})).verdict,
            Verdict::Partial);
  EXPECT_EQ(compare(table_of({"x"}, {{"12.34567^float"}}), table_of({"x"}, {{"12.345671^float"}}))
                .verdict,
            Verdict::Correct);
}

// Whoever gives every number has given the right one.
TEST(Comparison, GuessesInFurtherColumnsAreNotCorrect) {
  const auto two = table_of({"n"}, {{"2^integer"}});
  const Comparison guessed =
      compare(two, table_of({"a", "b", "c"}, {{"1^integer", "2^integer", "3^integer"}}));
  EXPECT_EQ(guessed.verdict, Verdict::Partial);
  EXPECT_EQ(guessed.recall, 1);
  EXPECT_NEAR(guessed.precision, 1.0 / 3, 1e-9);
  EXPECT_THAT(guessed.says, HasSubstr("could be the answer as well"));
  const auto yes = table_of({"b"}, {{"true^boolean"}});
  EXPECT_EQ(compare(yes, table_of({"a", "b"}, {{"true^boolean", "false^boolean"}})).verdict,
            Verdict::Partial);
  // What is of another kind stands beside it, and so does the same once more.
  EXPECT_EQ(compare(two, table_of({"p", "l", "n", "m"}, {{"<p>", "Mars@en", "2^integer", "2^int"}}))
                .verdict,
            Verdict::Correct);
  const auto thing = table_of({"x"}, {{"<a>"}});
  EXPECT_EQ(compare(thing, table_of({"x", "y", "l"}, {{"<a>", "<b>", "A"}})).verdict,
            Verdict::Correct);
  EXPECT_EQ(
      compare(thing, table_of({"u", "v", "x", "y", "z"}, {{"<d>", "<e>", "<a>", "<b>", "<c>"}}))
          .verdict,
      Verdict::Partial);
  // Rows of several cannot be guessed so.
  EXPECT_EQ(compare(table_of({"n"}, {{"2^integer"}, {"3^integer"}}),
                    table_of({"n", "r"}, {{"2^integer", "7^integer"}, {"3^integer", "8^integer"}}))
                .verdict,
            Verdict::Correct);
}

TEST(Comparison, LanguagesCountWhereBothHaveOne) {
  const auto plain = table_of({"x"}, {{"Mars"}});
  const auto english = table_of({"x"}, {{"Mars@en"}});
  const auto german = table_of({"x"}, {{"Mars@de"}});
  const auto both = table_of({"x"}, {{"Mars@de"}, {"Mars@EN"}});
  EXPECT_EQ(compare(plain, english).verdict, Verdict::Correct);
  EXPECT_EQ(compare(german, plain).verdict, Verdict::Correct);
  EXPECT_EQ(compare(german, english).verdict, Verdict::Incorrect);
  // As a set the plain text stands for both of them, as a bag for one.
  EXPECT_EQ(compare(plain, both).verdict, Verdict::Correct);
  EXPECT_EQ(compare(plain, both, bag()).verdict, Verdict::Partial);
  EXPECT_EQ(compare(both, english).verdict, Verdict::Partial);
  // Pairs are found even where the first choice is the wrong one.
  EXPECT_EQ(compare(table_of({"x"}, {{"Mars"}, {"Mars@de"}}),
                    table_of({"x"}, {{"Mars"}, {"Mars@en"}}), bag())
                .verdict,
            Verdict::Correct);
  EXPECT_EQ(compare(both, both, in_order()).verdict, Verdict::Correct);
}

TEST(Comparison, ManyRowsWithLanguagesAreCounted) {
  std::vector<Words> left;
  std::vector<Words> right;
  for (int i = 0; i < 300; ++i) {
    left.push_back({i % 3 == 0 ? "a@en" : "a"});
    right.push_back({i % 2 == 0 ? "a@en" : "a@de"});
  }
  const Comparison comparison = compare(table_of({"x"}, left), table_of({"x"}, right), bag());
  EXPECT_EQ(comparison.verdict, Verdict::Correct) << comparison.says;
  left.assign(300, {"a@en"});
  EXPECT_EQ(compare(table_of({"x"}, left), table_of({"x"}, right), bag()).common, 150U);
}

TEST(Comparison, BlankNodesAreCounted) {
  const auto two = table_of({"x", "n"}, {{"_:a", "1"}, {"_:b", "1"}});
  EXPECT_EQ(compare(two, table_of({"x", "n"}, {{"_:z", "1"}, {"_:y", "1"}})).verdict,
            Verdict::Correct);
  const Comparison one = compare(two, table_of({"x", "n"}, {{"_:z", "1"}, {"_:z", "1"}}));
  EXPECT_EQ(one.verdict, Verdict::Partial);
  EXPECT_EQ(one.rows, 1U);
  EXPECT_EQ(compare(two, table_of({"x", "n"}, {{"<a>", "1"}, {"<b>", "1"}})).verdict,
            Verdict::Incorrect);
  EXPECT_EQ(compare(table_of({"x", "n"}, {{"_:a", "m@en"}, {"_:b", "m@en"}}),
                    table_of({"x", "n"}, {{"_:c", "m"}, {"_:d", "m"}}))
                .verdict,
            Verdict::Correct);
}

TEST(Comparison, UnboundCellsAreEqual) {
  EXPECT_EQ(compare(table_of({"x", "y"}, {{"a", ""}, {"", "b"}}),
                    table_of({"x", "y"}, {{"", "b"}, {"a", ""}}))
                .verdict,
            Verdict::Correct);
  EXPECT_EQ(compare(table_of({"x"}, {{""}}), table_of({"x"}, {{"a"}})).verdict, Verdict::Incorrect);
}

// Ten columns of the same values in another order of rows: more matchings than are tried.
TEST(Comparison, TellsWhereNotAllMatchingsWereTried) {
  constexpr int kColumns = 10;
  Words names;
  std::vector<Words> left(kColumns);
  std::vector<Words> right(kColumns);
  for (int i = 0; i < kColumns; ++i) {
    names.push_back("c" + std::to_string(i));
    for (int row = 0; row < kColumns; ++row) {
      left[row].push_back(std::to_string((row * (i + 1) + i) % 11));
      right[row].push_back(std::to_string((row * (i + 1) + i * i + 3) % 11));
    }
  }
  const Comparison comparison = compare(table_of(names, left), table_of(names, right));
  EXPECT_NE(comparison.verdict, Verdict::Correct);
  EXPECT_THAT(comparison.says, HasSubstr("not all were tried"));
}

TEST(Comparison, AlikeColumnsAreTriedOnce) {
  constexpr int kColumns = 40;
  Words names;
  std::vector<Words> left(3);
  for (int i = 0; i < kColumns; ++i) {
    names.push_back("c" + std::to_string(i));
    for (auto& row : left) row.emplace_back("");
  }
  std::vector<Words> right = left;
  right.emplace_back(kColumns, "x");
  EXPECT_EQ(compare(table_of(names, left), table_of(names, left)).verdict, Verdict::Correct);
  EXPECT_THAT(compare(table_of(names, left), table_of(names, right)).says,
              Not(HasSubstr("not all were tried")));
}

TEST(Comparison, HoldsItsLimits) {
  ComparisonOptions options;
  options.rows_max = 1;
  const auto two = table_of({"x"}, {{"a"}, {"b"}});
  const auto comparison = compare_results(*two, *two, options, {});
  ASSERT_FALSE(comparison.has_value());
  EXPECT_EQ(comparison.error().code, ErrorCode::LimitExceeded);
  const auto wide = table_of(Words(65, "x"), {Words(65, "a")});
  EXPECT_EQ(compare_results(*wide, *wide, {}, {}).error().code, ErrorCode::LimitExceeded);
  OpContext cancelled;
  cancelled.cancel.cancel();
  std::vector<Words> many(20'000, Words{"a"});
  const auto large = table_of({"x"}, many);
  EXPECT_EQ(compare_results(*large, *large, {}, cancelled).error().code, ErrorCode::Cancelled);
  MemoryBudget small("small", 1'000, &process_memory());
  OpContext poor;
  poor.memory = &small;
  EXPECT_EQ(compare_results(*large, *large, {}, poor).error().code, ErrorCode::LimitExceeded);
}

Comparison compare_statements(const std::vector<Words>& reference,
                              const std::vector<Words>& candidate) {
  const auto comparison = compare_graphs(*table_of({"s", "p", "o"}, reference),
                                         *table_of({"s", "p", "o"}, candidate), {}, {});
  EXPECT_TRUE(comparison.has_value()) << comparison.error().to_string();
  return comparison.value_or(Comparison{});
}

TEST(GraphComparison, BlankNodesHaveToBeConnectedAlike) {
  const std::vector<Words> chain = {
      {"<a>", "<p>", "_:x"}, {"_:x", "<q>", "_:y"}, {"<a>", "<r>", "1"}};
  EXPECT_EQ(
      compare_statements(chain, {{"_:2", "<q>", "_:1"}, {"<a>", "<p>", "_:2"}, {"<a>", "<r>", "1"}})
          .verdict,
      Verdict::Correct);
  const Comparison broken = compare_statements(
      chain, {{"<a>", "<p>", "_:x"}, {"_:z", "<q>", "_:y"}, {"<a>", "<r>", "1"}});
  EXPECT_EQ(broken.verdict, Verdict::Partial);
  EXPECT_EQ(broken.common, 1U);
  EXPECT_THAT(broken.says, HasSubstr("connected otherwise"));
}

TEST(GraphComparison, BlankNodesMakeValuesNoStricter) {
  for (const char* node : {"<a>", "_:x"}) {
    EXPECT_EQ(compare_statements({{node, "<p>", "x"}}, {{node, "<p>", "x@en"}}).verdict,
              Verdict::Correct)
        << node;
    EXPECT_EQ(compare_statements({{node, "<p>", "x@de"}}, {{node, "<p>", "x@en"}}).verdict,
              Verdict::Incorrect)
        << node;
    EXPECT_EQ(compare_statements({{node, "<p>", "0.3^double"}},
                                 {{node, "<p>", "0.30000000000000004^double"}})
                  .verdict,
              Verdict::Correct)
        << node;
  }
}

TEST(GraphComparison, PartsAreNotExchanged) {
  EXPECT_EQ(compare_statements({{"<a>", "<p>", "<b>"}}, {{"<b>", "<p>", "<a>"}}).verdict,
            Verdict::Incorrect);
  EXPECT_EQ(
      compare_statements({{"<a>", "<p>", "1^integer"}}, {{"<a>", "<p>", "1.0^decimal"}}).verdict,
      Verdict::Correct);
  EXPECT_EQ(compare_statements({}, {}).verdict, Verdict::Correct);
}

}  // namespace
}  // namespace helve::agent
