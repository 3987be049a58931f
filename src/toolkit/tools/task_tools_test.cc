// The tools of tasks, and what they refuse.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/utf8.h"
#include "toolkit/examples/example_folder_testing.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

class TaskToolsTest : public ToolTest {
 protected:
  JsonValue load(const std::string& more = {}, bool ok = true) {
    return call("load_shacl_tasks", R"({"path": ")" + files_.path().string() + "\"" + more + "}",
                ok);
  }
  static const JsonValue& item(const JsonValue& reply, std::string_view list, std::size_t i) {
    return reply.find(list)->if_array()->at(i);
  }
  void set_policy(const std::function<void(Policy&)>& change) {
    Policy policy = *caller_.policy;  // which lets files be loaded
    change(policy);
    caller_.policy = std::make_shared<const Policy>(policy);
  }

  ExampleFiles files_;
};

TEST_F(TaskToolsTest, AFolderBecomesTasks) {
  const JsonValue loaded = load();
  EXPECT_EQ(text(loaded, "key"), "tasks_0");
  EXPECT_EQ(text(loaded, "source"), files_.path().filename().string());
  EXPECT_EQ(number(loaded, "total"), 5);
  EXPECT_EQ(number(loaded, "queries"), 5);
  EXPECT_EQ(number(loaded, "files"), 6);
  EXPECT_EQ(number(loaded, "endpoints"), 2);
  EXPECT_EQ(number(*loaded.find("by_complexity"), "simple"), 4);
  EXPECT_EQ(number(*loaded.find("by_complexity"), "moderate"), 1);
  EXPECT_EQ(number(*loaded.find("by_complexity"), "complex"), 0);
  EXPECT_EQ(text(load(), "key"), "tasks_0");  // the same files, unchanged
  const JsonValue some = load(R"(, "complexity_filter": "moderate")");
  EXPECT_EQ(text(some, "key"), "tasks_1");
  EXPECT_EQ(number(some, "total"), 1);
  EXPECT_EQ(number(some, "queries"), 5);
  files_.write("Trees/9.ttl", "ex:x ex:y ex:z .");
  EXPECT_EQ(text(load(), "key"), "tasks_2");
  EXPECT_EQ(text(*load(R"(, "complexity_filter": "hard")", false).find("error"), "code"),
            "invalid_input");
}

TEST_F(TaskToolsTest, FiguresAreThoseOfTheTasks) {
  load();
  const JsonValue stats = call("get_task_stats", R"({"ref": "tasks_0"})");
  EXPECT_EQ(number(stats, "total"), 5);
  EXPECT_EQ(text(stats, "total_is"), "exact");
  EXPECT_EQ(number(stats, "federated"), 1);
  ASSERT_EQ(size(stats, "by_endpoint"), 2U);
  EXPECT_EQ(number(item(stats, "by_endpoint", 0), "tasks"), 3);
  EXPECT_EQ(text(item(stats, "by_endpoint", 1), "endpoint"), "https://trees.example/sparql/");
  EXPECT_EQ(text(item(stats, "top_keywords", 0), "keyword"), "song");
  EXPECT_EQ(number(item(stats, "top_keywords", 0), "tasks"), 2);
}

TEST_F(TaskToolsTest, SamplesAreThoseOfTheirSeed) {
  load();
  const JsonValue three = call("sample_tasks", R"({"ref": "tasks_0", "n": 3})");
  ASSERT_EQ(size(three, "tasks"), 3U);
  EXPECT_TRUE(flag(three, "truncated"));
  EXPECT_EQ(number(three, "total_available"), 5);
  EXPECT_EQ(number(three, "limit_applied"), 3);
  const JsonValue again = call("sample_tasks", R"({"ref": "tasks_0", "n": 3, "seed": 0})");
  EXPECT_EQ(*again.find("tasks"), *three.find("tasks"));
  const JsonValue all = call("sample_tasks", R"({"ref": "tasks_0", "max_chars": 20000})");
  ASSERT_EQ(size(all, "tasks"), 5U);
  EXPECT_FALSE(flag(all, "truncated"));
  EXPECT_EQ(text(item(all, "tasks", 0), "id"), text(item(three, "tasks", 0), "id"));
  const JsonValue moderate =
      call("sample_tasks", R"({"ref": "tasks_0", "complexity": "moderate"})");
  ASSERT_EQ(size(moderate, "tasks"), 1U);
  EXPECT_EQ(text(item(moderate, "tasks", 0), "id"), "Birds/2");
  EXPECT_EQ(size(item(moderate, "tasks", 0), "federated"), 2U);
  const JsonValue none = call("sample_tasks", R"({"ref": "tasks_0", "complexity": "complex"})");
  EXPECT_EQ(size(none, "tasks"), 0U);
  EXPECT_THAT(to_json(*none.find("warnings")), HasSubstr("no complex task"));
}

