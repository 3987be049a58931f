#include "sources/sparql/engine/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <limits>

#include "base/json.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "tests/support/dataset/memory_dataset.h"

namespace helve::sparql {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

const PlanView kPlainView{false, {{"ex", "http://example.org/"}}};
const PlanView kMeasuredView{true, {{"ex", "http://example.org/"}}};

PlanNode scan() {
  PlanNode node;
  node.name = "scan";
  node.detail = "?s <http://example.org/p> \"<http://example.org/q>\"";
  node.order = "pso";
  node.estimated_rows = 1'234;
  node.cost = 5'000;
  return node;
}

PlanNode join_over(PlanNode& input) {
  PlanNode node;
  node.name = "index join";
  node.detail = "?s <http://example.org/r> ?o";
  node.estimated_rows = 0.4;
  node.cost = 2e6;
  node.inputs = {&input};
  return node;
}

void measure(PlanNode& node, std::uint64_t rows) {
  node.rows = rows;
  node.starts = node.ends = 1;
}

std::string json_of(const PlanNode& node, const PlanView& view) {
  std::string out;
  JsonWriter json(out);
  write_plan(json, node, view);
  EXPECT_TRUE(parse_json(out).has_value()) << out;
  return out;
}

TEST(Explain, ShowsATreeWithEstimates) {
  PlanNode below = scan();
  EXPECT_EQ(plan_to_text(join_over(below), kPlainView),
            "expected rows    cost  step\n"
            "          0.4  2.0 ms  index join  ?s ex:r ?o\n"
            "        1,234    5 us    scan  ?s ex:p \"<http://example.org/q>\"  (pso)\n");
}

TEST(Explain, ShowsWhatWasMeasured) {
  PlanNode below = scan();
  measure(below, 1'300);
  below.time = 2ms;
  below.peak_bytes = 2'048;
  PlanNode top = join_over(below);
  measure(top, 90);
  top.time = 5ms;
  EXPECT_EQ(plan_to_text(top, kMeasuredView),
            " rows  expected     off by    time  own time   memory  step\n"
            "   90       0.4  90 x more  5.0 ms    3.0 ms           index join  ?s ex:r ?o\n"
            "1,300     1,234             2.0 ms    2.0 ms  2.0 KiB    scan  ?s ex:p "
            "\"<http://example.org/q>\"  (pso)\n");
}

TEST(Explain, ComparesOneStartOfAStepThatRunsForEachRow) {
  PlanNode node = scan();
  node.is_per_row = true;
  node.estimated_rows = 3;
  node.rows = 300;
  node.starts = node.ends = 100;
  EXPECT_EQ(q_error(node), 1);
  EXPECT_THAT(plan_to_text(node, kMeasuredView), HasSubstr("   3         3     100"));
  EXPECT_THAT(json_of(node, kMeasuredView),
              HasSubstr(R"("is_per_row":true,"estimated_rows":3.0,)"));
  EXPECT_THAT(json_of(node, kMeasuredView), HasSubstr(R"("rows":3.0,"starts":100,)"));
}

TEST(Explain, ComparesAllRowsOfABatchThatAStepRunsFor) {
  PlanNode seed;
  seed.name = "seed";
  seed.estimated_rows = 1;
  PlanNode inner = join_over(seed);
  PlanNode root = join_over(inner);
  root.estimated_rows = inner.estimated_rows = 2;
  set_per_row(root);
  measure(seed, 1'000);
  measure(inner, 2'500);
  measure(root, 40);
  EXPECT_EQ(q_error(seed), 0);
  EXPECT_EQ(q_error(inner), 1.25);
  EXPECT_EQ(q_error(root), 50);
  EXPECT_EQ(plan_to_text(root, kMeasuredView),
            "rows  expected      off by  time  own time  step\n"
            "<0.1         2  50 x fewer  0 ns      0 ns  index join  ?s ex:r ?o  for each row\n"
            " 2.5         2              0 ns      0 ns    index join  ?s ex:r ?o  for each row\n"
            "   1         1              0 ns      0 ns      seed  for each row\n");
}

TEST(Explain, StepsThatRunForRowsOfOthersInsideKeepThose) {
  PlanNode outer_seed;
  outer_seed.name = "seed";
  PlanNode inner_seed = outer_seed;
  PlanNode left = join_over(outer_seed);
  PlanNode right = join_over(inner_seed);
  set_per_row(right);
  PlanNode whole = join_over(left);
  whole.inputs.push_back(&right);
  PlanNode values;
  values.name = "values";
  PlanNode root = join_over(whole);
  root.inputs.push_back(&values);
  set_per_row(root);
  EXPECT_EQ(root.seed, &outer_seed);
  EXPECT_EQ(left.seed, &outer_seed);
  EXPECT_EQ(right.seed, &inner_seed);
  EXPECT_TRUE(values.is_per_row);
  EXPECT_EQ(values.seed, nullptr);
}

TEST(Explain, NumbersAreFinite) {
  PlanNode node = scan();
  measure(node, 0);
  for (const double number :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    node.estimated_rows = node.cost = number;
    EXPECT_EQ(q_error(node), 1e18);
    EXPECT_THAT(json_of(node, kMeasuredView),
                HasSubstr(R"("estimated_rows":1e+18,"cost":1e+18,"rows":0,)"));
    EXPECT_THAT(json_of(node, kMeasuredView), HasSubstr(R"("q_error":1e+18)"));
    EXPECT_THAT(plan_to_text(node, kPlainView), HasSubstr("1.0e+18"));
  }
}

TEST(Explain, TellsNoErrorOfStepsThatDidNotEnd) {
  PlanNode node = scan();
  EXPECT_EQ(q_error(node), 0);
  EXPECT_THAT(plan_to_text(node, kMeasuredView), HasSubstr("never run"));
  node.rows = 10;
  node.starts = 1;
  EXPECT_EQ(q_error(node), 0);
  EXPECT_THAT(plan_to_text(node, kMeasuredView), HasSubstr("10+"));
  EXPECT_THAT(json_of(node, kMeasuredView), HasSubstr(R"("is_cut_short":true)"));
  node.ends = 1;
  EXPECT_NEAR(q_error(node), 123.4, 0.001);
  EXPECT_THAT(plan_to_text(node, kMeasuredView), HasSubstr("123 x fewer"));
}

TEST(Explain, WritesJson) {
  PlanNode below = scan();
  EXPECT_EQ(json_of(join_over(below), kPlainView),
            R"({"operator":"index join","pattern":"?s ex:r ?o","estimated_rows":0.4,)"
            R"("cost":2e+06,"inputs":[{"operator":"scan",)"
            R"("pattern":"?s ex:p \"<http://example.org/q>\"","order":"pso",)"
            R"("estimated_rows":1234.0,"cost":5000.0,"inputs":[]}]})");
}

TEST(Explain, IsHarmlessOnATerminal) {
  PlanNode node = scan();
  node.detail = "?s ?p \"\x1b[2J\xE2\x80\xAE\" \xFF";
  const std::string text = plan_to_text(node, kPlainView);
  EXPECT_THAT(text, HasSubstr(R"(\x1B[2J\u202E)"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  json_of(node, kPlainView);
}

TEST(Explain, StaysSmallForLongChains) {
  std::deque<PlanNode> nodes;
  constexpr std::size_t kSteps = 2'000;
  nodes.push_back(scan());
  for (std::size_t i = 1; i < kSteps; ++i) nodes.push_back(join_over(nodes.back()));
  const std::string text = plan_to_text(nodes.back(), kPlainView);
  EXPECT_LT(text.size(), kSteps * 200);
  EXPECT_THAT(text, HasSubstr("[1999] scan"));
}

TEST(Explain, ShowsWhatARunDid) {
  const auto data = memory_snapshot(
      "@prefix : <http://example.org/> . :a :p 1, 2, 3 ; :q :b . :b :p 4 . :c :q :d .");
  ParseOptions parse;
  parse.known_prefixes = {{"", "http://example.org/"}};
  const auto parsed = parse_query("SELECT * { ?s :q ?x . ?s :p ?o }", parse);
  ASSERT_TRUE(parsed.has_value());
  RunOptions options;
  options.explain = Explain::Measured;
  const OpContext context;
  auto run = QueryRun::start(parsed->query, data, options, context);
  ASSERT_TRUE(run.has_value());
  SolutionTable table;
  ASSERT_TRUE(run->send(table).has_value());
  ASSERT_NE(run->plan(), nullptr);
  EXPECT_EQ(run->plan()->rows, 3U);
  EXPECT_EQ(run->plan()->starts, 1U);
  EXPECT_EQ(run->plan()->ends, 1U);
  const std::string text = plan_to_text(*run->plan(), {true, parse.known_prefixes});
  EXPECT_THAT(text, HasSubstr("?s :p ?o"));
  EXPECT_THAT(text, HasSubstr("?s :q ?x"));
}

TEST(Explain, NoPlanIsKeptUnlessAskedFor) {
  const auto data = memory_snapshot("<http://example.org/a> <http://example.org/p> 1 .");
  const auto parsed = parse_query("SELECT * { ?s ?p ?o }");
  const OpContext context;
  const auto run = QueryRun::start(parsed->query, data, {}, context);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->plan(), nullptr);
}

}  // namespace
}  // namespace helve::sparql
