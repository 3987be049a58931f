// Queries whose intermediate results exceed their memory give the same rows in the same order, by
// temporary files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/spill_space.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/explain.h"
#include "sources/sparql/engine/query_run.h"
#include "tests/support/dataset/memory_dataset.h"
#include "tests/support/fake_env.h"
#include "tests/support/step_clock.h"

namespace helve::sparql {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Nodes in a ring of :p, each with a :v of its own, a :w that it shares with others, a :t of many
// kinds of terms, and, every third, an :o.
std::shared_ptr<const MemorySnapshot> data(int nodes) {
  static const std::vector<std::string> kinds = {
      "1.5",         "\"text\"@en",   "\"plain\"", "2e3", "true", "\"2024-01-01\"^^xsd:date",
      "<http://x/>", "\"odd\"^^:type"};
  std::string text;
  for (int i = 0; i < nodes; ++i) {
    const std::string node = ":n" + std::to_string(i);
    text += node + " :p :n" + std::to_string((i + 1) % nodes) + " ; :v " + std::to_string(i) +
            " ; :w " + std::to_string(i * 7919 % 31) + " ; :t " +
            kinds[static_cast<std::size_t>(i) % kinds.size()] + " .\n";
    if (i % 3 == 0) text += node + " :o \"o" + std::to_string(i * 31 % nodes) + "\" .\n";
  }
  return memory_snapshot(text);
}

struct SpillCollector final : SolutionSink, rdf::StatementSink {
  Result<void> statement(const rdf::StatementView& view) override {
    rows.push_back(rdf::to_ntriples(view.subject) + " " + rdf::to_ntriples(view.predicate) + " " +
                   rdf::to_ntriples(view.object));
    return {};
  }
  Result<void> variables(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> boolean(bool /*answer*/) override { return {}; }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    std::string row;
    for (const auto& term : terms) row += term ? rdf::to_ntriples(*term) + " " : "- ";
    rows.push_back(std::move(row));
    return {};
  }
  std::vector<std::string> rows;
};

Result<bool> send(QueryRun& run, SpillCollector& sink, std::uint64_t rows_max = UINT64_MAX) {
  if (run.kind() == QueryRun::Kind::Graph) {
    return run.send(static_cast<rdf::StatementSink&>(sink), rows_max);
  }
  return run.send(static_cast<SolutionSink&>(sink), rows_max);
}

struct SpillOutcome {
  std::vector<std::string> rows;
  std::optional<Error> error;
  bool has_more = false;
  std::uint64_t spilled = 0;
  std::size_t bytes_peak = 0;
  std::size_t bytes_left = 0;
};

struct SpillBounds {
  std::size_t bytes_max = kGiB;
  std::uint64_t spill_max = kGiB;
  bool has_space = true;
  std::int64_t cancelled_at = 1'000'000'000;
  std::uint64_t rows_max = UINT64_MAX;
};

class Spill {
 public:
  explicit Spill(int nodes) : data_(data(nodes)) {}

