// Variables into the session and out of it, exact, and as a prompt sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/sandbox/sandbox.h"
#include "base/json.h"
#include "tests/support/sandbox_testing.h"

namespace helve::sandbox {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SandboxVariablesTest : public SandboxTest {
 protected:
  // Sets a variable, reads it back.
  static std::string back(Sandbox& sandbox, const std::string& json) {
    run(sandbox, "", {{"v", json, {}}});
    auto text = sandbox.variable("v");
    return text ? *text : text.error().to_string();
  }
};

TEST_F(SandboxVariablesTest, AreExactThereAndBack) {
  auto sandbox = start();
  for (const std::string json :
       {"null", "true", "0", "-1", "9223372036854775807", "18446744073709551615",
        "123456789012345678901234567890", "-123456789012345678901234567890", "0.1", "1e+300",
        "5e-324", "\"\"", "\"é漢🎉\"", R"("a\u0000b\n\"\\")", "[]", "{}", "[[],{},\"\"]",
        R"({"é":{"b":[1,2.5,null,false]}})"}) {
    const auto sent = parse_json(json);
    const auto got = parse_json(back(*sandbox, json));
    ASSERT_TRUE(got.has_value()) << json;
    EXPECT_EQ(*sent, *got) << json;
  }
}

TEST_F(SandboxVariablesTest, CarryTenMegabytes) {
  auto sandbox = start();
  std::string text = "\"";
  while (text.size() < 10'000'000) text += "é and 漢字, ";
  text += "\"";
  const auto got_text = parse_json(back(*sandbox, text));
  ASSERT_TRUE(got_text.has_value()) << got_text.error().to_string();
  EXPECT_TRUE(*got_text == *parse_json(text));
  std::string nested = "[";
  for (int i = 0; nested.size() < 10'000'000; ++i) {
    nested += (i > 0 ? "," : "") + std::string(R"({"id":)") + std::to_string(i) +
              R"(,"tags":["a","b"],"score":0.25,"at":{"x":null}})";
  }
  nested += "]";
  Limits limits;
  limits.json_values_max = 100'000'000;
  const auto got = parse_json(back(*sandbox, nested), limits);
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_TRUE(*got == *parse_json(nested, limits));
  EXPECT_EQ(run(*sandbox, "type(v).__name__, v[1]['id']").value, "('list', 1)");
}

TEST_F(SandboxVariablesTest, AreWhatTheCodeMadeOfThem) {
  auto sandbox = start();
  run(*sandbox, "v.append(4)\nw = {'k': tuple(v)}", {{"v", "[1,2,3]", {}}});
  EXPECT_EQ(sandbox->variable("v").value_or("none"), "[1, 2, 3, 4]");
  EXPECT_EQ(sandbox->variable("w").value_or("none"), R"({"k": [1, 2, 3, 4]})");
}

TEST_F(SandboxVariablesTest, AreRefusedWhereTheyAreNoJson) {
  auto sandbox = start();
  for (const std::string bad : {"", "{", "[1,]", "nan", "NaN", "'x'", "1 2", "\"\xff\"",
                                "undefined", "__import__('os').abort()"}) {
    const auto result = sandbox->execute("ran = True", {{"v", bad, {}}});
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().code, ErrorCode::InvalidInput) << bad;
  }
  for (const std::string name : {"", "1a", "a b", "def", "x;import os", "a.b"}) {
    const auto result = sandbox->execute("ran = True", {{name, "1", {}}});
    ASSERT_FALSE(result.has_value()) << name;
    EXPECT_EQ(result.error().code, ErrorCode::InvalidInput) << name;
  }
  EXPECT_EQ(sandbox->variable("ran").error().code, ErrorCode::NotFound);
  expect_works(*sandbox);
}

TEST_F(SandboxVariablesTest, SayWhyTheyCannotBeRead) {
  SandboxOptions options;
  options.limits.message_bytes_max = kMiB;
  auto sandbox = start(options);
  run(*sandbox, R"(
f = lambda: 1
nan = float('nan')
cyclic = []; cyclic.append(cyclic)
deep = []
for i in range(100_000): deep = [deep]
big = 'x' * 2_000_000
keys = {(1, 2): 3})");
  EXPECT_EQ(sandbox->variable("missing").error().code, ErrorCode::NotFound);
  EXPECT_EQ(sandbox->variable("__builtins__").has_value(), false);
  for (const std::string name : {"f", "nan", "cyclic", "deep", "keys"}) {
    const auto text = sandbox->variable(name);
    ASSERT_FALSE(text.has_value()) << name << ": " << text->substr(0, 100);
    EXPECT_EQ(text.error().code, ErrorCode::InvalidInput) << name;
  }
  EXPECT_EQ(sandbox->variable("big").error().code, ErrorCode::LimitExceeded);
  expect_works(*sandbox);
}

