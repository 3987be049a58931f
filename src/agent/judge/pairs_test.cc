// Pairs of queries with the verdict that each deserves, tests/judge/pairs.json, all of them
// executed.
#include <fmt/format.h>

#include <map>

#include "agent/judge/judge_testing.h"
#include "agent/loops/json_object.h"
#include "tests/support/test_data.h"

namespace helve::agent {
namespace {

using helve::testing::FakeTable;

JsonValue read_pairs() {
  const auto file =
      real_env().files().map(helve::testing::repository_path("tests/judge/pairs.json"));
  EXPECT_TRUE(file.has_value());
  const auto parsed = parse_json((*file)->text());
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().to_string());
  return parsed.value_or(JsonValue());
}

SqlValue value_of(const JsonValue& json) {
  if (const std::string* const text = json.if_string()) return helve::testing::text_value(*text);
  if (const auto whole = json.to_int64()) return helve::testing::integer_value(*whole);
  if (const auto real = json.to_double()) return helve::testing::double_value(*real);
  return helve::testing::null_value();
}

std::shared_ptr<helve::testing::FakeTables> tables_of(const JsonValue& pairs) {
  std::vector<FakeTable> tables;
  for (const JsonValue& json : *pairs.find("tables")->if_array()) {
    FakeTable table{helve::testing::table_info(text_of(json, "name"), text_of(json, "columns")),
                    {}};
    for (const JsonValue& row : *json.find("rows")->if_array()) {
      std::vector<SqlValue> values;
      for (const JsonValue& cell : *row.if_array()) values.push_back(value_of(cell));
      table.rows.push_back(std::move(values));
    }
    tables.push_back(std::move(table));
  }
  return std::make_shared<helve::testing::FakeTables>("fleet", SqlDialect::Sqlite,
                                                      std::move(tables));
}

bool flag_of(const JsonValue& pair, std::string_view key, bool otherwise) {
  const JsonValue* const value = pair.find(key);
  return value != nullptr ? *value->if_bool() : otherwise;
}

TEST_F(JudgeTest, EveryLabelledPairIsJudgedRight) {
  const JsonValue all = read_pairs();
  ASSERT_TRUE(toolkit_->add_source(tables_of(all)).has_value());
  const auto& pairs = *all.find("pairs")->if_array();
  ASSERT_GE(pairs.size(), 60U);
  std::map<std::string, int> verdicts;
  std::map<std::string, int> categories;
  const auto sparql = make_execution_judge(parts("sample"));
  const auto sql = make_execution_judge(parts("fleet"));
  ComparisonOptions strict;
  strict.allows_more_columns = false;
  const auto strict_sparql = make_execution_judge(parts("sample"), strict);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const JsonValue& pair = pairs[i];
    SCOPED_TRACE(
        fmt::format("pair {} ({}): {}", i, text_of(pair, "category"), text_of(pair, "query")));
    TaskCase task = task_of(text_of(pair, "reference"));
    const bool is_sql = text_of(pair, "language") == "sql";
    if (is_sql) task.language = learning::QueryLanguage::Sql;
    task.is_ordered = flag_of(pair, "ordered", false);
    task.is_bag = flag_of(pair, "bag", false);
    Judge& judge = is_sql ? *sql : flag_of(pair, "more_columns", true) ? *sparql : *strict_sparql;
    const auto judgment = judge.judge(task, answer_of(text_of(pair, "query")), {});
    ASSERT_TRUE(judgment.has_value()) << judgment.error().to_string();
    EXPECT_EQ(learning::name_of(judgment->judgment.verdict), text_of(pair, "verdict"))
        << judgment->says;
    const bool is_on_handles = text_of(pair, "query").find("@results_") != std::string::npos;
    EXPECT_EQ(judgment->judgment.is_verified, !is_on_handles);
    EXPECT_FALSE(judgment->says.empty());
    ++verdicts[text_of(pair, "verdict")];
    ++categories[text_of(pair, "category")];
  }
  // A judge that always says the same would fail.
  EXPECT_GE(verdicts["correct"], 20);
  EXPECT_GE(verdicts["partial"], 20);
  EXPECT_GE(verdicts["incorrect"], 20);
  EXPECT_GE(categories.size(), 12U);
}

}  // namespace
}  // namespace helve::agent
