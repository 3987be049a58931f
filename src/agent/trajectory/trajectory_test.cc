#include "agent/trajectory/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <thread>
#include <vector>

#include "agent/trajectory/event_line.h"
#include "agent/trajectory/json_members.h"
#include "agent/trajectory/plain_file.h"
#include "agent/trajectory/recorded_run.h"
#include "agent/trajectory/trajectory_file.h"
#include "base/redaction.h"
#include "tests/support/fake_env.h"
#include "tests/support/temp_directory.h"

namespace helve::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

JsonValue parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *std::move(value) : JsonValue();
}

std::unique_ptr<TrajectorySink> opened(const TrajectoryOptions& options, FakeEnv& env) {
  auto sink = open_trajectory(options, env);
  EXPECT_TRUE(sink.has_value()) << sink.error().message;
  return *std::move(sink);
}

TEST(Trajectory, WritesALineForEachEventAsItHappens) {
  FakeEnv env;
  const auto sink = opened({.path = "/run.jsonl"}, env);
  sink->add(EventKind::RunStart, parsed(R"({"task":"count"})"));
  EXPECT_THAT(*env.files().content("/run.jsonl"),
              MatchesRegex("\\{\"kind\":\"run_start\",\"run\":\"[0-9a-f]{8}\","
                           "\"time\":\"2025-01-01T00:00:00Z\",\"task\":\"count\"\\}\n"));
  sink->add(EventKind::RunEnd, parsed(R"({"stop_reason":"submitted","ms":3.5})"));
  EXPECT_TRUE(sink->finish().has_value());
  const auto events = read_trajectory("/run.jsonl", env);
  ASSERT_TRUE(events.has_value()) << events.error().message;
  ASSERT_EQ(events->size(), 2U);
  EXPECT_EQ((*events)[1].kind, EventKind::RunEnd);
  EXPECT_EQ((*events)[1].body, parsed(R"({"stop_reason":"submitted","ms":3.5})"));
}

TEST(Trajectory, WithoutTimesTheSameEventsAreTheSameBytes) {
  FakeEnv env;
  for (const char* const path : {"/a", "/b"}) {
    const auto sink = opened({.path = path, .has_times = false}, env);
    sink->add(EventKind::RunStart, parsed(R"({"task":"count"})"));
    sink->add(EventKind::ToolResult,
              parsed(R"({"n":1,"name":"x","ms":)" +
                     std::string(path == std::string("/a") ? "1" : "2") + "}"));
    EXPECT_TRUE(sink->finish().has_value());
    env.clock().advance(std::chrono::seconds(5));
  }
  EXPECT_EQ(env.files().content("/a"), env.files().content("/b"));
  EXPECT_THAT(*env.files().content("/a"), Not(HasSubstr("time")));
}

TEST(Trajectory, WhatIsAddedLaterIsOfTheLastRun) {
  FakeEnv env;
  for (const char* const task : {"a", "b"}) {
    const auto run = opened({.path = "/run.jsonl"}, env);
    run->add(EventKind::RunStart, parsed(R"({"task":")" + std::string(task) + "\"}"));
    run->add(EventKind::RunEnd, parsed(R"({"stop_reason":"submitted"})"));
    ASSERT_TRUE(run->finish().has_value());
  }
  const auto later = opened({.path = "/run.jsonl", .continues = true}, env);
  later->add(EventKind::Judgment, parsed(R"({"verdict":"correct"})"));
  const auto file = read_trajectory_file("/run.jsonl", env);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->stray, 0U);
  EXPECT_EQ(file->lines.back().event.kind, EventKind::Judgment);
  EXPECT_EQ(file->lines.back().run, 2U);
}

TEST(Trajectory, IsAppendedToAndNotToHalfALine) {
  FakeEnv env;
  env.files().put("/run.jsonl", R"({"kind":"run_start","task":"a"})"
                                "\n"
                                R"({"kind":"tool_ca)");
  const auto sink = opened({.path = "/run.jsonl", .has_times = false}, env);
  sink->add(EventKind::RunStart, parsed(R"({"task":"b"})"));
  const auto file = read_trajectory_file("/run.jsonl", env);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->lines.size(), 2U);
  EXPECT_THAT(file->cut_lines, ElementsAre(2U));
}