  SpillOutcome run(const std::string& text, const SpillBounds& bounds,
                   PassSet passes = PassSet::all()) {
    ParseOptions options;
    options.known_prefixes = {{"", "http://example.org/"}};
    auto parsed = parse_query(text, options);
    EXPECT_TRUE(parsed) << parsed.error().to_string();
    MemoryBudget memory("test", bounds.bytes_max);
    SpillSpace space(env_.files(), "/", bounds.spill_max);
    StepClock clock(std::chrono::milliseconds(1));
    OpContext context;
    context.memory = &memory;
    if (bounds.has_space) context.spill = &space;
    context.deadline = Deadline(clock, std::chrono::hours(10'000));
    clock.cancel_at(bounds.cancelled_at, context.cancel);
    SpillOutcome outcome;
    {
      SpillCollector sink;
      RunOptions run_options;
      run_options.passes = passes;
      run_options.env = &env_;
      auto run = QueryRun::start(parsed->query, data_, run_options, context);
      const auto sent = run ? send(*run, sink, bounds.rows_max) : Result<bool>(run.error());
      if (!sent) outcome.error = sent.error();
      outcome.has_more = sent && *sent;
      outcome.rows = std::move(sink.rows);
    }
    outcome.spilled = space.bytes_written();
    outcome.bytes_peak = memory.bytes_peak();
    outcome.bytes_left = memory.bytes_used();
    EXPECT_EQ(space.bytes_used(), 0U);
    EXPECT_EQ(env_.files().scratch_files(), 0U);
    EXPECT_EQ(outcome.bytes_left, 0U);
    return outcome;
  }

  // The plan of a measured run.
  std::string explain(const std::string& text, const SpillBounds& bounds) {
    ParseOptions options;
    options.known_prefixes = {{"", "http://example.org/"}};
    auto parsed = parse_query(text, options);
    EXPECT_TRUE(parsed) << parsed.error().to_string();
    MemoryBudget memory("test", bounds.bytes_max);
    SpillSpace space(env_.files(), "/", bounds.spill_max);
    OpContext context;
    context.memory = &memory;
    context.spill = &space;
    RunOptions run_options;
    run_options.explain = Explain::Measured;
    auto run = QueryRun::start(parsed->query, data_, run_options, context);
    SpillCollector sink;
    EXPECT_TRUE(run && send(*run, sink));
    EXPECT_EQ(run->spilled_bytes(), space.bytes_written());
    return plan_to_text(*run->plan(), {true, {}});
  }

  FakeEnv& env() { return env_; }

 private:
  std::shared_ptr<const MemorySnapshot> data_;
  FakeEnv env_;
};

struct SpillCase {
  std::string name;
  int nodes;
  std::string query;
  std::size_t part = 8;  // of the memory that the query takes by itself: one in so many is given
  std::size_t bytes_min = kMiB;
};

void PrintTo(const SpillCase& c, std::ostream* out) { *out << c.name; }

std::vector<SpillCase> sort_cases() {
  return {
      {"sort", 250, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY DESC(?y) ?x"},
      {"sort_in_several_passes", 250, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY DESC(?y) ?x", 25,
       320 * kKiB},
      {"sort_is_stable", 250, "SELECT * { ?a :v ?x . ?b :w ?y } ORDER BY ?y"},
      {"sort_by_kinds", 200, "SELECT * { ?a :t ?x . ?b :v ?y } ORDER BY ?x DESC(?y)"},
      {"sort_by_text", 200, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY DESC(STR(?b)) STR(?a)"},
      {"sort_by_unbound", 200,
       "SELECT * { ?a :v ?x . ?b :v ?y OPTIONAL { ?a :o ?o } } ORDER BY ?o DESC(?y)"},
      {"sort_of_many", 250, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY ?y LIMIT 30000 OFFSET 7"},
      {"top", 250, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY ?y LIMIT 9000", 4},
      {"sort_of_computed_terms", 220,
       "SELECT ?x ?y ?s { ?a :v ?x . ?b :v ?y BIND(?x * ?y AS ?s) } ORDER BY ?s"},
  };
}

std::vector<SpillCase> distinct_cases() {
  return {
      {"distinct_of_one", 450,
       "SELECT DISTINCT ?s { ?a :v ?x . ?b :v ?y BIND(?x * 300 + ?y AS ?s) }"},
      {"distinct_of_two", 250, "SELECT DISTINCT ?x ?y { ?a :v ?x . ?b :v ?y . ?c :w 3 }"},
      {"distinct_of_three", 250, "SELECT DISTINCT ?x ?y ?w { ?a :v ?x ; :w ?w . ?b :v ?y }"},
      {"distinct_in_order", 250,
       "SELECT DISTINCT ?y ?x { ?a :v ?x . ?b :v ?y . ?c :w 3 } ORDER BY DESC(?x)"},
      {"distinct_of_much", 350, "SELECT DISTINCT ?x ?y ?w { ?a :v ?x ; :w ?w . ?b :v ?y }", 30},
      {"distinct_with_unbound", 200,
       "SELECT DISTINCT ?o ?y ?x { ?a :v ?x . ?b :v ?y OPTIONAL { ?a :o ?o } }"},
  };
}

std::vector<SpillCase> group_cases() {
  return {
      {"group_of_one", 350,
       "SELECT ?s (SUM(?x) AS ?n) (MIN(?a) AS ?m) { ?a :v ?x . ?b :v ?y BIND(?x * 300 + ?y AS ?s) "
       "} GROUP BY ?s"},
      {"group_of_two", 250,
       "SELECT ?y ?x (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y . ?c :w 3 } GROUP BY ?y ?x"},
      {"group_of_three", 300,
       "SELECT ?x ?y ?w (AVG(?x) AS ?n) (SAMPLE(?t) AS ?s) { ?a :v ?x ; :w ?w ; :t ?t . ?b :v ?y } "
       "GROUP BY ?x ?y ?w"},
      {"group_of_much", 300,
       "SELECT ?x ?y ?a (MAX(?t) AS ?m) { ?a :v ?x . ?b :v ?y ; :t ?t } GROUP BY ?x ?y ?a", 30},
      {"group_of_computed_key", 350,
       "SELECT ?k (COUNT(?o) AS ?n) { ?a :v ?x . ?b :v ?y OPTIONAL { ?a :o ?o } } "
       "GROUP BY (?x * 250 + ?y AS ?k)"},
      {"group_with_distinct", 200,
       "SELECT ?x ?y (COUNT(DISTINCT ?w) AS ?n) { ?a :v ?x . ?b :v ?y . ?c :w ?w FILTER(?w < 2) } "
       "GROUP BY ?x ?y"},
      {"count_distinct", 450,
       "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?a :v ?x . ?b :v ?y BIND(?x * 300 + ?y AS ?s) }"},
      {"count_distinct_of_much", 450,
       "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?a :v ?x . ?b :v ?y BIND(?x * 300 + ?y AS ?s) }", 30,
       512 * kKiB},
      {"count_distinct_rows", 250,
       "SELECT (COUNT(DISTINCT *) AS ?n) { ?a :v ?x . ?b :v ?y . ?c :w 3 }"},
      {"distinct_aggregates_of_few_groups", 400,
       "SELECT ?w (COUNT(DISTINCT ?s) AS ?n) (SUM(DISTINCT ?s) AS ?m) (AVG(DISTINCT ?y) AS ?o) "
       "(GROUP_CONCAT(DISTINCT ?x) AS ?p) { ?a :v ?x . ?b :v ?y ; :w ?w BIND(?x * 300 + ?y AS ?s) "
       "FILTER(?w < 9) } GROUP BY ?w"},
      {"having", 250,
       "SELECT ?y ?x { ?a :v ?x . ?b :v ?y . ?c :w 3 } GROUP BY ?y ?x HAVING(SUM(?x) > 900)"},
  };
}

std::vector<SpillCase> join_cases() {
  return {
      {"hash_join", 250,
       "SELECT * { { SELECT ?a ?b ?x { ?a :v ?x . ?b :w 3 } } "
       "{ SELECT ?a ?y { ?a :v ?z . ?b :v ?y } } }"},
      {"hash_join_of_same_keys", 250,
       "SELECT * { { SELECT ?a ?b { ?a :v 5 . ?b :w 3 } } "
       "{ SELECT ?a ?y ?x { ?a :v 5 . ?b :v ?y . ?c :v ?x } } }"},
      {"hash_join_with_unbound", 200,
       "SELECT * { { SELECT ?a ?o { ?a :w 3 OPTIONAL { ?a :o ?o } } } OPTIONAL { "
       "{ SELECT ?o ?y ?x { ?d :o ?o . ?b :v ?y . ?c :v ?x FILTER(?x < 10) } } FILTER(?y < 3) } }"},
      {"optional", 300,
       "SELECT * { ?a :v ?x OPTIONAL { SELECT ?a ?y { ?a :v ?z . ?b :v ?y FILTER(?z > 9) } } }"},
      {"optional_with_condition", 300,
       "SELECT * { ?a :v ?x "
       "OPTIONAL { { SELECT ?a ?y { ?a :v ?z . ?b :v ?y } } FILTER(?y < ?x) } }"},
      {"minus", 300,
       "SELECT ?a ?x { ?a :v ?x "
       "MINUS { SELECT ?a ?x ?y { ?a :v ?x . ?b :v ?y FILTER(?x < 250) } } }"},
      {"join_sort_and_group", 250,
       "SELECT ?y (COUNT(*) AS ?n) (SUM(?x) AS ?s) { { SELECT ?a ?b ?x { ?a :v ?x . ?b :w 3 } } "
       "{ SELECT ?a ?y { ?a :v ?z . ?b :v ?y } } } GROUP BY ?y ORDER BY DESC(?y)"},
  };
}

std::vector<SpillCase> graph_cases() {
  return {
      {"construct", 250, "CONSTRUCT { ?a :q ?b } { ?a :v ?x . ?b :v ?y }"},
      {"construct_the_same_again", 200,
       "CONSTRUCT { ?a :q ?y . ?a :r ?w . ?a :q ?b } { ?a :v ?x . ?b :v ?y ; :w ?w }", 30},
      {"describe", 6'000, "DESCRIBE ?a { ?a :v ?x }", 3, 600 * kKiB},
  };
}

std::vector<SpillCase> spill_cases() {
  std::vector<SpillCase> all = sort_cases();
  for (const SpillCase& one : graph_cases()) all.push_back(one);
  for (const SpillCase& one : distinct_cases()) all.push_back(one);
  for (const SpillCase& one : group_cases()) all.push_back(one);
  for (const SpillCase& one : join_cases()) all.push_back(one);
  return all;
}

// One for each operator.
std::vector<SpillCase> fault_cases() {
  std::vector<SpillCase> some;
  for (const SpillCase& one : spill_cases()) {
    for (const char* name : {"sort", "distinct_of_three", "group_of_three", "count_distinct",
                             "construct", "optional", "minus"}) {
      if (one.name == name) some.push_back(one);
    }
  }
  return some;
}

class SpillTest : public ::testing::TestWithParam<SpillCase> {};
class SpillFaultTest : public ::testing::TestWithParam<SpillCase> {};

TEST_P(SpillTest, GivesTheSameRowsInTheSameOrder) {
  Spill spill(GetParam().nodes);
  const SpillOutcome whole = spill.run(GetParam().query, {});
  ASSERT_FALSE(whole.error) << whole.error->to_string();
  ASSERT_FALSE(whole.rows.empty());
  EXPECT_EQ(whole.spilled, 0U);
  SpillBounds bounds;
  bounds.bytes_max = std::max(whole.bytes_peak / GetParam().part, GetParam().bytes_min);
  ASSERT_LT(bounds.bytes_max, whole.bytes_peak / 2);
  const SpillOutcome spilled = spill.run(GetParam().query, bounds);
  ASSERT_FALSE(spilled.error) << spilled.error->to_string();
  EXPECT_GT(spilled.spilled, 0U);
  EXPECT_LE(spilled.bytes_peak, bounds.bytes_max);
  ASSERT_EQ(spilled.rows.size(), whole.rows.size());
  for (std::size_t i = 0; i < whole.rows.size(); ++i) {
    ASSERT_EQ(spilled.rows[i], whole.rows[i]) << i;
  }
}

TEST_P(SpillTest, FailsWithoutASpace) {
  Spill spill(GetParam().nodes);
  SpillBounds bounds;
  bounds.bytes_max =
      std::max(spill.run(GetParam().query, {}).bytes_peak / GetParam().part, GetParam().bytes_min);
  bounds.has_space = false;
  const SpillOutcome outcome = spill.run(GetParam().query, bounds);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, ErrorCode::LimitExceeded);
}

TEST_P(SpillFaultTest, EveryFaultOfTheDiskIsAnError) {
  Spill spill(GetParam().nodes);
  SpillBounds bounds;
  const SpillOutcome whole = spill.run(GetParam().query, {});
  bounds.bytes_max = std::max(whole.bytes_peak / GetParam().part, GetParam().bytes_min);
  const std::uint64_t before = spill.env().files().operations();
  ASSERT_FALSE(spill.run(GetParam().query, bounds).error);
  const std::uint64_t operations = spill.env().files().operations() - before;
  ASSERT_GT(operations, 3U);
  for (const std::uint64_t at : {std::uint64_t{2}, operations / 2, operations}) {
    spill.env().files().fail_operation(at);
    const SpillOutcome outcome = spill.run(GetParam().query, bounds);
    ASSERT_TRUE(outcome.error) << at << " of " << operations;
    EXPECT_EQ(outcome.error->code, ErrorCode::Unavailable);
    EXPECT_THAT(outcome.error->hint, HasSubstr("--temp"));
  }
}

TEST_P(SpillFaultTest, ADamagedFileIsAnErrorAndNoWrongAnswer) {
  Spill spill(GetParam().nodes);
  SpillBounds bounds;
  const SpillOutcome whole = spill.run(GetParam().query, {});
  bounds.bytes_max = std::max(whole.bytes_peak / GetParam().part, GetParam().bytes_min);
  spill.env().files().damage_scratch(1'000);
  const SpillOutcome outcome = spill.run(GetParam().query, bounds);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, ErrorCode::Unavailable);
  EXPECT_THAT(outcome.error->message, HasSubstr("damaged"));
  ASSERT_LE(outcome.rows.size(), whole.rows.size());
  for (std::size_t i = 0; i < outcome.rows.size(); ++i) ASSERT_EQ(outcome.rows[i], whole.rows[i]);
}

TEST_P(SpillFaultTest, HoldsTheLimitOfTheDisk) {
  Spill spill(GetParam().nodes);
  SpillBounds bounds;
  bounds.bytes_max =
      std::max(spill.run(GetParam().query, {}).bytes_peak / GetParam().part, GetParam().bytes_min);
  bounds.spill_max = 20 * kKiB;
  const SpillOutcome outcome = spill.run(GetParam().query, bounds);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, ErrorCode::LimitExceeded);
  EXPECT_THAT(outcome.error->hint, HasSubstr("--max-temp"));
}

TEST_P(SpillFaultTest, CanBeCancelledAtEveryPlace) {
  Spill spill(GetParam().nodes);
  SpillBounds bounds;
  const SpillOutcome whole = spill.run(GetParam().query, {});
  bounds.bytes_max = std::max(whole.bytes_peak / GetParam().part, GetParam().bytes_min);
  for (const std::int64_t at : {3, 17}) {
    bounds.cancelled_at = at;
    const SpillOutcome outcome = spill.run(GetParam().query, bounds);
    ASSERT_TRUE(outcome.error) << at;
    EXPECT_EQ(outcome.error->code, ErrorCode::Cancelled);
  }
}

INSTANTIATE_TEST_SUITE_P(Queries, SpillFaultTest, ::testing::ValuesIn(fault_cases()),
                         [](const auto& one) { return one.param.name; });
INSTANTIATE_TEST_SUITE_P(Queries, SpillTest, ::testing::ValuesIn(spill_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(Spill, PlansTellWhatWentToDisk) {
  Spill spill(250);
  SpillBounds bounds;
  bounds.bytes_max = kMiB;
  const std::string plan =
      spill.explain("SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY DESC(?y) ?x", bounds);
  EXPECT_THAT(plan, HasSubstr("on disk"));
  EXPECT_THAT(plan, HasSubstr("1.9 MiB"));
  bounds.bytes_max = kGiB;
  EXPECT_THAT(spill.explain("SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY DESC(?y) ?x", bounds),
              Not(HasSubstr("on disk")));
}

TEST(Spill, StatementsAreBoundedByWhatIsWanted) {
  Spill spill(250);
  const std::string query = "CONSTRUCT { ?a :q ?b } { ?a :v ?x . ?b :v ?y }";
  const SpillOutcome whole = spill.run(query, {});
  SpillBounds bounds;
  bounds.bytes_max = kMiB;
  for (const std::uint64_t rows_max : {0, 1, 3'000, 40'000, 62'499, 62'500, 62'501}) {
    bounds.rows_max = rows_max;
    const SpillOutcome some = spill.run(query, bounds);
    ASSERT_FALSE(some.error) << some.error->to_string();
    EXPECT_EQ(some.has_more, rows_max < whole.rows.size()) << rows_max;
    ASSERT_EQ(some.rows.size(), std::min<std::size_t>(rows_max, whole.rows.size()));
    EXPECT_TRUE(std::equal(some.rows.begin(), some.rows.end(), whole.rows.begin()));
  }
}

// One more than is wanted is enough to know: memory that ends behind it is no error.
TEST(Spill, WhatIsWantedFitsWithoutASpaceToo) {
  Spill spill(250);
  const std::string query = "CONSTRUCT { ?a :q ?b } { ?a :v ?x . ?b :v ?y }";
  SpillBounds bounds;
  bounds.bytes_max = kMiB;
  bounds.has_space = false;
  const SpillOutcome failed = spill.run(query, bounds);
  ASSERT_TRUE(failed.error);
  ASSERT_GT(failed.rows.size(), 100U);
  bounds.rows_max = failed.rows.size() - 1;
  const SpillOutcome some = spill.run(query, bounds);
  EXPECT_FALSE(some.error) << some.error->to_string();
  EXPECT_TRUE(some.has_more);
}

// Keys that are drawn anew each time would not be in order: they are kept.
TEST(Spill, SortsByRandomKeys) {
  Spill spill(200);
  SpillBounds bounds;
  bounds.bytes_max = 512 * kKiB;
  const SpillOutcome spilled =
      spill.run("SELECT ?x ?y { ?a :v ?x . ?b :v ?y } ORDER BY RAND()", bounds);
  ASSERT_FALSE(spilled.error) << spilled.error->to_string();
  EXPECT_GT(spilled.spilled, 0U);
  std::vector<std::string> rows = spilled.rows;
  EXPECT_EQ(rows.size(), 40'000U);
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(std::unique(rows.begin(), rows.end()), rows.end());
}

}  // namespace
}  // namespace helve::sparql
