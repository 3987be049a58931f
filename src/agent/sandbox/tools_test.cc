// Tools of the host as functions in the session: signatures, arguments, errors, handles, and
// questions to a model. Neighbour: sandbox_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "agent/sandbox/sandbox.h"
#include "base/json.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JsonValue object(std::string_view text) {
  auto value = parse_json(text);
  HELVE_CHECK(value.has_value());
  return std::move(*value);
}

class SandboxToolsTest : public SandboxTest {
 protected:
  // search(query: str, limit: int = 10, tags: list[str] | None = None) -> list[dict]
  Function search() {
    Function function;
    function.name = "search";
    function.doc = "Finds things.\n\nquery: what to look for";
    function.returns = "list[dict]";
    function.parameters = {{"query", "str", {}, true},
                           {"limit", "int", JsonValue(10), false},
                           {"tags", "list[str] | None", {}, false}};
    function.handler = [this](const JsonValue& arguments, const OpContext&) {
      calls_.push_back(to_json(arguments));
      return Result<FunctionValue>(FunctionValue{object(R"([{"id":1,"name":"é"}])"), {}});
    };
    return function;
  }

  static Function failing(const Error& error) {
    Function function;
    function.name = "fails";
    function.handler = [error](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
      return error;
    };
    return function;
  }

  static Function echo() {
    Function function;
    function.name = "echo";
    function.parameters = {{"value", "object", {}, true}};
    function.handler = [](const JsonValue& arguments, const OpContext&) -> Result<FunctionValue> {
      const JsonValue* value = arguments.find("value");
      return FunctionValue{value != nullptr ? *value : JsonValue(), {}};
    };
    return function;
  }

  static std::unique_ptr<Sandbox> start_with(Function function) {
    auto sandbox = start();
    EXPECT_TRUE(sandbox->register_tool(std::move(function)).has_value());
    return sandbox;
  }

  std::vector<std::string> calls_;
};