// Each by its own process, as two shells would: line after line in one file.
TEST(Trajectory, RunsWrittenAtOnceAreToldApart) {
  for (const bool has_times : {true, false}) {
    FakeEnv env;
    const auto one = opened({.path = "/run.jsonl", .has_times = has_times}, env);
    const auto other = opened({.path = "/run.jsonl", .has_times = has_times}, env);
    one->add(EventKind::RunStart, parsed(R"({"task":"moons"})"));
    other->add(EventKind::RunStart, parsed(R"({"task":"planets"})"));
    one->add(EventKind::ToolCall, parsed(R"({"n":1,"id":"a","name":"peek"})"));
    other->add(EventKind::ToolCall, parsed(R"({"n":1,"id":"a","name":"find"})"));
    one->add(EventKind::RunEnd, parsed(R"({"stop_reason":"submitted","answer":"many"})"));
    other->add(EventKind::RunEnd, parsed(R"({"stop_reason":"submitted","answer":"eight"})"));
    // And one more in the first process.
    one->add(EventKind::RunStart, parsed(R"({"task":"moons"})"));
    const auto runs = runs_of(*read_trajectory_file("/run.jsonl", env));
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].task + " " + runs[0].answer, "moons many");
    EXPECT_EQ(runs[1].task + " " + runs[1].answer, "planets eight");
    ASSERT_EQ(runs[1].steps.size(), 1U);
    ASSERT_EQ(runs[1].steps[0].calls.size(), 1U);
    EXPECT_EQ(runs[1].steps[0].calls[0].name, "find");
    EXPECT_EQ(runs[1].number, 2U);
    EXPECT_FALSE(runs[2].has_end);
  }
}

TEST(Trajectory, NothingIsAppendedToOtherFiles) {
  FakeEnv env;
  const std::string other = "{\"kind\":\"run_end\",\"stop_reason\":\"x\"}\n";
  for (const std::string& text : {std::string("# Read me\n"), other, std::string("{}")}) {
    env.files().put("/README.txt", text);
    const auto sink = open_trajectory({.path = "/README.txt"}, env);
    ASSERT_FALSE(sink.has_value()) << text;
    EXPECT_EQ(sink.error().code, ErrorCode::InvalidInput);
    EXPECT_EQ(env.files().content("/README.txt"), text);
  }
  const auto dash = open_trajectory({.path = "-"}, env);
  ASSERT_FALSE(dash.has_value());
  EXPECT_THAT(dash.error().hint, HasSubstr("./-"));
  env.files().put("/empty", "");
  EXPECT_TRUE(open_trajectory({.path = "/empty"}, env).has_value());
}

// Opening a pipe would wait for somebody to read it.
TEST(Trajectory, PipesAreRefusedAndDevicesAreNot) {
  const TempDirectory folder;
  const std::string pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto sink = open_trajectory({.path = pipe}, real_env());
  ASSERT_FALSE(sink.has_value());
  EXPECT_EQ(sink.error().code, ErrorCode::InvalidInput);
  EXPECT_FALSE(check_readable_file(pipe, "--hints", real_env()).has_value());
  EXPECT_FALSE(check_readable_file(folder.path(), "--hints", real_env()).has_value());
  EXPECT_TRUE(check_readable_file(folder.path() / "none", "--hints", real_env()).has_value());
  EXPECT_TRUE(open_trajectory({.path = "/dev/null"}, real_env()).has_value());
}

TEST(Trajectory, PasswordsOfDigitsAreTakenOut) {
  FakeEnv env;
  const auto sink = opened({.path = "/run.jsonl"}, env);
  sink->add(EventKind::ToolCall,
            parsed(R"({"n":1,"name":"q","arguments":{"password":12345678,"limit":87654321,
                       "max_tokens":1357911}})"));
  const std::string text = *env.files().content("/run.jsonl");
  EXPECT_THAT(text, Not(HasSubstr("12345678")));
  EXPECT_THAT(text, HasSubstr("87654321"));
  EXPECT_THAT(text, HasSubstr("1357911"));
}

TEST(Trajectory, SecretsAreTakenOut) {
  register_secret("hunter2-of-the-test");
  FakeEnv env;
  const auto sink = opened({.path = "/run.jsonl"}, env);
  sink->add(EventKind::ToolCall,
            parsed(R"({"n":1,"name":"q","arguments":{"query":"x hunter2-of-the-test y",
                       "api_key":"abcdefgh","key":"env:NAME","list":["hunter2-of-the-test"]}})"));
  const std::string text = *env.files().content("/run.jsonl");
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(text, Not(HasSubstr("abcdefgh")));
  EXPECT_THAT(text, HasSubstr("env:NAME"));
}

