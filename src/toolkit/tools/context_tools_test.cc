#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

constexpr std::string_view kTexts = R"(
@prefix ex: <http://example.org/> .
ex:a ex:text "one two three" .
ex:b ex:text "zwei Äpfel und zwei Birnen" .
)";

class ContextToolsTest : public ToolTest {
 protected:
  ContextToolsTest() : ToolTest(kTexts) {
    call("sparql_query", R"({"query": "SELECT ?s ?t { ?s ex:text ?t } ORDER BY ?s"})");
  }
};

TEST_F(ContextToolsTest, CellsHaveAddresses) {
  const JsonValue cell = call("ctx_slice", R"({"key": "results_0[1].t", "start": 5, "end": 10})");
  EXPECT_EQ(text(cell, "text"), "Äpfel");
  EXPECT_EQ(number(cell, "sz"), 26);
  EXPECT_TRUE(flag(cell, "has_more"));
  const JsonValue all = call("ctx_slice", R"({"key": "results_0[1].t", "end": -1})");
  EXPECT_EQ(text(all, "text"), "zwei Äpfel und zwei Birnen");
  call("ctx_slice", R"({"key": "results_0[2].t"})", false);
  call("ctx_slice", R"({"key": "results_0[0].u"})", false);
  call("ctx_slice", R"({"key": "results_0[-1].t"})", false);
}

TEST_F(ContextToolsTest, SpellsSteeringCharactersOutAndCountsThemAsOne) {
  const std::string trig = "<http://e/s> <http://e/p> \"ab\\u202Ecd\\u200B\\tef\" .";
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(trig, "steering")).has_value());
  const JsonValue made =
      call("sparql_query", R"({"source": "steering", "query": "SELECT ?o { ?s ?p ?o }"})");
  const std::string key = R"({"key": ")" + text(made, "key") + R"([0].o")";
  const JsonValue all = call("ctx_slice", key + "}");
  EXPECT_EQ(text(all, "text"), "ab\\u202Ecd\\u200B\tef");
  EXPECT_EQ(number(all, "sz"), 9);
  const JsonValue part = call("ctx_slice", key + R"(, "start": 2, "end": 4})");
  EXPECT_EQ(text(part, "text"), "\\u202Ec");
  EXPECT_EQ(number(part, "end"), 4);
  const JsonValue found = call("ctx_find", key + R"(, "text": "ef"})");
  EXPECT_EQ(number((*found.find("matches")->if_array())[0], "at"), 7);
}

TEST_F(ContextToolsTest, RowsAreTextToo) {
  const JsonValue peek = call("ctx_peek", R"({"key": "results_0", "n": 3})");
  EXPECT_EQ(text(peek, "text"), "s\tt");
  EXPECT_TRUE(flag(peek, "truncated"));
  EXPECT_EQ(number(call("ctx_stats", R"({"key": "results_0"})"), "lines"), 3);
}

TEST_F(ContextToolsTest, PartsAreTheWhole) {
  const std::string trig =
      "<http://e/s> <http://e/p> \"\"\"" + std::string(4'000, 'x') + "\\n\\\"äö\"\"\" .";
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(trig, "long")).has_value());
  const JsonValue made =
      call("sparql_query", R"({"source": "long", "query": "SELECT ?o { ?s ?p ?o }"})");
  const std::string address = text(made, "key") + "[0].o";
  std::string parts;
  std::int64_t start = 0;
  for (int i = 0; i < 50 && start >= 0; ++i) {
    const JsonValue part =
        call("ctx_slice", R"({"max_chars": 1500, "end": -1, "key": ")" + address +
                              R"(", "start": )" + std::to_string(start) + "}");
    parts += text(part, "text");
    start = flag(part, "has_more") ? number(part, "end") : -1;
  }
  EXPECT_EQ(parts, std::string(4'000, 'x') + "\n\"äö");
}

TEST_F(ContextToolsTest, FindsPlacesByCharacters) {
  const JsonValue found =
      call("ctx_find", R"({"key": "results_0[1].t", "text": "ZWEI", "limit": 1})");
  EXPECT_EQ(number(found, "total_available"), 2);
  EXPECT_TRUE(flag(found, "truncated"));
  ASSERT_EQ(size(found, "matches"), 1U);
  const JsonValue second = call("ctx_find", R"({"key": "results_0[1].t", "text": "und"})");
  EXPECT_EQ(number((*second.find("matches")->if_array())[0], "at"), 11);
}

TEST_F(ContextToolsTest, GraphsAreTextToo) {
  call("sparql_query", R"({"query": "CONSTRUCT { ?s ex:text ?t } WHERE { ?s ex:text ?t }"})");
  const JsonValue whole = call("ctx_slice", R"({"key": "graph_0", "end": -1})");
  EXPECT_NE(text(whole, "text").find("<http://example.org/a>"), std::string::npos);
}

}  // namespace
}  // namespace helve::toolkit
