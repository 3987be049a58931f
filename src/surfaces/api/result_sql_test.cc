#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helve/typed.h"

namespace helve::api {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMoons =
    "SELECT ?planet ?moon { ?planet a/rdfs:subClassOf* sol:Planet . ?moon sol:orbits ?planet }";

Tools tools_with(const std::string& worker) {
  static const Source source = connect("sample:").value();
  ToolsOptions options;
  options.worker_program = worker;
  return get_tools(source, {}, options).value();
}

TEST(ResultSql, GroupsAStoredResult) {
  const Tools tools = tools_with("/proc/self/exe");
  const auto moons = query(tools, kMoons);
  ASSERT_TRUE(moons) << moons.error().to_string();
  const auto grouped = result_sql(tools,
                                  "SELECT planet, COUNT(*) AS n FROM " + moons->handle +
                                      " GROUP BY planet ORDER BY n DESC, planet",
                                  {.limit = 1});
  ASSERT_TRUE(grouped) << grouped.error().to_string();
  EXPECT_THAT(grouped->columns, ::testing::ElementsAre("planet", "n"));
  ASSERT_EQ(grouped->rows.size(), 1U);
  EXPECT_THAT(grouped->rows[0][0]->value, ::testing::EndsWith("Saturn"));
  EXPECT_TRUE(grouped->truncated);
  EXPECT_NE(grouped->handle, moons->handle);
  const auto page = slice(tools, grouped->handle, 1, 1);
  ASSERT_TRUE(page) << page.error().to_string();
  EXPECT_EQ(page->rows.size(), 1U);
}

TEST(ResultSql, RefusesToWrite) {
  const Tools tools = tools_with("/proc/self/exe");
  ASSERT_TRUE(query(tools, kMoons));
  EXPECT_FALSE(result_sql(tools, "DROP TABLE results_0"));
  EXPECT_FALSE(result_sql(tools, "ATTACH '/tmp/x.db' AS x"));
}

TEST(ResultSql, SaysWhichProgramIsMissing) {
  const Tools tools = tools_with("/nowhere/helve");
  ASSERT_TRUE(query(tools, kMoons));
  const auto answer = result_sql(tools, "SELECT COUNT(*) AS n FROM results_0");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("/nowhere/helve"));
  EXPECT_THAT(answer.error().hint, HasSubstr("HELVE_PROGRAM"));
}

}  // namespace
}  // namespace helve::api
