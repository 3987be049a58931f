// Queries over a store with changes: on several cores, and with lists that are intersected, they
// give what a load of the same statements gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/executor.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/dataset.h"
#include "sources/store/live/live_testing.h"

namespace helve::store {
namespace {

using live_testing::Model;
using live_testing::Statement;
using sparql::PlanNode;

std::string node(int n) { return "<x:n" + std::to_string(n % 3'000) + ">"; }

Model some_graph() {
  Model model;
  for (int i = 0; i < 3'000; ++i) {
    model.insert({node(i), "<x:p>", node(i + 1), ""});
    model.insert({node(i), "<x:p>", node(i + 2), ""});
    model.insert({node(i), "<x:q>", node(i + 2), ""});
    model.insert({node(i), "<x:v>",
                  "\"" + std::to_string(i % 100) + "\"^^<http://www.w3.org/2001/XMLSchema#integer>",
                  ""});
    if (i % 10 != 0) model.insert({node(i), "<x:t>", "\"long\"", ""});
    if (i % 7 != 0) model.insert({node(i), "<x:u>", "\"long\"", ""});
  }
  return model;
}

// All over the graph, and of things that are new to it.
void change(LiveStore& store, Model& model) {
  const auto done = store.write(
      [&](Transaction& to) -> Result<void> {
        for (int i = 0; i < 3'000; i += 37) {
          const Statement gone{node(i), "<x:p>", node(i + 1), ""};
          for (const Statement& come :
               {Statement{node(i), "<x:p>", node(i + 3), ""},
                Statement{node(i + 1), "<x:q>", node(i + 3), ""},
                Statement{node(i), "<x:t>", "\"long\"", ""},
                Statement{node(i), "<x:u>", "\"long\"", ""},
                Statement{"<x:a" + std::to_string(i) + ">", "<x:p>", node(i), ""}}) {
            HELVE_ASSIGN(const Quad quad, live_testing::intern(to, come));
            HELVE_TRY(to.add(quad));
            model.insert(come);
          }
          HELVE_ASSIGN(const Quad quad, live_testing::intern(to, gone));
          HELVE_TRY(to.remove(quad));
          model.erase(gone);
        }
        return {};
      },
      OpContext());
  ASSERT_TRUE(done) << done.error().to_string();
}

bool has_step(const PlanNode& plan, std::string_view name) {
  return plan.name == name ||
         std::any_of(plan.inputs.begin(), plan.inputs.end(),
                     [&](const PlanNode* one) { return has_step(*one, name); });
}

struct Answer {
  std::vector<std::string> rows;
  bool is_parallel = false;
  bool is_leapfrog = false;
};

Answer answer_of(std::shared_ptr<const sparql::Snapshot> data, const char* text,
                 const OpContext& context) {
  const auto parsed = sparql::parse_query(text, {});
  sparql::RunOptions options;
  options.parallel_cost_min = 0;
  options.explain = sparql::Explain::Plan;
  auto run = sparql::QueryRun::start(parsed->query, std::move(data), options, context);
  EXPECT_TRUE(run) << run.error().to_string();
  Answer answer;
  answer.is_parallel = has_step(*run->plan(), "parallel");
  answer.is_leapfrog = has_step(*run->plan(), "leapfrog join");
  sparql::Batch batch;
  std::string scratch;
  for (auto has_rows = run->next(batch); has_rows && *has_rows; has_rows = run->next(batch)) {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      std::string& line = answer.rows.emplace_back();
      for (const auto& column : batch.columns)
        line += rdf::to_ntriples(run->term(column[row], scratch)) + " ";
    }
  }
  return answer;
}

constexpr const char* kTriangles = "SELECT * { ?a <x:p> ?b . ?b <x:p> ?c . ?a <x:q> ?c }";
// Lists that are longer than a batch.
constexpr const char* kLists = "SELECT ?a { ?a <x:t> 'long' . ?a <x:u> 'long' . ?a <x:v> 7 }";

class LiveQueryTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LiveQueryTest, GivesWhatALoadGives) {
  Model model = some_graph();
  LiveOptions options;
  options.compacts_itself = false;
  auto store = LiveStore::in_memory(live_testing::load(live_testing::to_nquads(model)), options);
  ASSERT_TRUE(store);
  change(**store, model);
  const auto live = (*store)->snapshot();
  ASSERT_TRUE(live->has_changes());
  const Answer alone = answer_of(live, GetParam(), OpContext());
  EXPECT_FALSE(alone.is_parallel);
  Executor executor(4);
  OpContext context;
  context.executor = &executor;
  const Answer together = answer_of(live, GetParam(), context);
  EXPECT_EQ(together.is_parallel, GetParam() != kLists);
  EXPECT_EQ(together.rows, alone.rows) << "in the same order";
  EXPECT_FALSE(alone.rows.empty());
  const auto loaded = as_dataset(live_testing::load(live_testing::to_nquads(model)));
  Answer wanted = answer_of(loaded, GetParam(), OpContext());
  EXPECT_EQ(alone.is_leapfrog, wanted.is_leapfrog);
  EXPECT_EQ(alone.is_leapfrog, GetParam() == kTriangles || GetParam() == kLists);
  std::sort(wanted.rows.begin(), wanted.rows.end());
  std::vector<std::string> rows = alone.rows;
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, wanted.rows);
}

INSTANTIATE_TEST_SUITE_P(
    Queries, LiveQueryTest,
    ::testing::Values("SELECT * { ?a <x:p> ?b }", "SELECT * { ?a <x:p> ?b . ?b <x:p> ?c }",
                      "SELECT * { ?a <x:q> ?b . ?b <x:v> ?v }", kTriangles, kLists,
                      "SELECT ?v (COUNT(*) AS ?n) { ?a <x:p> ?b . ?b <x:v> ?v } GROUP BY ?v"));

}  // namespace
}  // namespace helve::store