TEST(Trajectory, LongTextsAreCutAndSayso) {
  FakeEnv env;
  const auto sink =
      opened({.path = "/run.jsonl", .has_times = false, .line_bytes_max = 4'096}, env);
  JsonValue::Object body;
  body.push_back({"n", JsonValue(1)});
  body.push_back({"output", JsonValue(std::string(100'000, 'x'))});
  sink->add(EventKind::Iteration, JsonValue(body));
  JsonValue::Array many;
  for (int i = 0; i < 10'000; ++i) many.emplace_back(i);
  body[1].value = JsonValue(std::move(many));
  sink->add(EventKind::Iteration, JsonValue(body));
  std::string text = *env.files().content("/run.jsonl");
  const std::size_t end = text.find('\n');
  EXPECT_LE(end, 4'096U);
  EXPECT_LE(text.size() - end, 4'097U);
  const JsonValue first = parsed(text.substr(0, end));
  EXPECT_TRUE(is_true_member(first, "cut"));
  EXPECT_THAT(text_member(first, "output"), HasSubstr("of 100000 bytes]"));
  const JsonValue second = parsed(text.substr(end + 1));
  EXPECT_TRUE(is_true_member(second, "cut"));
  EXPECT_EQ(count_member(second, "n"), 1U);
}

TEST(Trajectory, AFailingDiskIsToldOnceAtTheEnd) {
  FakeEnv env;
  const auto sink = opened({.path = "/run.jsonl"}, env);
  sink->add(EventKind::RunStart, parsed(R"({"task":"count"})"));
  env.files().disk_full_after(10);
  sink->add(EventKind::RunEnd, parsed(R"({"stop_reason":"submitted"})"));
  const auto done = sink->finish();
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().message, HasSubstr("from event 2 on"));
  // Half a line is there, and it is told of when the file is read.
  const auto file = read_trajectory_file("/run.jsonl", env);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_THAT(file->cut_lines, ElementsAre(2U));
}

TEST(Trajectory, ManyThreadsWriteWholeLines) {
  FakeEnv env;
  const auto sink = opened({.path = "/run.jsonl"}, env);
  sink->add(EventKind::RunStart, parsed(R"({"task":"count"})"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&sink] {
      for (int i = 0; i < 50; ++i) {
        sink->add(EventKind::ToolCall, parsed(R"({"n":1,"name":"peek","arguments":{}})"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto events = read_trajectory("/run.jsonl", env);
  ASSERT_TRUE(events.has_value()) << events.error().message;
  EXPECT_EQ(events->size(), 201U);
}

TEST(Trajectory, LinesTooShortForAnythingAreRefused) {
  FakeEnv env;
  EXPECT_EQ(open_trajectory({.path = "/a", .line_bytes_max = 10}, env).error().code,
            ErrorCode::InvalidInput);
  EXPECT_FALSE(open_trajectory({.path = "/no/such/folder/a"}, env).has_value());
}

TEST(TrajectoryFile, SaysWhichLineIsWrong) {
  const auto wrong = [](std::string_view text) {
    const auto file = parse_trajectory(text, "t.jsonl");
    if (!file) return file.error().to_string();
    EXPECT_THAT(file->lines, IsEmpty());
    return file->damaged.empty() ? "read" : file->damaged[0].error.to_string();
  };
  const std::string start = "{\"kind\":\"run_start\",\"task\":\"a\"}\n";
  EXPECT_THAT(wrong(start + "nonsense\n" + R"({"kind":"iteration","n":1})"),
              HasSubstr("t.jsonl:2:"));
  EXPECT_THAT(wrong(start + "{\"kind\":\"tool_call\",\"n\":1}\n"),
              HasSubstr("tool_call has no name"));
  EXPECT_THAT(wrong(start + "{\"kind\":\"iteration\",\"n\":-1}\n"),
              HasSubstr("iteration has no n"));
  EXPECT_THAT(wrong(start + "[]\n"), HasSubstr("t.jsonl:2:"));
  EXPECT_THAT(wrong("{\"kind\":\"iteration\",\"n\":1}\n"), HasSubstr("begins with run_start"));
  EXPECT_THAT(wrong("{\"kind\":\"run_st"), HasSubstr("t.jsonl:1:"));
}

TEST(TrajectoryFile, ALineThatIsWrongCostsOneRun) {
  const auto file = parse_trajectory(
      "{\"kind\":\"run_start\",\"task\":\"a\"}\n{\"kind\":\"run_end\",\"stop_reason\":\"x\"}\n"
      "{\"kind\":\"run_start\",\"task\":\"b\"}\nnonsense\n{\"kind\":\"iteration\",\"n\":1}\n"
      "{\"kind\":\"run_start\",\"task\":\"c\"}\n{\"kind\":\"iteration\",\"run\":\"far\",\"n\":1}\n",
      "t.jsonl");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->runs, 3U);
  ASSERT_EQ(file->damaged.size(), 1U);
  EXPECT_EQ(file->damaged[0].run, 2U);
  EXPECT_THAT(file->damaged[0].error.to_string(), HasSubstr("t.jsonl:4:"));
  EXPECT_EQ(file->stray, 1U);
  const auto runs = runs_of(*file);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].task, "a");
  EXPECT_EQ(runs[1].task, "c");
  EXPECT_EQ(runs[1].number, 3U);
  EXPECT_THAT(runs[1].steps, IsEmpty());
}

TEST(TrajectoryFile, ALastLineThatWasCutIsTold) {
  const auto file = parse_trajectory(
      "{\"kind\":\"run_start\",\"task\":\"a\"}\n{\"kind\":\"later\",\"x\":1}\n{\"kind\":\"itera",
      "t");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->lines.size(), 1U);
  EXPECT_THAT(file->cut_lines, ElementsAre(3U));
  EXPECT_EQ(file->unknown, 1U);
}

}  // namespace
}  // namespace helve::agent
