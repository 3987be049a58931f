#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toolkit/tools/declare.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JsonValue json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : JsonValue();
}

Parameter of_type(std::string name, ParameterType type) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = type;
  return parameter;
}

// Like sparql_query, with a parameter of every type.
Tool query_tool() {
  Tool tool;
  tool.name = "ask";
  Parameter timeout = timeout_parameter(30, 300);
  tool.parameters = {text_parameter("query", "a SPARQL query"),
                     limit_parameter(100, 10'000, "rows shown"),
                     std::move(timeout),
                     flag_parameter("explain", false, "only the plan"),
                     choice_parameter("output_mode", {"sample", "schema", "count_all"}, "what"),
                     of_type("columns", ParameterType::Texts),
                     of_type("params", ParameterType::Object),
                     of_type("anything", ParameterType::Json)};
  tool.examples = {{"", arguments_of({{"query", JsonValue("ASK {}")}})}};
  return tool;
}

Tool slice_tool() {
  Tool tool;
  tool.name = "slice";
  Parameter offset = of_type("offset", ParameterType::Integer);
  offset.otherwise = JsonValue(0);
  tool.parameters = {handle_parameter("result", "rows"), std::move(offset),
                     limit_parameter(100, 1'000, "rows")};
  return tool;
}

BoundCall bound(const Tool& tool, std::string_view arguments) {
  auto call = bind_arguments(tool, json(arguments));
  EXPECT_TRUE(call) << arguments << ": " << (call ? "" : call.error().to_string());
  return call ? *call : BoundCall();
}

Error refused(const Tool& tool, std::string_view arguments) {
  auto call = bind_arguments(tool, json(arguments));
  EXPECT_FALSE(call) << arguments;
  return call ? Error(ErrorCode::Internal, "") : call.error();
}

TEST(Binding, TakesNamedPositionalAndBareArguments) {
  for (const char* given :
       {R"({"query":"ASK {}","limit":7})", R"(["ASK {}",7])", R"([{"query":"ASK {}","limit":7}])",
        R"("{\"query\":\"ASK {}\",\"limit\":7}")"}) {
    const BoundCall call = bound(query_tool(), given);
    EXPECT_EQ(call.arguments.text("query"), "ASK {}") << given;
    EXPECT_EQ(call.arguments.integer("limit"), 7) << given;
    EXPECT_TRUE(call.arguments.was_given("limit"));
    EXPECT_FALSE(call.arguments.was_given("timeout"));
  }
  const BoundCall bare = bound(query_tool(), R"("{ ?s ?p ?o }")");
  EXPECT_EQ(bare.arguments.text("query"), "{ ?s ?p ?o }");
  EXPECT_THAT(bare.warnings, IsEmpty());
}

TEST(Binding, FillsInDefaults) {
  const BoundCall call = bound(query_tool(), R"({"query":"ASK {}","limit":null})");
  EXPECT_EQ(call.arguments.integer("limit"), 100);
  EXPECT_EQ(call.arguments.seconds("timeout"), std::chrono::seconds(30));
  EXPECT_FALSE(call.arguments.boolean("explain"));
  EXPECT_EQ(call.arguments.text("output_mode"), "sample");
  EXPECT_FALSE(call.arguments.has("columns"));
  EXPECT_THAT(call.warnings, IsEmpty());
}

TEST(Binding, ReadsNumbersHoweverTheyAreWritten) {
  for (const char* given :
       {"10", "10.0", R"("10")", R"("10.0")", R"(" 10 ")", "[10]", "1e1", R"("1e1")", R"("+10")"}) {
    const BoundCall call =
        bound(query_tool(), R"({"query":"q","limit":)" + std::string(given) + "}");
    EXPECT_EQ(call.arguments.integer("limit"), 10) << given;
    EXPECT_THAT(call.warnings, IsEmpty()) << given;
  }
  EXPECT_EQ(bound(query_tool(), R"({"query":"q","limit":"1,000"})").arguments.integer("limit"),
            1'000);
}

TEST(Binding, ClampsWithAWarning) {
  const auto limit_of = [](const char* given, const char* says) {
    const BoundCall call =
        bound(query_tool(), R"({"query":"q","limit":)" + std::string(given) + "}");
    EXPECT_THAT(call.warnings, ElementsAre(HasSubstr(says))) << given;
    return call.arguments.integer("limit");
  };
  EXPECT_EQ(limit_of("0", "limit=0 is below 1; 1 is used"), 1);
  EXPECT_EQ(limit_of("-5", "below 1"), 1);
  EXPECT_EQ(limit_of("10001", "limit=10001 is above 10000; 10000 is used"), 10'000);
  EXPECT_EQ(limit_of("1e300", "above 10000"), 10'000);
  EXPECT_EQ(limit_of("-1e400", "below 1"), 1);
  EXPECT_EQ(limit_of("99999999999999999999999999", "above 10000"), 10'000);
  EXPECT_EQ(limit_of(R"("all")", "read as the most, 10000"), 10'000);
  EXPECT_EQ(limit_of("2.7", "no whole number; it was read as 2"), 2);
}

TEST(Binding, ReadsSecondsWithUnits) {
  using std::chrono::milliseconds;
  const auto timeout_of = [](std::string_view given) {
    return bound(query_tool(), fmt::format(R"({{"query":"q","timeout":{}}})", given))
        .arguments.seconds("timeout");
  };
  EXPECT_EQ(timeout_of("30"), milliseconds(30'000));
  EXPECT_EQ(timeout_of("0.5"), milliseconds(500));
  EXPECT_EQ(timeout_of(R"("30s")"), milliseconds(30'000));
  EXPECT_EQ(timeout_of(R"("500 ms")"), milliseconds(500));
  EXPECT_EQ(timeout_of(R"("2 min")"), milliseconds(120'000));
  const BoundCall call = bound(query_tool(), R"({"query":"q","timeout":30000})");
  EXPECT_EQ(call.arguments.seconds("timeout"), milliseconds(300'000));
  EXPECT_THAT(call.warnings, ElementsAre("timeout=30000 s is above 300 s; 300 s is used"));
  EXPECT_THAT(refused(query_tool(), R"({"query":"q","timeout":"soon"})").message,
              HasSubstr("timeout is a text: \"soon\"; expected a number of seconds"));
  EXPECT_FALSE(bind_arguments(query_tool(), json(R"({"query":"q","timeout":"nan"})")));
}

TEST(Binding, ReadsTruthInManyWords) {
  for (const char* given :
       {"true", "1", R"("true")", R"("True")", R"("yes")", R"("1")", "[true]"}) {
    EXPECT_TRUE(bound(query_tool(), fmt::format(R"({{"query":"q","explain":{}}})", given))
                    .arguments.boolean("explain"))
        << given;
  }
  EXPECT_THAT(refused(query_tool(), R"({"query":"q","explain":"perhaps"})").message,
              HasSubstr("expected true or false"));
}

TEST(Binding, ReadsChoicesInAnyCase) {
  EXPECT_EQ(bound(query_tool(), R"({"query":"q","mode":"Schema"})").arguments.text("output_mode"),
            "schema");
  EXPECT_EQ(
      bound(query_tool(), R"({"query":"q","output":"COUNT-ALL"})").arguments.text("output_mode"),
      "count_all");
  const Error error = refused(query_tool(), R"({"query":"q","output_mode":"shema"})");
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_EQ(error.message,
            "ask: output_mode is \"shema\", which is none of sample, schema, count_all; did you "
            "mean schema?");
}

TEST(Binding, ReadsHandlesHoweverTheyAreGiven) {
  for (const char* given :
       {R"("results_0")", R"("@results_0")", R"(["results_0"])", R"([["@results_0"]])",
        R"({"result":{"key":"results_0","dtype":"results","rows":3}})",
        R"({"key":"results_0","dtype":"results","rows":3})", R"({"ref":["results_0"]})",
        R"j({"handle":"Ref('results_0', 'results', 10 items, 2847 chars from UniProt)"})j",
        R"([{"key":"results_0","dtype":"results"}])"}) {
    const BoundCall call = bound(slice_tool(), given);
    EXPECT_EQ(call.arguments.text("result"), "results_0") << given;
    EXPECT_THAT(call.warnings, IsEmpty()) << given;
  }
  const BoundCall attribute = bound(slice_tool(), R"({"result":"results_0.rows"})");
  EXPECT_EQ(attribute.arguments.text("result"), "results_0");
  EXPECT_THAT(attribute.warnings,
              ElementsAre("result=results_0.rows was read as the whole of results_0"));
  EXPECT_EQ(bound(slice_tool(), R"({"result":"results_0[3].name"})").arguments.text("result"),
            "results_0[3].name");
  EXPECT_THAT(refused(slice_tool(), R"({"result":["a","b"]})").message,
              HasSubstr("result is a list: [2 items]; expected the key of one handle"));
  EXPECT_EQ(bound(slice_tool(), R"("results_0[3].abstract")").arguments.text("result"),
            "results_0[3].abstract");
}

TEST(Binding, RealNamesWinOverAliases) {
  const BoundCall call = bound(query_tool(), R"({"n":5,"query":"q","limit":7,"top":9})");
  EXPECT_EQ(call.arguments.integer("limit"), 7);
  EXPECT_THAT(call.warnings, ElementsAre("'n' was ignored: 'limit' is given and means the same",
                                         "'top' was ignored: 'limit' is given and means the same"));
  EXPECT_EQ(bound(query_tool(), R"({"sparql":"q","Max-Rows":5})").arguments.integer("limit"), 5);
}

TEST(Binding, TheContractsAliasesHoldForEveryTool) {
  Tool tool;
  tool.name = "bare";
  Parameter limit = of_type("limit", ParameterType::Integer);
  Parameter resource = of_type("resource", ParameterType::Text);
  Parameter sql = of_type("sql", ParameterType::Text);
  tool.parameters = {limit, resource, sql};
  const BoundCall call = bound(tool, R"({"k":3,"class_uri":"ex:C","query":"SELECT 1"})");
  EXPECT_EQ(call.arguments.integer("limit"), 3);
  EXPECT_EQ(call.arguments.text("resource"), "ex:C");
  EXPECT_EQ(call.arguments.text("sql"), "SELECT 1");
}

TEST(Binding, IgnoresTheUnknownWithAHint) {
  const BoundCall call = bound(query_tool(), R"({"query":"q","limt":5,"zzz":1})");
  EXPECT_EQ(call.arguments.integer("limit"), 100);
  EXPECT_THAT(call.warnings,
              ElementsAre("'limt' is no parameter of ask and was ignored; did you mean limit?",
                          HasSubstr("'zzz' is no parameter of ask and was ignored; it takes query, "
                                    "limit, timeout")));
  EXPECT_THAT(bound(slice_tool(), R"(["results_0",1,2,3,4])").warnings,
              ElementsAre("slice takes 3 positional arguments; the last 2 were ignored"));
}

TEST(Binding, ReadsEndAsOffsetAndLimit) {
  const BoundCall call = bound(slice_tool(), R"({"key":"results_0","start":10,"end":30})");
  EXPECT_EQ(call.arguments.integer("offset"), 10);
  EXPECT_EQ(call.arguments.integer("limit"), 20);
  EXPECT_THAT(call.warnings, ElementsAre("end=30 was read as limit=20 from offset=10 on"));
  EXPECT_EQ(bound(slice_tool(), R"({"key":"r","end":-1})").arguments.integer("limit"), 1'000);
  const BoundCall both = bound(slice_tool(), R"({"key":"r","end":30,"limit":5})");
  EXPECT_EQ(both.arguments.integer("limit"), 5);
  EXPECT_THAT(both.warnings, ElementsAre("'end' was ignored: 'limit' is given"));
  EXPECT_EQ(bound(slice_tool(), R"({"key":"r","start":30,"end":10})").arguments.integer("limit"),
            1);
}

TEST(Binding, ReadsALengthAsTheEnd) {
  Tool tool;
  tool.name = "part";
  Parameter start = of_type("start", ParameterType::Integer);
  Parameter end = of_type("end", ParameterType::Integer);
  end.min = -1;
  tool.parameters = {handle_parameter("key", "a text"), start, end};
  const BoundCall call = bound(tool, R"({"ref":"text_0","offset":"10","limit":20})");
  EXPECT_EQ(call.arguments.integer("start"), 10);
  EXPECT_EQ(call.arguments.integer("end"), 30);
  EXPECT_THAT(call.warnings, ElementsAre("limit=20 was read as end=30, for start=10"));
}

TEST(Binding, SaysWhatIsMissing) {
  const Error error = refused(query_tool(), R"({"qery":"ASK {}"})");
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_EQ(error.message,
            "ask needs query: a SPARQL query; 'qery' is no parameter of ask and was ignored; did "
            "you mean query?");
  EXPECT_THAT(error.hint, HasSubstr("it is called as ask(query, limit=100, timeout=30, "));
  EXPECT_THAT(refused(query_tool(), R"({"query":"  "})").message, HasSubstr("ask needs query"));
  EXPECT_THAT(refused(query_tool(), "null").message, HasSubstr("ask needs query"));
}

TEST(Binding, ReadsListsOfTexts) {
  const auto columns_of = [](std::string_view given) {
    return bound(query_tool(), fmt::format(R"({{"query":"q","columns":{}}})", given))
        .arguments.texts("columns");
  };
  EXPECT_THAT(columns_of(R"(["a","b"])"), ElementsAre("a", "b"));
  EXPECT_THAT(columns_of(R"("a, b")"), ElementsAre("a", "b"));
  EXPECT_THAT(columns_of(R"("[\"a\",\"b\"]")"), ElementsAre("a", "b"));
  EXPECT_THAT(columns_of(R"(["a",null,3])"), ElementsAre("a", "3"));
  EXPECT_FALSE(bound(query_tool(), R"({"query":"q","columns":[]})").arguments.has("columns"));
}

TEST(Binding, ReadsObjectsAlsoFromTheirText) {
  const JsonValue object = json(R"({"a":1})");
  EXPECT_EQ(bound(query_tool(), R"({"query":"q","params":{"a":1}})").arguments.object("params"),
            object);
  EXPECT_EQ(bound(query_tool(), R"({"query":"q","params":"{\"a\":1}"})").arguments.object("params"),
            object);
  EXPECT_FALSE(bind_arguments(query_tool(), json(R"({"query":"q","params":7})")));
  EXPECT_EQ(bound(query_tool(), R"({"query":"q","anything":7})").arguments.object("anything"),
            JsonValue(7));
}

TEST(Binding, TakesTheCommonParameters) {
  const BoundCall call =
      bound(query_tool(), R"({"query":"q","max":"500","output_format":"JSON","source":"sample"})");
  EXPECT_EQ(call.max_chars, 500U);
  EXPECT_EQ(call.output_format, "json");
  EXPECT_EQ(call.source, "sample");
  EXPECT_EQ(bound(query_tool(), R"({"query":"q","max_chars":1})").max_chars, kCharsMin);
  EXPECT_EQ(bound(query_tool(), R"({"query":"q","max_chars":1e9})").max_chars, 20'000U);
}

TEST(Binding, AToolsOwnParameterOfACommonNameIsItsOwn) {
  Tool tool;
  tool.name = "quote";
  tool.parameters = {of_type("max_chars", ParameterType::Integer)};
  const BoundCall call = bound(tool, R"({"max_chars":50})");
  EXPECT_EQ(call.arguments.integer("max_chars"), 50);
  EXPECT_FALSE(call.max_chars);
}

TEST(Binding, ReadsOtherKindsAsTextWithAWarning) {
  const BoundCall number = bound(query_tool(), R"({"query":42})");
  EXPECT_EQ(number.arguments.text("query"), "42");
  EXPECT_THAT(number.warnings, ElementsAre("query: 42 was read as a text"));
  const BoundCall binding = bound(query_tool(), R"({"query":{"type":"uri","value":"http://a"}})");
  EXPECT_EQ(binding.arguments.text("query"), "http://a");
  EXPECT_THAT(refused(query_tool(), R"({"query":["a","b"]})").message,
              HasSubstr("query is a list: [2 items]; expected a text"));
}

TEST(Binding, BoundsTheWorkOfHostileCalls) {
  JsonValue::Object members;
  for (int i = 0; i < 5'000; ++i) {
    members.push_back({std::string(100, 'x') + std::to_string(i), JsonValue(i)});
  }
  members.insert(members.begin(), {"query", JsonValue("q")});
  const auto call = bind_arguments(query_tool(), JsonValue(std::move(members)));
  ASSERT_TRUE(call);
  EXPECT_LT(call->warnings.size(), 30U);
  for (const std::string& warning : call->warnings) EXPECT_LT(warning.size(), 400U);
}

}  // namespace
}  // namespace helve::toolkit
