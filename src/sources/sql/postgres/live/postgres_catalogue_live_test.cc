// Catalogue, plans, rights and rules, live.

#include "sources/sql/postgres/live/postgres_live_testing.h"

namespace helve::sql {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(PostgresLive, ReadsTheCatalogue) {
  const auto catalogue = source_->catalogue(within(20'000));
  ASSERT_TRUE(catalogue.has_value()) << catalogue.error().to_string();
  std::vector<std::string> names;
  for (const TableInfo& table : (*catalogue)->tables) names.push_back(table.name);
  EXPECT_THAT(names, ElementsAre("edge", "evil", "loud", "t", "v"));
  const TableInfo* table = (*catalogue)->find("data.t");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->comment, "things");
  EXPECT_EQ(table->rows, 100U);
  EXPECT_THAT(table->primary_key, ElementsAre("id"));
  ASSERT_EQ(table->columns.size(), 5U);  // not the secret
  EXPECT_EQ(table->columns[1].otherwise, "'none'::text");
  EXPECT_EQ(table->columns[1].comment, "what it is called");
  EXPECT_FALSE(table->columns[1].is_nullable);
  EXPECT_EQ(table->columns[2].type, "numeric(10,2)");
  EXPECT_TRUE(table->columns[4].is_generated);
  ASSERT_EQ(table->checks.size(), 1U);
  EXPECT_THAT(table->checks[0], HasSubstr("price >="));
  const TableInfo* edge = (*catalogue)->find("data.edge");
  ASSERT_NE(edge, nullptr);
  ASSERT_EQ(edge->foreign_keys.size(), 1U);
  EXPECT_EQ(edge->foreign_keys[0].table, "t");
  EXPECT_EQ(edge->foreign_keys[0].schema, "");
  EXPECT_THAT(edge->foreign_keys[0].columns, ElementsAre("a"));
  EXPECT_THAT(edge->foreign_keys[0].other_columns, ElementsAre("id"));
  ASSERT_EQ(edge->indexes.size(), 2U);
  EXPECT_TRUE(edge->indexes[0].is_primary);
  EXPECT_THAT(edge->indexes[0].columns, ElementsAre("a", "b"));
  EXPECT_THAT(edge->indexes[1].columns, ElementsAre("((a + b))", "b"));
  EXPECT_EQ((*catalogue)->find("data.v")->kind, TableInfo::Kind::View);
  EXPECT_EQ(*source_->catalogue(within(20'000)), *catalogue);  // kept
  EXPECT_NE(*source_->catalogue(within(20'000), true), *catalogue);
}

TEST_F(PostgresLive, ExplainsWithoutRunning) {
  TableQuery query;
  query.sql =
      "SELECT t.name FROM data.t JOIN data.edge ON a = id WHERE b > $1 AND data.nap(20) IS "
      "NOT NULL";
  query.rules = naps();
  query.parameters = {value("3")};
  const PlanOutcome outcome = source_->explain(query, within(5'000));
  ASSERT_FALSE(outcome.error) << outcome.error->to_string();
  EXPECT_THAT(outcome.plan.text, HasSubstr(" on edge"));
  EXPECT_THAT(outcome.plan.text, HasSubstr("rows="));
  EXPECT_TRUE(outcome.plan.tree.if_object() != nullptr);
  EXPECT_GT(outcome.plan.cost, 0);
  query.sql = "EXPLAIN (VERBOSE) SELECT $1::int";
  EXPECT_FALSE(source_->explain(query, within(5'000)).error);
  query.parameters.clear();
  query.sql = "SELECT\n  nmae FROM data.t";
  const PlanOutcome wrong = source_->explain(query, within(5'000));
  ASSERT_TRUE(wrong.error);
  EXPECT_EQ(wrong.error->position, (TextPosition{2, 3}));
  EXPECT_EQ(wrong.problem.name, "nmae");
  query.sql = "DELETE FROM data.t";
  EXPECT_EQ(source_->explain(query, within(5'000)).error->code, ErrorCode::Denied);
}

TEST_F(PostgresLive, KnowsItsRights) {
  auto rights = source_->rights(within(20'000));
  ASSERT_TRUE(rights.has_value()) << rights.error().to_string();
  EXPECT_EQ(rights->user, "reader");
  EXPECT_THAT(rights->beyond_reading,
              ElementsAre("may create temporary tables in the database postgres"));
  rights = open("postgres")->rights(within(20'000));
  ASSERT_TRUE(rights.has_value()) << rights.error().to_string();
  EXPECT_FALSE(rights->is_least);
  EXPECT_THAT(rights->beyond_reading, Contains(HasSubstr("superuser")));
  EXPECT_THAT(rights->beyond_reading, Contains(HasSubstr("data.edge")));
}

TEST_F(PostgresLive, TheScriptMakesALeastRole) {
  execute("CREATE TABLE public.open (a int); INSERT INTO public.open VALUES (1)");
  // Asked with the address of somebody with more rights, who keeps them.
  execute(open("postgres")->setup_script());
  source_ = open("helve_reader");
  const auto rights = source_->rights(within(20'000));
  ASSERT_TRUE(rights.has_value()) << rights.error().to_string();
  EXPECT_TRUE(rights->is_least) << ::testing::PrintToString(rights->beyond_reading);
  EXPECT_THAT(rows("SELECT a FROM open"), ElementsAre("1^integer"));
  execute("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC");
}

TEST_F(PostgresLive, PlacesForTypesAndSearchPaths) {
  DatabaseOptions options = options_for("reader", server_->socket());
  options.address.options = {{"search_path", "data, public"}, {"options", "-c work_mem=8MB"}};
  source_ = *open_postgres(options, real_env());
  EXPECT_EQ(rows("SELECT a FROM edge").size(), 99U);
  EXPECT_THAT(rows("SELECT a FROM edge WHERE a = 1"), ElementsAre("1^integer"));
  EXPECT_EQ((*source_->catalogue(within(5'000)))->default_schema, "data");
}

}  // namespace
}  // namespace helve::sql
