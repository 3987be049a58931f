#include "helve/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include "base/json.h"
#include "tests/support/temp_directory.h"

namespace helve::api {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Where the machine lacks a layer there is nothing to test here: said loudly, and a failure where
// HELVE_SANDBOX_MUST_RUN=1.
bool must_run() {
  const char* const must = std::getenv("HELVE_SANDBOX_MUST_RUN");
  return must != nullptr && std::string_view(must) == "1";
}

#define START_SANDBOX(name, options)                                                              \
  auto name##_started = Sandbox::start(options);                                                  \
  if (!must_run() && !name##_started && name##_started.error().code == ErrorCode::Denied) {       \
    std::cerr << "NOT RUN, THE SANDBOX IS NOT TRIED: " << name##_started.error().message << "\n"; \
    GTEST_SKIP() << "this machine does not hold the sandbox: " << name##_started.error().message; \
  }                                                                                               \
  ASSERT_TRUE(name##_started) << name##_started.error().to_string();                              \
  Sandbox name = std::move(name##_started).value()

TEST(ApiSandbox, RunsBlocksInOneNamespace) {
  START_SANDBOX(sandbox, {});
  const auto first = sandbox.execute("print('hello')\nx = [n + 1, 2]\nx", {{"n", "0"}});
  ASSERT_TRUE(first) << first.error().to_string();
  EXPECT_EQ(first->end, BlockEnd::Finished);
  EXPECT_EQ(first->output, "hello\n");
  EXPECT_EQ(first->value, "[1, 2]");
  EXPECT_EQ(first->value_type, "list");
  const auto second = sandbox.execute("SUBMIT(answer=sum(x))");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->end, BlockEnd::Submitted);
  EXPECT_EQ(to_json(*parse_json(second->submitted.value())), R"({"answer":3})");
  EXPECT_EQ(to_json(*parse_json(sandbox.variable("x").value())), "[1,2]");
  EXPECT_EQ(sandbox.variable("y").error().code, ErrorCode::NotFound);
  const auto views = sandbox.variables();
  ASSERT_TRUE(views);
  ASSERT_EQ(views->size(), 2U);
  EXPECT_EQ((*views)[1].name, "x");
  EXPECT_EQ((*views)[1].length, 2U);
}

TEST(ApiSandbox, SaysWhatHoldsIt) {
  START_SANDBOX(sandbox, {});
  const auto layers = sandbox.layers();
  ASSERT_EQ(layers.size(), 8U);
  for (const SandboxLayer& layer : layers) {
    EXPECT_TRUE(layer.holds) << layer.name;
    EXPECT_FALSE(layer.purpose.empty());
  }
  EXPECT_THAT(sandbox.interpreter(), HasSubstr("python"));
}

TEST(ApiSandbox, WhatCodeDoesWrongIsAResult) {
  START_SANDBOX(sandbox, {});
  const auto result = sandbox.execute("x = 1\nx / 0");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BlockEnd::Raised);
  ASSERT_TRUE(result->error.has_value());
  EXPECT_EQ(result->error->type, "ZeroDivisionError");
  EXPECT_EQ(result->error->line, 2U);
  const auto wrong = sandbox.execute("x", {{"n", "no JSON"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::InvalidInput);
}

SandboxTool adding_tool() {
  SandboxTool tool;
  tool.name = "add";
  tool.doc = "Adds numbers.";
  tool.parameters = {{"a", "int", {}, true}, {"b", "int", "10", false}};
  tool.returns = "int";
  tool.call = [](const SandboxCall& call) -> Result<std::string> {
    const auto given = parse_json(call.arguments);
    const auto a = given->find("a")->to_int64();
    if (!a) return Error{ErrorCode::InvalidInput, "a is no number", "give a number"};
    if (*a < 0) throw std::runtime_error("never below zero");
    return std::to_string(*a + *given->find("b")->to_int64());
  };
  return tool;
}

TEST(ApiSandbox, ToolsOfTheProgramAreFunctions) {
  SandboxOptions options;
  std::vector<std::string> events;
  options.on_event = [&events](const SandboxEvent& event) {
    if (event.kind == "tool_call" || event.kind == "tool_result") {
      events.push_back(std::string(event.kind) + " " + std::string(event.name) + " " +
                       std::string(event.text) + (event.is_error ? " error" : ""));
    }
  };
  START_SANDBOX(sandbox, options);
  ASSERT_TRUE(sandbox.register_tool(adding_tool()));
  const auto sum = sandbox.execute("add(1), add(b=2, a=1), add.__doc__");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->value, "(11, 3, 'Adds numbers.')");
  EXPECT_EQ(sum->tool_calls, 2U);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_THAT(events[0], HasSubstr("tool_call add {"));
  EXPECT_THAT(events[1], AllOf(HasSubstr("tool_result add "), HasSubstr("11")));
  const auto refused = sandbox.execute("add('one')");
  ASSERT_TRUE(refused && refused->error);
  EXPECT_EQ(refused->error->type, "ToolError");
  EXPECT_EQ(refused->error->message, "a is no number (give a number)");
  const auto thrown = sandbox.execute("add(-1)");
  ASSERT_TRUE(thrown && thrown->error);
  EXPECT_THAT(thrown->error->message, HasSubstr("never below zero"));
}

TEST(ApiSandbox, FunctionsThatPythonWouldNotTakeAreRefused) {
  START_SANDBOX(sandbox, {});
  SandboxTool tool = adding_tool();
  tool.name = "import";
  EXPECT_EQ(sandbox.register_tool(tool).error().code, ErrorCode::InvalidInput);
  tool = adding_tool();
  tool.parameters[1].otherwise = "ten";
  EXPECT_EQ(sandbox.register_tool(tool).error().code, ErrorCode::InvalidInput);
  tool = adding_tool();
  tool.call = nullptr;
  EXPECT_EQ(sandbox.register_tool(tool).error().code, ErrorCode::InvalidInput);
}

TEST(ApiSandbox, ToolsOfASourceAreFunctionsAndTellTheirEvents) {
  START_SANDBOX(sandbox, {});
  ToolsOptions options;
  std::vector<std::string> called;
  options.events.on_begin = [&called](const CallBegin& begin) { called.emplace_back(begin.tool); };
  Policy policy;
  policy.allowed_tools = {"sparql_query", "sparql_slice"};
  {
    const auto tools = get_tools(connect("sample:").value(), policy, options);
    ASSERT_TRUE(tools) << tools.error().to_string();
    ASSERT_TRUE(sandbox.register_tools(*tools));
  }
  // The tools live as long as the session.
  const auto result = sandbox.execute(
      "r = sparql_query('SELECT ?m { ?m sol:orbits body:Saturn } ORDER BY ?m')\n"
      "r['rows'], len(r.rows(0, 1000)), r.rows(0, 1)");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, BlockEnd::Finished) << (result->error ? result->error->traceback : "");
  EXPECT_THAT(result->value, HasSubstr("{'m': 'https://helve.example/solar/body/"));
  EXPECT_EQ(called, (std::vector<std::string>{"sparql_query", "sparql_slice", "sparql_slice"}));
  const auto denied = sandbox.execute("sparql_schema()");
  ASSERT_TRUE(denied && denied->error);
  EXPECT_EQ(denied->error->type, "NameError");
}

TEST(ApiSandbox, ModulesComeFromFoldersThatAreNamed) {
  const TempDirectory folder;
  std::ofstream(folder / "planets.py") << "NAMES = ['Mars']\n";
  // The code has another folder of its own, and may have another user.
  std::filesystem::permissions(
      folder.path(), std::filesystem::perms::others_read | std::filesystem::perms::others_exec,
      std::filesystem::perm_options::add);
  SandboxOptions options;
  options.module_folders = {std::filesystem::relative(folder.path()).string()};
  START_SANDBOX(sandbox, options);
  const auto result = sandbox.execute("import planets\nplanets.NAMES");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->value, "['Mars']") << (result->error ? result->error->traceback : "");
}

