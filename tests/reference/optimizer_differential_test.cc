// Optimised plans against the reference evaluator on random data and queries, the same ones each
// time. helve_optimizer_differential and the fuzz target of the same name go further.
#include <gtest/gtest.h>

#include <algorithm>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "tests/reference/differential.h"
#include "tests/reference/shrink.h"

namespace helve::reference {
namespace {

class OptimizerDifferential : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(OptimizerDifferential, SmallData) {
  constexpr std::uint64_t kRounds = 40;
  Tally tally;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    const std::uint64_t seed = GetParam() * kRounds + i;
    Choices choices(seed);
    RoundOptions options;
    options.turn = seed;
    const auto difference = run_round(choices, options, tally);
    ASSERT_FALSE(difference) << "seed " << seed << "\n" << *difference;
  }
  // The queries are worth something: most can be compared, and many find rows.
  EXPECT_GT(tally.queries, kRounds * 15);
  EXPECT_GT(tally.with_rows, tally.queries / 4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OptimizerDifferential, ::testing::Range<std::uint64_t>(0, 8));

// Every pass off and every pass alone.
TEST(OptimizerDifferentialTest, EverySetup) {
  Tally tally;
  for (std::uint64_t seed = 1'000; seed < 1'010; ++seed) {
    Choices choices(seed);
    RoundOptions options;
    options.has_all_setups = true;
    const auto difference = run_round(choices, options, tally);
    ASSERT_FALSE(difference) << "seed " << seed << "\n" << *difference;
  }
}

// More rows than a batch has, and enough for several threads.
TEST(OptimizerDifferentialTest, LargeData) {
  Tally tally;
  for (std::uint64_t seed = 2'000; seed < 2'003; ++seed) {
    Choices choices(seed);
    RoundOptions options;
    options.is_large = true;
    options.turn = seed;
    options.quads_max = 6'000;
    options.nodes_max = 1'500;
    const auto difference = run_round(choices, options, tally);
    ASSERT_FALSE(difference) << "seed " << seed << "\n" << *difference;
  }
}

sparql::Query parsed(std::string_view text) {
  sparql::ParseOptions options;
  options.known_prefixes = {{"", "http://example.org/"}};
  return sparql::parse_query(text, options).value().query;
}

// What a report shows is small: the one triple and the one pattern that matter.
TEST(ShrinkTest, LeavesWhatFails) {
  Choices choices(std::uint64_t{5});
  Failing failing{random_quads(choices, {40, 10, false}),
                  parsed("SELECT DISTINCT ?a ?b { { ?a :p0 ?b . ?b :p1 ?c } UNION { ?a ?b ?c "
                         "FILTER(BOUND(?a) && EXISTS { ?b :p2 ?c . ?a :p3 ?b }) } } ORDER BY ?a")};
  const MemoryQuad wanted = failing.quads.back();
  const Failing least = shrink(failing, [&](const Failing& candidate) {
    const std::string text = report(candidate.quads, {candidate.query, false}, {});
    return std::find(candidate.quads.begin(), candidate.quads.end(), wanted) !=
               candidate.quads.end() &&
           text.find("p3") != std::string::npos;
  });
  EXPECT_EQ(least.quads.size(), 1U);
  EXPECT_EQ(sparql::to_sparql(least.query.body().where, {{"", "http://example.org/"}}),
            "FILTER EXISTS {\n  ?a :p3 ?b .\n}");
}

}  // namespace
}  // namespace helve::reference
