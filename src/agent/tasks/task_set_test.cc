#include "agent/tasks/task_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "agent/tasks/task_json.h"
#include "tests/support/fake_env.h"
#include "tests/support/temp_directory.h"

namespace helve::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGood = R"({
  "name": "birds",
  "source": "birds.ttl",
  "prefixes": {"b": "http://b.example/", "unused": "http://u.example/"},
  "tasks": [
    {"id": "one", "question": "Which birds sing?", "reference": "SELECT ?b { ?b b:sings true }",
     "level": 2, "keywords": ["song", "song"], "is_bag": true},
    {"id": "two", "question": "How many\nbirds?", "language": "sql", "reference": "SELECT 1 AS b:n",
     "is_ordered": true},
    {"id": "three", "question": "Why?"}
  ]
})";

class TaskSets : public ::testing::Test {
 protected:
  Result<TaskSet> read(const std::string& name, std::string_view content) {
    env_.files().put(name, std::string(content));
    return read_task_set(name, env_, {});
  }
  // The error of a document, or of lines.
  std::string fails(std::string_view content, const std::string& name = "t.json") {
    const auto set = read(name, content);
    if (set) return "it was read";
    EXPECT_NE(set.error().code, ErrorCode::Internal);
    return set.error().to_string();
  }
  // Of a document with one task that has these members beside a good id and question.
  std::string fails_with(const std::string& members) {
    return fails(R"({"tasks": [{"id": "a", "question": "q", )" + members + "}]}");
  }

  FakeEnv env_;
};

TEST_F(TaskSets, ReadsADocument) {
  const auto set = read("x/t.json", kGood);
  ASSERT_TRUE(set.has_value()) << set.error().to_string();
  EXPECT_EQ(set->name, "birds");
  EXPECT_EQ(set->source, "birds.ttl");
  ASSERT_EQ(set->cases.size(), 3U);
  const TaskCase one{"one",
                     "Which birds sing?",
                     "PREFIX b: <http://b.example/>\nSELECT ?b { ?b b:sings true }",
                     learning::QueryLanguage::Sparql,
                     2,
                     false,
                     true,
                     {"song"}};
  EXPECT_EQ(set->cases[0], one);
  EXPECT_EQ(set->cases[1].reference, "SELECT 1 AS b:n") << "SQL has no prefixes";
  EXPECT_TRUE(set->cases[1].is_ordered);
  EXPECT_EQ(set->cases[2].reference, "");
  EXPECT_EQ(set->cases[2].level, 1U);
  EXPECT_EQ(set->digest.size(), 64U);
}

TEST_F(TaskSets, ReadsLinesWithAndWithoutAHead) {
  const auto set = read("birds.jsonl",
                        "\n{\"source\": \"sample-tables:\", \"language\": \"sql\"}\r\n"
                        "{\"id\": \"a\", \"question\": \"q\", \"reference\": \"SELECT 1\"}\r\n\n"
                        "{\"id\": \"b\", \"question\": \"r\"}");
  ASSERT_TRUE(set.has_value()) << set.error().to_string();
  EXPECT_EQ(set->name, "birds");
  EXPECT_EQ(set->source, "sample-tables:");
  ASSERT_EQ(set->cases.size(), 2U);
  EXPECT_EQ(set->cases[0].language, learning::QueryLanguage::Sql);
  const auto bare = read("x.NDJSON", "{\"id\": \"a\", \"question\": \"q\"}\n");
  ASSERT_TRUE(bare.has_value()) << bare.error().to_string();
  EXPECT_EQ(bare->name, "x");
}

TEST_F(TaskSets, DigestsTellSetsApart) {
  const std::string text(kGood);
  std::set<std::string> digests = {read("t.json", text)->digest};
  EXPECT_EQ(read("another-name.json", text)->digest, *digests.begin());
  for (const auto& [from, to] :
       std::map<std::string, std::string>{{"birds\"", "finches\""},
                                          {"birds.ttl", "b.ttl"},
                                          {"\"one\"", "\"uno\""},
                                          {"sing?", "fly?"},
                                          {"b:sings", "b:flies"},
                                          {"\"level\": 2", "\"level\": 3"},
                                          {"\"is_bag\": true", "\"is_bag\": false"},
                                          {"[\"song\"", "[\"call\""},
                                          {"\"is_ordered\": true", "\"is_ordered\": false"},
                                          {"\"sql\"", "\"sparql\""}}) {
    std::string other = text;
    ASSERT_NE(other.find(from), std::string::npos) << from;
    other.replace(other.find(from), from.size(), to);
    EXPECT_TRUE(digests.insert(read("t.json", other)->digest).second) << from;
  }
}