TEST(ApiSandbox, ModelsAnswerPrompts) {
  START_SANDBOX(sandbox, {});
  sandbox.set_model(
      [](const std::vector<std::string>& prompts) -> Result<std::vector<std::string>> {
        std::vector<std::string> answers;
        for (const std::string& prompt : prompts) answers.push_back("to " + prompt);
        return answers;
      });
  const auto result = sandbox.execute("llm_query('a'), llm_query_batched(['b', 'c'])");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->value, "('to a', ['to b', 'to c'])");
  EXPECT_EQ(result->model_calls, 3U);
}

TEST(ApiSandbox, LimitsHold) {
  SandboxOptions options;
  options.limits.block_time = std::chrono::milliseconds(100);
  options.limits.tool_calls_max = 1;
  START_SANDBOX(sandbox, options);
  const auto late = sandbox.execute("while True: pass");
  ASSERT_TRUE(late && late->error);
  EXPECT_EQ(late->end, BlockEnd::Interrupted);
  EXPECT_EQ(late->error->type, "TimeLimit");
  ASSERT_TRUE(sandbox.register_tool(adding_tool()));
  const auto many = sandbox.execute("add(1); add(2)");
  ASSERT_TRUE(many && many->error);
  EXPECT_EQ(many->error->type, "ToolError");
}

TEST(ApiSandbox, CancellationEndsABlock) {
  CallOptions call;
  SandboxOptions options;
  options.on_event = [&call](const SandboxEvent& event) {
    if (event.kind == "output") call.cancel.cancel();
  };
  START_SANDBOX(sandbox, options);
  const auto ended = sandbox.execute("print('now', flush=True)\nwhile True: pass", {}, call);
  ASSERT_TRUE(ended && ended->error);
  EXPECT_EQ(ended->end, BlockEnd::Interrupted);
  EXPECT_EQ(ended->error->type, "Cancelled");
  EXPECT_TRUE(sandbox.is_alive());
}

TEST(ApiSandbox, ShutdownEndsTheSession) {
  START_SANDBOX(sandbox, {});
  Sandbox moved = std::move(sandbox);
  EXPECT_TRUE(moved.is_alive());
  moved.shutdown();
  EXPECT_FALSE(moved.is_alive());
  const auto over = moved.execute("1");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, ErrorCode::Unavailable);
}

TEST(ApiSandbox, NoInterpreterIsNotFound) {
  SandboxOptions options;
  options.python = "/nonexistent/python";
  const auto none = Sandbox::start(options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace helve::api
