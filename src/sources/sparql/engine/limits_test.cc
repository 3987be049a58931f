// Deadline, cancellation and memory budget inside every operator that can work or hold much. Time
// is a StepClock's: it moves with each check, so these tests count checks and never seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "tests/support/dataset/memory_dataset.h"
#include "tests/support/step_clock.h"

namespace helve::sparql {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Duration kStep = std::chrono::milliseconds(1);
constexpr std::int64_t kNever = 1'000'000'000;

// Nodes in a ring of :p, each with a :v of its own.
std::shared_ptr<const MemorySnapshot> ring(int nodes) {
  std::string text;
  for (int i = 0; i < nodes; ++i) {
    text += ":n" + std::to_string(i) + " :p :n" + std::to_string((i + 1) % nodes) + " ; :v " +
            std::to_string(i) + " .\n";
  }
  return memory_snapshot(text);
}

struct LimitCase {
  std::string name;
  int nodes;
  std::string query;
  // At least so many checks in a whole run: one for each 8,000 rows or candidates, about.
  std::int64_t checks_min;
  std::string memory_of;  // who is named when memory ends; empty: it holds nothing
};

void PrintTo(const LimitCase& c, std::ostream* out) { *out << c.name; }

std::vector<LimitCase> modifier_cases() {
  return {
      {"sort", 200, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY DESC(?y) ?x", 100, "ORDER BY"},
      {"sort_by_text", 100, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY STR(?b) STR(?a)", 30,
       "ORDER BY"},
      {"top", 300, "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY ?y ?x LIMIT 10", 80, "ORDER BY"},
      {"distinct", 300, "SELECT DISTINCT ?x ?y { ?a :v ?x . ?b :v ?y }", 20, "DISTINCT"},
      {"distinct_of_one", 300,
       "SELECT DISTINCT ?s { ?a :v ?x . ?b :v ?y BIND(?x * 300 + ?y AS ?s) }", 20, "DISTINCT"},
      {"distinct_of_three", 300, "SELECT DISTINCT ?x ?y ?a { ?a :v ?x . ?b :v ?y }", 20,
       "DISTINCT"},
      {"group_of_one", 200,
       "SELECT ?s (SUM(?x) AS ?n) (MIN(?a) AS ?m) { ?a :v ?x . ?b :v ?y BIND(?x * 300 + ?y AS ?s) "
       "} GROUP BY ?s",
       15, "GROUP BY"},
      {"group_of_three", 200,
       "SELECT ?x ?y ?a (AVG(?x) AS ?n) { ?a :v ?x . ?b :v ?y } GROUP BY ?x ?y ?a", 15, "GROUP BY"},
      {"count_distinct_in_groups", 200,
       "SELECT ?x (COUNT(DISTINCT ?y) AS ?n) { ?a :v ?x . ?b :v ?y } GROUP BY ?x", 15,
       "aggregates"},
      {"group", 200, "SELECT ?x ?y (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y } GROUP BY ?x ?y", 15,
       "GROUP BY"},
      {"count_distinct_rows", 300, "SELECT (COUNT(DISTINCT *) AS ?n) { ?a :v ?x . ?b :v ?y }", 20,
       "aggregates"},
      {"count_distinct", 200,
       "SELECT (COUNT(DISTINCT ?x * 1000 + ?y) AS ?n) { ?a :v ?x . ?b :v ?y }", 10, "aggregates"},
      {"concatenation", 200, "SELECT (GROUP_CONCAT(STR(?a)) AS ?s) { ?a :v ?x . ?b :v ?y }", 10,
       "terms made by the query"},
      {"computed_terms", 200,
       "SELECT * { ?a :v ?x . ?b :v ?y BIND(CONCAT(STR(?a), STR(?b)) AS ?s) }", 15,
       "terms made by the query"},
      {"construct", 200, "CONSTRUCT { ?a :q ?b } { ?a :v ?x . ?b :v ?y }", 10,
       "statements of the result"},
  };
}

std::vector<LimitCase> pattern_cases() {
  return {
      {"product", 300, "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y }", 20, ""},
      {"streamed_product", 300, "SELECT * { ?a :v ?x . ?b :v ?y }", 20, ""},
      {"filtered_product", 300, "SELECT * { ?a :v ?x . ?b :v ?y FILTER(?x + ?y < -1) }", 20, ""},
      {"filtered_texts", 300,
       "SELECT * { ?a :v ?x . ?b :v ?y FILTER(REGEX(STR(?a), \"n1.*1\") && ?y != ?x) }", 5, ""},
      {"hash_join", 300,
       "SELECT (COUNT(*) AS ?n) { ?c :p ?a { SELECT * { ?a :v ?x . ?b :v ?y } } "
       "{ SELECT ?a { ?a :p ?z } } }",
       20, "hash join"},
      {"optional", 300,
       "SELECT (COUNT(*) AS ?n) { ?a :v ?x OPTIONAL { SELECT ?a ?y { ?a :v ?z . ?b :v ?y } } }", 20,
       "hash join of OPTIONAL"},
      {"minus", 300,
       "SELECT (COUNT(*) AS ?n) "
       "{ ?a :v ?x MINUS { SELECT ?a ?x ?y { ?a :v ?x . ?b :v ?y . ?c :p ?a } } }",
       20, "hash join of MINUS"},
      {"anti_join", 300,
       "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y MINUS { ?a :v ?x . ?a :p ?c } }", 20, ""},
      {"semi_join", 300,
       "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y FILTER EXISTS { ?a :v ?x . ?b :p ?c } }", 20,
       ""},
      {"left_join", 300,
       "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y OPTIONAL { ?a :p ?c . ?b :p ?d } }", 20, ""},
      {"index_join", 300, "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y . ?a :p ?c . ?b :p ?d }",
       20, ""},
      {"triangle", 300, "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y . ?a :p ?c . ?b :p ?c }", 5,
       ""},
      {"closure", 150, "SELECT (COUNT(*) AS ?n) { ?a :p+ ?b }", 5, "path closure"},
      {"closure_of_sequence", 100, "SELECT (COUNT(*) AS ?n) { ?a (:p/:p|^:p)* ?b }", 5,
       "path closure"},
      {"closures_in_a_row", 60, "SELECT (COUNT(*) AS ?n) { :n0 (:p*/:p*/:p*)+ ?b }", 50,
       "path closure"},
      {"exists", 60,
       "SELECT * { ?a :v ?x FILTER NOT EXISTS { ?b :v ?y . ?c :v ?z FILTER(?x + ?y + ?z < 0) } }",
       40, ""},
      {"exists_found", 60,
       "SELECT * { ?a :v ?x FILTER EXISTS { ?b :v ?y . ?c :v ?z FILTER(?x + ?y + ?z > 100) } }", 60,
       ""},
  };
}

std::vector<LimitCase> limit_cases() {
  std::vector<LimitCase> all = pattern_cases();
  for (const LimitCase& one : modifier_cases()) all.push_back(one);
  return all;
}

struct Outcome {
  std::vector<std::string> rows;
  std::optional<Error> error;
};

struct RowCollector final : SolutionSink, rdf::StatementSink {
  explicit RowCollector(std::vector<std::string>& out) : rows(out) {}
  Result<void> variables(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> boolean(bool /*answer*/) override { return {}; }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    std::string row;
    for (const auto& term : terms) row += term ? rdf::to_ntriples(*term) + " " : "- ";
    rows.push_back(std::move(row));
    return {};
  }
  Result<void> statement(const rdf::StatementView& statement) override {
    rows.push_back(rdf::to_ntriples(statement.subject) + rdf::to_ntriples(statement.object));
    return {};
  }
  std::vector<std::string>& rows;
};

// Cancellation and deadline by the number of the check, memory in bytes.
struct Bounds {
  std::int64_t deadline_at = kNever;
  std::int64_t cancelled_at = kNever;
  std::size_t bytes_max = kGiB;
};

struct Measured {
  Outcome outcome;
  std::int64_t checks = 0;
  std::size_t bytes_peak = 0;
  std::size_t bytes_left = 0;  // after the end
};

class LimitsTest : public ::testing::TestWithParam<LimitCase> {
 protected:
  void SetUp() override {
    data_ = ring(GetParam().nodes);
    ParseOptions options;
    options.known_prefixes = {{"", "http://example.org/"}};
    auto parsed = parse_query(GetParam().query, options);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    query_ = std::move(parsed->query);
  }

  Measured run(const Bounds& bounds) const {
    StepClock clock(kStep);
    MemoryBudget memory("test", bounds.bytes_max);
    OpContext context;
    context.memory = &memory;
    context.deadline = Deadline(clock, kStep * bounds.deadline_at);
    if (bounds.cancelled_at != kNever) clock.cancel_at(bounds.cancelled_at, context.cancel);
    Measured measured;
    measured.outcome = evaluate(context);
    measured.checks = clock.looks() - 1;  // the deadline's own look
    measured.bytes_peak = memory.bytes_peak();
    measured.bytes_left = memory.bytes_used();
    return measured;
  }

  Outcome evaluate(const OpContext& context) const {
    Outcome outcome;
    auto run = QueryRun::start(query_, data_, {}, context);
    if (!run) {
      outcome.error = run.error();
      return outcome;
    }
    RowCollector sink(outcome.rows);
    const auto sent = run->kind() == QueryRun::Kind::Graph
                          ? run->send(static_cast<rdf::StatementSink&>(sink))
                          : run->send(static_cast<SolutionSink&>(sink));
    if (!sent) outcome.error = sent.error();
    return outcome;
  }

  // What was delivered before an error is the beginning of the whole.
  static void expect_prefix(const Outcome& part, const Outcome& whole) {
    ASSERT_LE(part.rows.size(), whole.rows.size());
    EXPECT_TRUE(std::equal(part.rows.begin(), part.rows.end(), whole.rows.begin()));
  }

  std::shared_ptr<const MemorySnapshot> data_;
  Query query_;
};

TEST_P(LimitsTest, DeadlineEndsItAtTheNextCheck) {
  const Measured whole = run({});
  ASSERT_FALSE(whole.outcome.error) << whole.outcome.error->to_string();
  EXPECT_GE(whole.checks, GetParam().checks_min);
  for (const int percent : {0, 20, 50, 80, 99}) {
    Bounds bounds;
    bounds.deadline_at = 1 + whole.checks * percent / 100;
    const Measured part = run(bounds);
    ASSERT_TRUE(part.outcome.error) << percent << " percent";
    EXPECT_EQ(part.outcome.error->code, ErrorCode::LimitExceeded);
    EXPECT_THAT(part.outcome.error->message, HasSubstr("deadline"));
    // Rows found before it still go through the operators above, which check as well.
    EXPECT_LE(part.checks, bounds.deadline_at + 3);
    EXPECT_EQ(part.bytes_left, 0U);
    expect_prefix(part.outcome, whole.outcome);
  }
}

TEST_P(LimitsTest, CancellationEndsItAtTheNextCheck) {
  const Measured whole = run({});
  for (const int percent : {10, 90}) {
    Bounds bounds;
    bounds.cancelled_at = 1 + whole.checks * percent / 100;
    const Measured part = run(bounds);
    ASSERT_TRUE(part.outcome.error) << percent << " percent";
    EXPECT_EQ(part.outcome.error->code, ErrorCode::Cancelled);
    EXPECT_LE(part.checks, bounds.cancelled_at + 1);
    expect_prefix(part.outcome, whole.outcome);
  }
}

TEST_P(LimitsTest, MemoryBudgetIsKeptAndItsUserNamed) {
  const Measured whole = run({});
  EXPECT_EQ(whole.bytes_left, 0U);
  for (const int percent : {0, 30, 60, 99}) {
    Bounds bounds;
    bounds.bytes_max = whole.bytes_peak * static_cast<std::size_t>(percent) / 100;
    const Measured part = run(bounds);
    ASSERT_TRUE(part.outcome.error) << percent << " percent";
    EXPECT_EQ(part.outcome.error->code, ErrorCode::LimitExceeded);
    EXPECT_LE(part.bytes_peak, bounds.bytes_max);
    EXPECT_EQ(part.bytes_left, 0U);
    expect_prefix(part.outcome, whole.outcome);
    if (percent == 99 && !GetParam().memory_of.empty()) {
      EXPECT_THAT(part.outcome.error->message, StartsWith(GetParam().memory_of + " needs"));
    }
  }
}

// Whoever wants one solution gets it without the work for more.
TEST(WorkTest, OneSolutionIsNotManySolutions) {
  for (const char* text :
       {"ASK { ?a :v ?x . ?b :v ?y . ?c :v ?z FILTER(?x + ?y + ?z = 0) }",
        "SELECT * { ?a :v ?x . ?b :v ?y . ?c :v ?z FILTER(?x + ?y + ?z = 0) } LIMIT 1",
        "SELECT * { :n0 :p ?n FILTER EXISTS "
        "{ ?a :v ?x . ?b :v ?y . ?c :v ?z FILTER(?x + ?y + ?z = 0) } }"}) {
    ParseOptions options;
    options.known_prefixes = {{"", "http://example.org/"}};
    const auto parsed = parse_query(text, options);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const StepClock clock(kStep);
    OpContext context;
    context.deadline = Deadline(clock, kStep * kNever);
    const auto data = ring(100);
    auto run = QueryRun::start(parsed->query, data, {}, context);
    ASSERT_TRUE(run) << run.error().to_string();
    SolutionTable table;
    ASSERT_TRUE(run->send(table));
    EXPECT_TRUE(table.answer.value_or(table.rows.size() == 1));
    EXPECT_LE(clock.looks(), 20) << text << ": a million candidates are 250 checks";
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, LimitsTest, ::testing::ValuesIn(limit_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace helve::sparql
