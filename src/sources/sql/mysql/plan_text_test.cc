#include "sources/sql/mysql/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::sql::mysql {
namespace {

TEST(PlanText, OfMariaDb) {
  const auto plan = read_plan(R"({"query_block": {"select_id": 1, "nested_loop": [
      {"table": {"table_name": "c", "access_type": "ALL", "rows": 100, "filtered": 50}},
      {"table": {"table_name": "i", "access_type": "ref", "key": "k", "used_key_parts": ["a", "b"],
                 "rows": 4, "filtered": 100}}]}})");
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(
      plan->text,
      "query_block: select_id=1\n"
      "  nested_loop\n"
      "    table: table_name=c, access_type=ALL, rows=100, filtered=50\n"
      "    table: table_name=i, access_type=ref, key=k, used_key_parts=[\"a\",\"b\"], rows=4, "
      "filtered=100\n");
  EXPECT_EQ(plan->estimated_rows, 200);
  EXPECT_EQ(plan->cost, std::nullopt);
}

TEST(PlanText, OfMysql) {
  const auto plan =
      read_plan(R"({"query_block": {"select_id": 1, "cost_info": {"query_cost": "12.5"},
      "ordering_operation": {"using_filesort": true, "table": {"table_name": "t",
      "rows_produced_per_join": 7}}}})");
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->cost, 12.5);
  EXPECT_EQ(plan->estimated_rows, 7);
}

TEST(PlanText, HostileOnes) {
  EXPECT_FALSE(read_plan("{").has_value());
  EXPECT_TRUE(read_plan("[]").has_value());
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += R"({"query_block": )";
  deep += "1" + std::string(400, '}');
  const auto plan = read_plan(deep);
  ASSERT_TRUE(plan.has_value());
  EXPECT_LT(plan->text.size(), 20'000U);
}

}  // namespace
}  // namespace helve::sql::mysql