TEST_F(TaskSets, SaysWhereADocumentIsWrong) {
  EXPECT_THAT(fails("{\n  \"tasks\": [,]\n}"), StartsWith("t.json:2:"));
  EXPECT_THAT(fails(""), HasSubstr("t.json"));
  EXPECT_THAT(fails("[]"), HasSubstr("the set must be an object and is a list"));
  EXPECT_THAT(fails("[]"), HasSubstr(R"(write {"tasks": [{"id")"));
  EXPECT_THAT(fails("{}"), HasSubstr("the set has no list of tasks"));
  EXPECT_THAT(fails(R"({"tasks": {}})"), HasSubstr("the set has no list of tasks"));
  EXPECT_THAT(fails(R"({"tasks": []})"), HasSubstr("t.json: there are no tasks"));
  EXPECT_THAT(fails(R"({"taks": []})"),
              HasSubstr("the set has an unknown member \"taks\" (did you mean tasks?)"));
  EXPECT_THAT(fails(R"({"tasks": [], "tasks": []})"), HasSubstr("twice"));
  EXPECT_THAT(fails(R"({"name": 1, "tasks": []})"),
              HasSubstr("the set: name must be a text and is 1"));
  EXPECT_THAT(fails(R"({"prefixes": ["a"], "tasks": []})"), HasSubstr("the set: prefixes must be"));
  for (const char* prefixes :
       {R"({"a b": "http://x/"})", R"({"a": "http://x/> } #"})", R"({"a": 1})"}) {
    EXPECT_THAT(fails(fmt::format(R"({{"prefixes": {}, "tasks": []}})", prefixes)),
                HasSubstr("the set: prefixes must be names"))
        << prefixes;
  }
}

TEST_F(TaskSets, SaysWhereATaskStands) {
  const std::string text =
      "\xEF\xBB\xBF{\"name\": \"tasks\", \"source\": \"[{\\u0022\\\"\\\\\",\n"
      "  \"tasks\": [ {\"id\": \"a\", \"question\": \"[\\\"{\", \"level\": 1e0},\n"
      "  {\"id\": \"ä\", \"question\": \"q\", \"keywords\": [\"k\"]}, {\"id\": \"c\"}]}";
  EXPECT_THAT(fails(text), StartsWith("t.json:3:52: task 3 (\"c\"): question is missing"));
  EXPECT_THAT(fails("{\"tasks\":\n[1]}"), StartsWith("t.json:2:2: task 1 must be an object"));
}

TEST_F(TaskSets, SaysWhatIsWrongWithATask) {
  EXPECT_THAT(fails(R"({"tasks": [{"id": "a", "question": "q"}, 7]})"),
              HasSubstr("task 2 must be an object and is a number"));
  EXPECT_THAT(fails(R"({"tasks": [{"question": "q"}]})"), HasSubstr("task 1: id is missing"));
  EXPECT_THAT(fails(R"({"tasks": [{"id": "a", "question": " \n"}]})"),
              HasSubstr("task 1 (\"a\"): question is missing"));
  EXPECT_THAT(fails(R"({"tasks": [{"id": "a,b", "question": "q"}]})"), HasSubstr("a comma"));
  EXPECT_THAT(fails(R"({"tasks": [{"id": "a\u001b", "question": "q"}]})"),
              HasSubstr("id has a control character"));
  EXPECT_THAT(fails(R"({"tasks": [{"id": "a", "question": "q"}, {"id": "a", "question": "q"}]})"),
              HasSubstr("task 2: the id \"a\" is that of another task"));
  EXPECT_THAT(fails_with(R"("refrence": "x")"),
              HasSubstr("unknown member \"refrence\" (did you mean reference?)"));
  EXPECT_THAT(fails_with(R"("zzz": 1)"), HasSubstr("there are: id, question, reference"));
  EXPECT_THAT(fails_with(R"("reference": ["x"])"), HasSubstr("must be a text and is a list"));
  EXPECT_THAT(fails_with(R"("reference": null)"), HasSubstr("must be a text and is null"));
  EXPECT_THAT(fails_with(R"("level": 0)"), HasSubstr("level must be 1, 2 or 3 and is 0"));
  EXPECT_THAT(fails_with(R"("level": 1e99)"), HasSubstr("level must be 1, 2 or 3"));
  EXPECT_THAT(fails_with(R"("level": "2")"), HasSubstr("level must be 1, 2 or 3 and is a text"));
  EXPECT_THAT(fails_with(R"("language": "cypher")"),
              HasSubstr("language must be \"sparql\" or \"sql\""));
  EXPECT_THAT(fails_with(R"("is_bag": 1)"), HasSubstr("is_bag must be true or false and is 1"));
  EXPECT_THAT(fails_with(R"("keywords": "moons")"), HasSubstr("keywords must be a list of texts"));
  EXPECT_THAT(fails_with(R"("keywords": ["a", 2])"), HasSubstr("keywords must be a list of texts"));
  EXPECT_THAT(fails_with(R"("keywords": [""])"), HasSubstr("keywords have an empty one"));
}

TEST_F(TaskSets, SaysWhichLineIsWrong) {
  const std::string good = "{\"id\": \"a\", \"question\": \"q\"}\n";
  EXPECT_THAT(fails(good + "{\"id\": \"b\" \"question\"}\n", "t.jsonl"), StartsWith("t.jsonl:2:"));
  EXPECT_THAT(fails(good + "\n" + good, "t.jsonl"),
              StartsWith("t.jsonl:3:1: the task: the id \"a\" is that of another task"));
  EXPECT_THAT(fails(good + "{\"name\": \"too late\"}", "t.jsonl"), StartsWith("t.jsonl:2:1: "));
  EXPECT_THAT(fails("{\"name\": \"x\", \"tasks\": []}\n" + good, "t.jsonl"),
              HasSubstr("unknown member \"tasks\""));
  EXPECT_THAT(fails("{\"name\": \"x\"}\n", "t.jsonl"), HasSubstr("there are no tasks"));
  EXPECT_THAT(fails("\n\n", "t.jsonl"), HasSubstr("there are no tasks"));
}

TEST_F(TaskSets, HostileFilesAreRefused) {
  const auto code = [&](std::string_view content, const std::string& name = "t.json") {
    const auto set = read(name, content);
    return set ? ErrorCode::Internal : set.error().code;
  };
  EXPECT_EQ(code(std::string(17 * kMiB, ' ')), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(std::string(17 * kMiB, ' '), "t.jsonl"), ErrorCode::LimitExceeded);
  const std::string deep(100'000, '[');
  EXPECT_EQ(code(deep + std::string(100'000, ']')), ErrorCode::LimitExceeded);
  EXPECT_EQ(code("{\"keywords\": " + deep, "t.jsonl"), ErrorCode::LimitExceeded);
  EXPECT_EQ(code("{\"tasks\": [{\"id\": \"a\xFF\", \"question\": \"q\"}]}"),
            ErrorCode::InvalidInput);
  EXPECT_EQ(code("\xFF\xFE{\0", "t.jsonl"), ErrorCode::InvalidInput);
  EXPECT_EQ(code(std::string("\0\0\0", 3)), ErrorCode::InvalidInput);
  EXPECT_THAT(fails_with("\"reference\": \"" + std::string(70'000, 'x') + "\""),
              HasSubstr("reference has more than 65,536 characters"));
  EXPECT_THAT(fails(R"({"tasks": [{"id": ")" + std::string(201, 'x') + R"(", "question": "q"}]})"),
              HasSubstr("id has more than 200 characters"));
  std::string words;
  for (int i = 0; i < 33; ++i) words += (i > 0 ? ", \"w" : "\"w") + std::to_string(i) + "\"";
  EXPECT_THAT(fails_with("\"keywords\": [" + words + "]"), HasSubstr("keywords are more than 32"));
  TaskLimits few;
  few.tasks_max = 2;
  EXPECT_EQ(parse_task_document(kGood, "t.json", "t", few, {}).error().code,
            ErrorCode::LimitExceeded);
  OpContext cancelled;
  cancelled.cancel.cancel();
  EXPECT_EQ(parse_task_document(kGood, "t.json", "t", {}, cancelled).error().code,
            ErrorCode::Cancelled);
  // Unknown members are shown, and cannot drive a terminal.
  EXPECT_THAT(fails_with("\"\\u001b[31m\": 1"), HasSubstr("\\x1B[31m"));
}

TEST_F(TaskSets, WhatIsNotThere) {
  const auto missing = read_task_set("bundled:sola", env_, {});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_THAT(missing.error().hint, HasSubstr("bundled:solar, bundled:solar-tables, bundled:prov"));
  const auto near = read_task_set("solar", env_, {});
  EXPECT_EQ(near.error().code, ErrorCode::NotFound);
  EXPECT_THAT(near.error().hint, HasSubstr("did you mean bundled:solar?"));
  EXPECT_EQ(read_task_set("none.json", env_, {}).error().code, ErrorCode::NotFound);
  for (const std::string& none : {std::string(), std::string("-"), std::string("a\0b", 3)}) {
    EXPECT_EQ(read_task_set(none, env_, {}).error().code, ErrorCode::InvalidInput);
  }
}

TEST_F(TaskSets, Choosing) {
  const TaskSet all = *read("t.json", R"({"tasks": [
    {"id": "a", "question": "q", "keywords": ["Moons"]},
    {"id": "b", "question": "q", "level": 2, "keywords": ["moons", "c"]},
    {"id": "c", "question": "q", "level": 3}]})");
  const auto ids = [&](const std::vector<std::string>& words, std::size_t tasks_max = 0) {
    std::string text;
    const auto chosen = choose_tasks(all, words, tasks_max);
    if (!chosen) return chosen.error().to_string();
    for (const TaskCase& task : chosen->cases) text += task.id;
    return text;
  };
  EXPECT_EQ(ids({}), "abc");
  EXPECT_EQ(ids({}, 2), "ab");
  EXPECT_EQ(ids({"c", "level:1"}), "abc") << "c is a keyword too";
  EXPECT_EQ(ids({"MOONS"}), "ab");
  EXPECT_EQ(ids({"moons"}, 1), "a");
  EXPECT_EQ(ids({"level:3"}), "c");
  EXPECT_THAT(ids({"a", "level:4"}), HasSubstr("no task of t is meant by \"level:4\""));
  EXPECT_THAT(ids({"moon"}), HasSubstr("did you mean"));
  EXPECT_EQ(choose_tasks(all, {}, 0)->digest, all.digest);
  EXPECT_NE(choose_tasks(all, {}, 2)->digest, all.digest);
  EXPECT_EQ(choose_tasks(all, {"level:1", "level:2"}, 0)->digest, choose_tasks(all, {}, 2)->digest);
}

TEST_F(TaskSets, ComeWithTheProgram) {
  EXPECT_THAT(bundled_task_sets(), ElementsAre("solar", "solar-tables", "prov"));
  const std::map<std::string, std::pair<std::size_t, std::string>> expected = {
      {"solar", {16, "sample:"}}, {"solar-tables", {8, "sample-tables:"}}, {"prov", {3, ""}}};
  for (const auto& [name, wanted] : expected) {
    const auto set = read_task_set("bundled:" + name, env_, {});
    ASSERT_TRUE(set.has_value()) << set.error().to_string();
    EXPECT_EQ(set->name, name);
    EXPECT_EQ(set->source, wanted.second);
    std::map<unsigned, std::size_t> levels;
    std::set<std::string> questions;
    std::set<std::string> references;
    for (const TaskCase& task : set->cases) {
      ++levels[task.level];
      EXPECT_TRUE(questions.insert(task.question).second) << task.id;
      EXPECT_TRUE(references.insert(task.reference).second) << task.id;
      EXPECT_FALSE(task.keywords.empty()) << task.id;
    }
    for (const unsigned level : {1U, 2U, 3U}) EXPECT_GE(levels[level], wanted.first) << name;
  }
}

TEST(TaskFolders, AreReadAsTasks) {
  const TempDirectory folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    const auto path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_TRUE(write_file_atomically(real_env(), path, text));
    return path.string();
  };
  const std::string head =
      "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix schema: <https://schema.org/> .\n"
      "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n";
  const auto example = [&](const std::string& number, const std::string& comment) {
    return head + "<http://e.example/" + number + "> a sh:SPARQLExecutable ; rdfs:comment \"" +
           comment +
           "\" ; sh:select \"SELECT ?b { ?b a <urn:bird> }\" ; "
           "schema:keywords \"song\" ; schema:target <https://birds.example/sparql> .";
  };
  write("set/a/1.ttl", example("1", "Which birds sing?"));
  write("set/a/2.ttl", example("2", ""));
  write("set/broken.ttl", "<a");
  const auto set = read_task_set((folder.path() / "set").string(), real_env(), {});
  ASSERT_TRUE(set.has_value()) << set.error().to_string();
  EXPECT_EQ(set->name, "set");
  EXPECT_EQ(set->source, "https://birds.example/sparql");
  ASSERT_EQ(set->cases.size(), 1U) << "without a question it is no task";
  EXPECT_EQ(set->cases[0].id, "a/1");
  EXPECT_EQ(set->cases[0].question, "Which birds sing?");
  EXPECT_EQ(set->cases[0].reference, "SELECT ?b { ?b a <urn:bird> }");
  EXPECT_EQ(set->cases[0].level, 1U);
  EXPECT_THAT(set->cases[0].keywords, ElementsAre("song"));
  const auto one = read_task_set((folder.path() / "set/a/1.ttl").string(), real_env(), {});
  ASSERT_TRUE(one.has_value()) << one.error().to_string();
  EXPECT_EQ(one->cases.size(), 1U);
  write("empty/readme.md", "nothing");
  const auto none = read_task_set((folder.path() / "empty").string(), real_env(), {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::InvalidInput);
  EXPECT_THAT(none.error().message, HasSubstr("there are no SPARQL examples"));
}

}  // namespace
}  // namespace helve::agent