TEST_F(SandboxVariablesTest, AreShownAsAPromptSeesThem) {
  auto sandbox = start();
  run(*sandbox, R"(
import math
count = 3
text = 'a' * 400 + 'b' * 5000 + 'c' * 400
items = [1, 2, 3]
def helper(): pass
_private = 1)",
      {{"given", R"({"k":1})", {}}});
  const auto views = sandbox->variables();
  ASSERT_TRUE(views.has_value());
  std::vector<std::string> names;
  for (const VariableView& view : *views) names.push_back(view.name + ":" + view.type);
  EXPECT_THAT(names, ::testing::IsSupersetOf({std::string("given:dict"), std::string("count:int"),
                                              std::string("text:str"), std::string("items:list")}));
  EXPECT_EQ(views->front().name, "given");  // in the order of definition
  const auto view_of = [&](std::string_view name) {
    for (const VariableView& view : *views) {
      if (view.name == name) return view;
    }
    return VariableView{};
  };
  EXPECT_EQ(view_of("items").length, 3U);
  EXPECT_EQ(view_of("items").preview, "[1, 2, 3]");
  EXPECT_EQ(view_of("text").length, 5'800U);
  EXPECT_THAT(view_of("text").preview, AllOf(StartsWith("'aaaa"), EndsWith("cccc'")));
  EXPECT_LE(view_of("text").preview.size(), 1'100U);
  EXPECT_FALSE(view_of("count").length);
  EXPECT_EQ(view_of("SUBMIT").name, "");  // what the session came with is no variable of it
  EXPECT_EQ(view_of("llm_query").name, "");
}

TEST_F(SandboxVariablesTest, AreAtMostTwoHundred) {
  auto sandbox = start();
  run(*sandbox, "for i in range(1000): globals()[f'x{i}'] = i");
  const auto views = sandbox->variables();
  ASSERT_TRUE(views.has_value());
  EXPECT_EQ(views->size(), 200U);
}

TEST_F(SandboxVariablesTest, AreShownWhateverTheyDo) {
  SandboxOptions options;
  options.limits.block_time = std::chrono::milliseconds(500);
  auto sandbox = start(options);
  run(*sandbox, R"(
class Hostile:
    def __repr__(self): raise ValueError('no repr')
    def __len__(self): return -5
    @property
    def __class__(self): raise ValueError('no class')
class Odd:
    def __repr__(self): return 7
    def __len__(self): return 10**30
class Long:
    def __repr__(self): return 'x' * 100_000_000
a = Hostile(); b = Odd(); c = Long(); fine = 1
globals()['not a name'] = 1; globals()[7] = 1; globals()['é'] = 2; globals()['x' * 100_000] = 3; globals()[chr(0xd800)] = 4)");
  const auto views = sandbox->variables();
  ASSERT_TRUE(views.has_value()) << views.error().to_string();
  bool has_fine = false;
  for (const VariableView& view : *views) {
    has_fine = has_fine || view.name == "fine";
    EXPECT_LE(view.preview.size(), 5'000U) << view.name.substr(0, 100);
    EXPECT_LE(view.name.size(), 1'000U);
  }
  EXPECT_TRUE(has_fine);
  expect_works(*sandbox);
}

// One whose repr never ends costs the session at most.
TEST_F(SandboxVariablesTest, CannotHoldUpWhoLooks) {
  SandboxOptions options;
  options.limits.block_time = std::chrono::milliseconds(300);
  auto sandbox = start(options);
  run(*sandbox, "class Slow:\n  def __repr__(self):\n    while True: pass\ns = Slow()");
  const auto views = sandbox->variables();
  if (sandbox->is_alive()) {
    expect_works(*sandbox);
  } else {
    EXPECT_FALSE(views.has_value());
  }
  auto other = start(options);
  EXPECT_EQ(run(*other, "class Slow:\n  def __repr__(self):\n    while True: pass\nSlow()").end,
            BlockEnd::Interrupted);
}

TEST_F(SandboxVariablesTest, MayBeHandles) {
  auto sandbox = start();
  sandbox->set_rows_reader([](const std::string& key, std::uint64_t, std::uint64_t,
                              const OpContext&) -> Result<JsonValue> {
    return JsonValue(JsonValue::Array{JsonValue(key)});
  });
  const HandleValue handle{"context_0", "Ref('context_0')", {}};
  EXPECT_EQ(
      run(*sandbox, "context.key, dict(context), context.rows(0, 1)", {{"context", "", handle}})
          .value,
      "('context_0', {}, ['context_0'])");
  EXPECT_EQ(run(*sandbox, "context").value, "Ref('context_0')");
}

}  // namespace
}  // namespace helve::sandbox