// What a sample elides is behind the handle.
TEST_F(TaskToolsTest, ATaskCanBeReadWhole) {
  files_.write("Birds/7.ttl",
               "ex:b7 a sh:SPARQLExecutable ; rdfs:comment \"Où? →\" ; sh:select \"" +
                   std::string("SELECT * {} # ") + std::string(3'000, 'x') + "\" .");
  load(R"(, "complexity_filter": "complex")");
  const JsonValue sample = call("sample_tasks", R"({"ref": "tasks_0"})");
  ASSERT_EQ(size(sample, "tasks"), 1U);
  const JsonValue& task = item(sample, "tasks", 0);
  EXPECT_LT(text(task, "expected_sparql").size(), 3'000U);
  const JsonValue whole =
      call("ctx_slice", fmt::format(R"({{"key": "tasks_0", "start": {}, "end": {}}})",
                                    number(task, "start"), number(task, "end")));
  const auto read = parse_json(text(whole, "text"));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(text(*read, "query"), "Où? →");
  EXPECT_EQ(text(*read, "expected_sparql").size(), 3'014U);
}

TEST_F(TaskToolsTest, WhatIsBrokenIsToldWithTheFirstReasons) {
  files_.write_bytes("Birds/bad.ttl", "ex:a ex:b .");
  files_.write("Birds/5.ttl", "ex:b5 a sh:SPARQLExecutable ; sh:select \"SELECT ?x { ?x \" .");
  const JsonValue loaded = load();
  EXPECT_EQ(number(loaded, "total"), 6);
  EXPECT_EQ(number(loaded, "broken_files"), 1);
  EXPECT_EQ(number(loaded, "unparsed_queries"), 1);
  EXPECT_EQ(size(loaded, "problems"), 2U);
  EXPECT_THAT(to_json(*loaded.find("warnings")), HasSubstr("1 query could not be parsed"));
}

TEST_F(TaskToolsTest, AFolderWithoutExamplesSaysSo) {
  const TempDirectory empty;
  const JsonValue none =
      call("load_shacl_tasks", R"({"path": ")" + empty.path().string() + R"("})");
  EXPECT_EQ(number(none, "total"), 0);
  EXPECT_THAT(to_json(*none.find("warnings")), HasSubstr("no example queries"));
  EXPECT_EQ(number(call("get_task_stats", R"({"ref": "tasks_0"})"), "total"), 0);
  EXPECT_EQ(size(call("sample_tasks", R"({"ref": "tasks_0", "complexity": "simple"})"), "tasks"),
            0U);
  const JsonValue missing = call("load_shacl_tasks", R"({"path": "/no/such/folder"})", false);
  EXPECT_EQ(text(*missing.find("error"), "code"), "not_found");
}

TEST_F(TaskToolsTest, OnlyTasksAreSampled) {
  call("sparql_query", R"({"query": "SELECT ?s { ?s a ex:Planet }"})");
  for (const char* tool : {"get_task_stats", "sample_tasks"}) {
    const JsonValue wrong = call(tool, R"({"ref": "results_0"})", false);
    EXPECT_EQ(text(*wrong.find("error"), "code"), "invalid_input");
    EXPECT_THAT(text(*wrong.find("error"), "hint"), HasSubstr("load_shacl_tasks"));
  }
}

TEST_F(TaskToolsTest, FoldersAreThoseOfThePolicy) {
  const TempDirectory allowed;
  set_policy([&](Policy& policy) {
    policy.allowed_paths = std::vector<std::string>{allowed.path().string()};
  });
  EXPECT_EQ(text(*load({}, false).find("error"), "code"), "denied");
  std::filesystem::create_directory_symlink(files_.path(), allowed.path() / "out");
  const std::string path = (allowed.path() / "out").string();
  const JsonValue linked = call("load_shacl_tasks", R"({"path": ")" + path + R"("})", false);
  EXPECT_EQ(text(*linked.find("error"), "code"), "denied");
  set_policy([](Policy& policy) { policy.denied_graphs = {"http://example.org/g"}; });
  EXPECT_EQ(text(*load({}, false).find("error"), "code"), "denied");
}

TEST_F(TaskToolsTest, WhatIsStoredIsWithinThePolicy) {
  set_policy([](Policy& policy) { policy.bytes_stored_max = 100; });
  EXPECT_EQ(text(*load({}, false).find("error"), "code"), "limit_exceeded");
}

}  // namespace
}  // namespace helve::toolkit