TEST_F(SandboxToolsTest, LooksLikeAFunctionOfPython) {
  auto sandbox = start_with(search());
  EXPECT_EQ(run(*sandbox, "import inspect; str(inspect.signature(search))").value,
            "'(query: str, limit: int = 10, tags: list[str] | None = None) -> list[dict]'");
  EXPECT_EQ(run(*sandbox, "search.__doc__").value, "'Finds things.\\n\\nquery: what to look for'");
  EXPECT_EQ(run(*sandbox, "search.__name__, callable(search)").value, "('search', True)");
  EXPECT_EQ(run(*sandbox, "sorted(search.__annotations__)").value,
            "['limit', 'query', 'return', 'tags']");
  const BlockResult help = run(*sandbox, "help(search)");
  EXPECT_THAT(help.output, AllOf(HasSubstr("search("), HasSubstr("Finds things.")));
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(SandboxToolsTest, TakesPositionalAndKeywordArguments) {
  auto sandbox = start_with(search());
  const BlockResult result = run(*sandbox, R"(
search('a')
search('b', 5)
search(query='c', tags=['x', 'y'])
search('d', tags=None, limit=7)[0]['name'])");
  EXPECT_EQ(result.value, "'é'");
  EXPECT_EQ(result.tool_calls, 4U);
  ASSERT_EQ(calls_.size(), 4U);
  EXPECT_EQ(object(calls_[0]), object(R"({"query":"a","limit":10})"));
  EXPECT_EQ(object(calls_[1]), object(R"({"query":"b","limit":5})"));
  EXPECT_EQ(object(calls_[2]), object(R"({"query":"c","limit":10,"tags":["x","y"]})"));
  EXPECT_EQ(*object(calls_[3]).find("limit"), JsonValue(7));
}

TEST_F(SandboxToolsTest, RefusesWrongArgumentsWithoutACall) {
  auto sandbox = start_with(search());
  for (const std::string_view code :
       {"search()", "search('a', 1, [], 2)", "search('a', query='b')", "search('a', depth=1)",
        "search(query=object())", "search(lambda: 1)", "search(b'bytes')"}) {
    const BlockResult result = run(*sandbox, code);
    EXPECT_EQ(result.end, BlockEnd::Raised) << code;
    ASSERT_TRUE(result.error) << code;
    EXPECT_EQ(result.error->type, "TypeError") << code << ": " << result.error->message;
    EXPECT_EQ(result.tool_calls, 0U) << code;
  }
  EXPECT_THAT(run(*sandbox, "search()").error->message, HasSubstr("query"));
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(SandboxToolsTest, RaisesErrorsOfTools) {
  auto sandbox = start_with(failing({ErrorCode::NotFound, "there is no 'x'", "try 'y'"}));
  const BlockResult result = run(*sandbox, R"(
try: fails()
except Exception as e: said = (type(e).__name__, e.code, e.message, e.hint, isinstance(e, ToolError))
said)");
  EXPECT_EQ(result.value, "('ToolError', 'not_found', \"there is no 'x'\", \"try 'y'\", True)");
  const BlockResult raised = run(*sandbox, "x = 1\nfails()");
  EXPECT_EQ(raised.end, BlockEnd::Raised);
  ASSERT_TRUE(raised.error);
  EXPECT_EQ(raised.error->type, "ToolError");
  EXPECT_THAT(raised.error->message, AllOf(HasSubstr("there is no 'x'"), HasSubstr("try 'y'")));
  EXPECT_EQ(raised.error->line, 2U);
  expect_works(*sandbox);
}

TEST_F(SandboxToolsTest, CarriesValuesThereAndBack) {
  auto sandbox = start_with(echo());
  const BlockResult result = run(*sandbox, R"(
big = 'é漢🎉' * 10000
for value in (None, True, False, 0, -1, 2**63 - 1, -2**63, 2**64 - 1, 0.1, -1.5e300, 5e-324, '', 'a\0b', '"\\\n\u2028', [], {}, [[], {}, ''],
              {'k': {'é': [1, 2.5, None]}}, {'': 0}, list(range(1000)), big, 10**29 + 1):
    back = echo(value)
    assert back == value and type(back) is type(value), (value, back)
echo((1, 2)))");
  EXPECT_EQ(result.value, "[1, 2]") << (result.error ? result.error->traceback : "");
}

TEST_F(SandboxToolsTest, RefusesValuesThatHaveNoJsonForm) {
  auto sandbox = start_with(echo());
  const BlockResult result = run(*sandbox, R"(
cyclic = []; cyclic.append(cyclic)
deep = []
for i in range(100_000): deep = [deep]
failed = 0
for value in (float('nan'), float('inf'), cyclic, {1: 2, '1': 3}, {(1, 2): 3}, object(), deep, 1j, range(3)):
    try: echo(value)
    except Exception as e: failed += 1
    else: print('taken:', repr(value)[:50])
failed)");
  EXPECT_EQ(result.end, BlockEnd::Finished) << (result.error ? result.error->traceback : "");
  EXPECT_EQ(result.value, "9") << result.output;
  // Half of a surrogate pair is no character; what the host sees is text all the same.
  EXPECT_NE(run(*sandbox, "echo('x' + chr(0xd800))").end, BlockEnd::Lost);
  expect_works(*sandbox);
}

TEST_F(SandboxToolsTest, MakesAThousandCallsExactly) {
  Function add;
  add.name = "add";
  add.returns = "int";
  add.parameters = {{"a", "int", {}, true}, {"b", "int", {}, true}};
  add.handler = [](const JsonValue& arguments, const OpContext&) -> Result<FunctionValue> {
    const auto a = arguments.find("a")->to_int64();
    const auto b = arguments.find("b")->to_int64();
    return FunctionValue{JsonValue(*a + *b), {}};
  };
  auto sandbox = start_with(add);
  const BlockResult result =
      run(*sandbox, "all(add(i, b=i * i) == i + i * i for i in range(1000))");
  EXPECT_EQ(result.value, "True");
  EXPECT_EQ(result.tool_calls, 1'000U);
  // From threads too: each gets its own answer.
  const BlockResult threads = run(*sandbox, R"(
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    sums = list(pool.map(lambda i: add(i, 1), range(200)))
sums == list(range(1, 201)))");
  EXPECT_EQ(threads.value, "True") << (threads.error ? threads.error->traceback : "");
  EXPECT_EQ(threads.tool_calls, 200U);
}

TEST_F(SandboxToolsTest, ReplacesAToolByOneOfTheSameName) {
  auto sandbox = start_with(search());
  run(*sandbox, "old = search\nsearch('a')");
  Function other;
  other.name = "search";
  other.parameters = {{"text", "str", {}, true}};
  other.handler = [](const JsonValue& arguments, const OpContext&) -> Result<FunctionValue> {
    return FunctionValue{JsonValue("other " + *arguments.find("text")->if_string()), {}};
  };
  ASSERT_TRUE(sandbox->register_tool(other).has_value());
  EXPECT_EQ(run(*sandbox, "search(text='b')").value, "'other b'");
  // Deleted or overwritten by a block, it is there again when it is registered anew.
  run(*sandbox, "del search");
  EXPECT_EQ(run(*sandbox, "search('c')").end, BlockEnd::Raised);
}

TEST_F(SandboxToolsTest, RefusesFunctionsThatPythonWouldNotTake) {
  auto sandbox = start();
  for (const std::string name : {"", "1a", "a b", "def", "_private", "a-b", "é", "x\n", "a.b"}) {
    Function function = echo();
    function.name = name;
    const auto registered = sandbox->register_tool(function);
    ASSERT_FALSE(registered.has_value()) << name;
    EXPECT_EQ(registered.error().code, ErrorCode::InvalidInput);
  }
  Function hostile = echo();
  hostile.returns = "__import__('os').abort()";
  EXPECT_FALSE(sandbox->register_tool(hostile).has_value());
  hostile = echo();
  hostile.doc = "\"\"\"\nimport os; os.abort()\n\\";
  ASSERT_TRUE(sandbox->register_tool(hostile).has_value());
  EXPECT_EQ(run(*sandbox, "echo.__doc__").value, R"('"""\nimport os; os.abort()\n\\')");
}

TEST_F(SandboxToolsTest, ShowsHandlesAsDictsWithRows) {
  Function find;
  find.name = "find";
  find.returns = "dict";
  find.handler = [](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
    return FunctionValue{
        {},
        HandleValue{"results_0", "Ref('results_0', 3 rows)", object(R"({"rows":3,"kind":"r"})")}};
  };
  auto sandbox = start_with(find);
  std::vector<std::string> asked;
  sandbox->set_rows_reader([&](const std::string& key, std::uint64_t offset, std::uint64_t limit,
                               const OpContext&) -> Result<JsonValue> {
    asked.push_back(fmt::format("{} {} {}", key, offset, limit));
    if (offset > 2) return Error{ErrorCode::InvalidInput, "beyond its end"};
    return object(R"([{"n":1},{"n":2}])");
  });
  ASSERT_TRUE(sandbox->register_tool(echo()).has_value());
  EXPECT_EQ(run(*sandbox, "h = find()\nh").value, "Ref('results_0', 3 rows)");
  EXPECT_EQ(run(*sandbox, "str(h), h.key, h['kind'], isinstance(h, dict), len(h)").value,
            "(\"Ref('results_0', 3 rows)\", 'results_0', 'r', True, 2)");
  EXPECT_EQ(run(*sandbox, "h.rows(1, 2)").value, "[{'n': 1}, {'n': 2}]");
  EXPECT_EQ(run(*sandbox, "h.rows(offset=0, limit=5)[0]['n']").value, "1");
  EXPECT_THAT(asked, ElementsAre("results_0 1 2", "results_0 0 5"));
  const BlockResult beyond = run(*sandbox, "h.rows(7, 1)");
  ASSERT_TRUE(beyond.error);
  EXPECT_EQ(beyond.error->type, "ToolError");
  for (const std::string_view bad : {"h.rows(-1, 2)", "h.rows('a', 2)", "h.rows(0, 2**70)"}) {
    EXPECT_EQ(run(*sandbox, bad).end, BlockEnd::Raised) << bad;
  }
  EXPECT_EQ(run(*sandbox, "echo(h), echo([h])").value, "('results_0', ['results_0'])");
}

TEST_F(SandboxToolsTest, TellsEventsOfCalls) {
  std::vector<std::string> seen;
  SandboxOptions options;
  options.on_event = [&](const Event& event) {
    seen.push_back(fmt::format("{} {} {}{}", name_of(event.kind), event.name, event.text,
                               event.is_error ? " !" : ""));
  };
  auto sandbox = start(options);
  ASSERT_TRUE(sandbox->register_tool(echo()).has_value());
  ASSERT_TRUE(sandbox->register_tool(failing({ErrorCode::Denied, "not you"})).has_value());
  seen.clear();
  run(*sandbox, "_ = echo([1])\nfails()");
  ASSERT_EQ(seen.size(), 6U);
  EXPECT_EQ(seen[1], R"(tool_call echo {"value":[1]})");
  EXPECT_EQ(seen[2], "tool_result echo [1]");
  EXPECT_EQ(seen[3], "tool_call fails {}");
  EXPECT_THAT(seen[4], AllOf(HasSubstr("tool_result fails"), HasSubstr("not you"), HasSubstr("!")));
}

TEST_F(SandboxToolsTest, AsksAModelWithinItsBudget) {
  SandboxOptions options;
  options.limits.model_calls_max = 5;
  auto sandbox = start(options);
  const BlockResult none = run(*sandbox, "llm_query('hello')");
  EXPECT_EQ(none.end, BlockEnd::Raised);
  ASSERT_TRUE(none.error);
  EXPECT_EQ(none.error->type, "ToolError");

  std::vector<std::string> asked;
  sandbox->set_model([&](const std::vector<std::string>& prompts,
                         const OpContext&) -> Result<std::vector<std::string>> {
    std::vector<std::string> answers;
    for (const std::string& prompt : prompts) {
      asked.push_back(prompt);
      answers.push_back("re: " + prompt);
    }
    return answers;
  });
  const BlockResult one = run(*sandbox, "llm_query('é?')");
  EXPECT_EQ(one.value, "'re: é?'");
  EXPECT_EQ(one.model_calls, 1U);
  const BlockResult many = run(*sandbox, "llm_query_batched(['a', 'b', 'c'])");
  EXPECT_EQ(many.value, "['re: a', 're: b', 're: c']");
  EXPECT_EQ(many.model_calls, 3U);
  EXPECT_EQ(run(*sandbox, "llm_query_batched([])").value, "[]");
  // Four are used: two more do not fit, one does.
  EXPECT_EQ(run(*sandbox, "llm_query_batched(['d', 'e'])").end, BlockEnd::Raised);
  EXPECT_EQ(run(*sandbox, "llm_query('f')").value, "'re: f'");
  const BlockResult over = run(*sandbox, "llm_query('g')");
  ASSERT_TRUE(over.error);
  EXPECT_THAT(over.error->message, HasSubstr("5"));
  EXPECT_THAT(asked, ElementsAre("é?", "a", "b", "c", "f"));
  for (const std::string_view bad :
       {"llm_query(1)", "llm_query()", "llm_query_batched('abc')", "llm_query_batched([1])"}) {
    EXPECT_EQ(run(*sandbox, bad).end, BlockEnd::Raised) << bad;
  }
  EXPECT_EQ(asked.size(), 5U);
}

TEST_F(SandboxToolsTest, RefusesCallsBeyondTheLimitOfTheSession) {
  SandboxOptions options;
  options.limits.tool_calls_max = 3;
  auto sandbox = start(options);
  int calls = 0;
  Function count;
  count.name = "count";
  count.handler = [&](const JsonValue&, const OpContext&) -> Result<FunctionValue> {
    return FunctionValue{JsonValue(++calls), {}};
  };
  ASSERT_TRUE(sandbox->register_tool(count).has_value());
  EXPECT_EQ(run(*sandbox, "count(), count()").value, "(1, 2)");
  const BlockResult over = run(*sandbox, "print(count())\ncount()");
  EXPECT_EQ(over.end, BlockEnd::Raised);
  EXPECT_EQ(over.output, "3\n");
  ASSERT_TRUE(over.error);
  EXPECT_EQ(over.error->type, "ToolError");
  EXPECT_EQ(calls, 3);
  expect_works(*sandbox);
}

// A handler that takes long is told when the block is over.
TEST_F(SandboxToolsTest, EndsCallsWithTheirBlock) {
  SandboxOptions options;
  options.limits.block_time = std::chrono::milliseconds(300);
  auto sandbox = start(options);
  bool was_told = false;
  Function slow;
  slow.name = "slow";
  slow.handler = [&](const JsonValue&, const OpContext& context) -> Result<FunctionValue> {
    while (context.check().has_value()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    was_told = true;
    return context.check().error();
  };
  ASSERT_TRUE(sandbox->register_tool(slow).has_value());
  const BlockResult result = run(*sandbox, "print('on')\nslow()");
  EXPECT_TRUE(was_told);
  EXPECT_EQ(result.output, "on\n");
  EXPECT_TRUE(result.end == BlockEnd::Interrupted || result.end == BlockEnd::Raised);
  expect_works(*sandbox);
}

}  // namespace
}  // namespace helve::sandbox
