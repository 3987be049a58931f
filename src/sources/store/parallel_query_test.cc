// Queries on several cores give what they give on one, and stop when they should.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/executor.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/dataset.h"
#include "sources/store/loader.h"

namespace helve::store {
namespace {

using sparql::Batch;
using sparql::Explain;
using sparql::parse_query;
using sparql::PlanNode;
using sparql::QueryRun;
using sparql::RunOptions;

class ParallelRun {
 protected:
  static std::shared_ptr<const sparql::Snapshot> data() {
    static const auto made = [] {
      std::string text;
      for (int i = 0; i < 20'000; ++i) {
        const auto node = [](int n) { return "<x:n" + std::to_string(n % 20'000) + ">"; };
        text += node(i) + " <x:p> " + node(i * 7 + 1) + " .\n";
        text += node(i) + " <x:p> " + node(i * 3 + 5) + " .\n";
        text += node(i) + " <x:v> \"" + std::to_string(i % 100) +
                "\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n";
      }
      std::vector<rdf::Document> documents;
      documents.push_back(rdf::Document::from_text("t.nt", text, rdf::Format::NTriples));
      auto loaded = store::load_documents(std::move(documents), {}, OpContext());
      return store::as_dataset(loaded->snapshot);
    }();
    return made;
  }

  static Result<std::vector<std::string>> rows_of(const char* text, const OpContext& context,
                                                  bool* is_parallel = nullptr) {
    const auto parsed = parse_query(text, {});
    RunOptions options;
    options.parallel_cost_min = 0;
    if (is_parallel != nullptr) options.explain = Explain::Plan;
    HELVE_ASSIGN(QueryRun run, QueryRun::start(parsed->query, data(), options, context));
    if (is_parallel != nullptr) *is_parallel = has_parallel(*run.plan());
    std::vector<std::string> rows;
    Batch batch;
    std::string scratch;
    while (true) {
      HELVE_ASSIGN(const bool has_rows, run.next(batch));
      if (!has_rows) return rows;
      for (std::size_t row = 0; row < batch.rows; ++row) {
        std::string& line = rows.emplace_back();
        for (const auto& column : batch.columns) {
          const rdf::Id id = column[row];
          line += (id.is_defined() ? rdf::to_ntriples(run.term(id, scratch)) : "UNDEF") + " ";
        }
      }
    }
  }

  static bool has_parallel(const PlanNode& node) {
    return node.name == "parallel" ||
           std::any_of(node.inputs.begin(), node.inputs.end(),
                       [](const PlanNode* input) { return has_parallel(*input); });
  }
};

class ParallelTest : public ParallelRun, public ::testing::TestWithParam<const char*> {};
class ParallelPlanTest : public ParallelRun, public ::testing::Test {};

TEST_P(ParallelTest, GivesWhatOneCoreGives) {
  const auto alone = rows_of(GetParam(), OpContext());
  ASSERT_TRUE(alone);
  Executor executor(4);
  OpContext context;
  context.executor = &executor;
  for (int round = 0; round < 5; ++round) {
    bool is_parallel = false;
    const auto together = rows_of(GetParam(), context, &is_parallel);
    ASSERT_TRUE(together) << together.error().to_string();
    EXPECT_TRUE(is_parallel);
    EXPECT_EQ(*together, *alone);
  }
}

// All threads of the pool are taken: the caller does it alone.
TEST_P(ParallelTest, NeedsNoFreeThread) {
  const auto alone = rows_of(GetParam(), OpContext());
  Executor executor(2);
  OpContext context;
  context.executor = &executor;
  std::vector<Result<std::vector<std::string>>> results(6, std::vector<std::string>());
  ASSERT_TRUE(executor.parallel_for(results.size(), context, [&](std::size_t i) -> Result<void> {
    results[i] = rows_of(GetParam(), context);
    return {};
  }));
  for (const auto& result : results) EXPECT_EQ(*result, *alone);
}

TEST_P(ParallelTest, StopsOnCancellationAndWithoutMemory) {
  Executor executor(4);
  OpContext context;
  context.executor = &executor;
  context.cancel.cancel();
  const auto cancelled = rows_of(GetParam(), context);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
  MemoryBudget memory("test", 50'000);
  OpContext small;
  small.executor = &executor;
  small.memory = &memory;
  const auto refused = rows_of(GetParam(), small);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(memory.bytes_used(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Queries, ParallelTest,
    ::testing::Values(
        "SELECT (COUNT(*) AS ?n) { ?a <x:p> ?b . ?b <x:p> ?c }",
        "SELECT (COUNT(*) AS ?n) { ?a <x:p> ?b . ?b <x:p> ?c . ?a <x:p> ?c }",
        "SELECT (COUNT(DISTINCT ?c) AS ?n) (COUNT(?a) AS ?m) "
        "{ ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v FILTER(?v > 40) }",
        "SELECT (COUNT(*) AS ?n) { { SELECT DISTINCT ?a ?c { ?a <x:p> ?b . ?b <x:p> ?c "
        "FILTER(?a != ?c) } } }",
        "SELECT (COUNT(*) AS ?n) { ?a <x:p> ?b . ?b <x:p> ?c "
        "FILTER(STR(?b) != 'x:n7' && CONTAINS(STR(?c), '1')) }",
        "SELECT * { ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v FILTER(?v > 40) }",
        "SELECT DISTINCT ?c ?v { ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v }",
        "SELECT ?c ?v { ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v } ORDER BY ?v",
        "SELECT ?v (COUNT(*) AS ?n) (COUNT(?b) AS ?m) (MIN(?c) AS ?least) "
        "(MAX(?c) AS ?most) (SAMPLE(?a) AS ?some) "
        "{ ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v } GROUP BY ?v",
        "SELECT ?a ?v (COUNT(*) AS ?n) { ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v } "
        "GROUP BY ?a ?v HAVING (COUNT(*) > 1)",
        "SELECT ?x ?b ?v (COUNT(*) AS ?n) { ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v } "
        "GROUP BY (?a AS ?x) ?b ?v",
        "SELECT ?w (SUM(?v) AS ?n) (COUNT(DISTINCT ?a) AS ?m) "
        "{ ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v } GROUP BY (?v / 10 AS ?w)",
        "SELECT (COUNT(*) AS ?n) (MIN(?v) AS ?m) "
        "{ ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v FILTER(?v > 1000) }",
        "SELECT ?v (COUNT(?zzz) AS ?n) { ?a <x:p> ?b . ?b <x:p> ?c . ?c <x:v> ?v } "
        "GROUP BY ?v"));

// Where the first rows are enough, or a copy would take more than it gives.
TEST_F(ParallelPlanTest, StaysOnOneCore) {
  Executor executor(4);
  OpContext context;
  context.executor = &executor;
  std::string star = "SELECT (COUNT(*) AS ?n) { ?a <x:v> 7 ; <x:p> <x:n1> ";
  for (int i = 0; i < 70; ++i) star += "; <x:v> ?v" + std::to_string(i) + " ";
  const std::string wide = star + "}";
  for (const char* const text :
       {"SELECT * { ?a <x:p> ?b . ?b <x:p> ?c } LIMIT 10",
        "SELECT (COUNT(*) AS ?n) { { SELECT * { ?a <x:p> ?b . ?b <x:p> ?c } LIMIT 100 } }",
        wide.c_str()}) {
    bool is_parallel = true;
    const auto rows = rows_of(text, context, &is_parallel);
    ASSERT_TRUE(rows) << rows.error().to_string();
    EXPECT_FALSE(is_parallel) << text;
    EXPECT_EQ(*rows, *rows_of(text, OpContext()));
  }
}

// Left early, with helpers still at work.
TEST(ParallelEndTest, CanBeLeftAtAnyTime) {
  Executor executor(4);
  OpContext context;
  context.executor = &executor;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 300; j += 3) {
      text += "<x:n" + std::to_string(i) + "> <x:p> <x:n" + std::to_string(j) + "> .\n";
    }
  }
  std::vector<rdf::Document> documents;
  documents.push_back(rdf::Document::from_text("t.nt", text, rdf::Format::NTriples));
  const auto loaded = store::load_documents(std::move(documents), {}, context);
  ASSERT_TRUE(loaded);
  const auto parsed =
      parse_query("ASK { { SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d } } }", {});
  for (const int wait : {0, 1, 3, 10}) {
    CancelToken cancel;
    OpContext own = context;
    own.cancel = cancel;
    RunOptions options;
    options.parallel_cost_min = 0;
    auto run = QueryRun::start(parsed->query, store::as_dataset(loaded->snapshot), options, own);
    ASSERT_TRUE(run);
    ASSERT_TRUE(executor.try_submit([cancel, wait] {
      real_clock().sleep_for(std::chrono::milliseconds(wait));
      cancel.cancel();
    }));
    Batch batch;
    const auto ended = run->next(batch);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, ErrorCode::Cancelled);
  }
}

}  // namespace
}  // namespace helve::store
