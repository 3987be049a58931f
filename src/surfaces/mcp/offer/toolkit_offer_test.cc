#include "surfaces/mcp/offer/toolkit_offer.h"

#include <algorithm>
#include <cmath>

#include "surfaces/mcp/offer/offer_testing.h"
#include "toolkit/tools/tool_words.h"

namespace helve::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ToolkitOfferTest : public OfferTest {
 protected:
  std::vector<std::string> complete(bool is_prompt, std::string name, std::string argument,
                                    std::string value) {
    const auto found = offer_->complete(
        {is_prompt, std::move(name), std::move(argument), std::move(value), {}}, turn_);
    EXPECT_TRUE(found.has_value());
    return found ? found->values : std::vector<std::string>();
  }
};

TEST_F(ToolkitOfferTest, CallsATool) {
  const JsonValue result = call("sparql_query", R"({"query":"SELECT ?x { ?x a ex:Moon }"})");
  EXPECT_FALSE(*result.find("isError")->if_bool());
  const auto& content = *result.find("content")->if_array();
  ASSERT_EQ(content.size(), 1U);
  EXPECT_EQ(text_of(content[0], "type"), "text");
  EXPECT_THAT(text_of(content[0], "text"), HasSubstr("ex:Phobos"));
  EXPECT_THAT(text_of(content[0], "text"), StartsWith("3 rows, 1 column\n<data "));
  EXPECT_EQ(result.find("structuredContent")->find("rows")->to_int64(), 3);
  ASSERT_THAT(turn_.logged, SizeIs(1));
  EXPECT_THAT(
      turn_.logged[0],
      StartsWith(R"(debug tools {"tool":"sparql_query","source":"planets","rows":3,"ms":)"));
}

TEST_F(ToolkitOfferTest, FailedCallsAreRepliesThatRepair) {
  const JsonValue result = call("sparql_query", R"({"query":"SELECT nonsense"})");
  EXPECT_TRUE(*result.find("isError")->if_bool());
  EXPECT_EQ(text_of(*result.find("structuredContent")->find("error"), "code"), "invalid_input");
  EXPECT_THAT(text_of((*result.find("content")->if_array())[0], "text"), StartsWith("error"));
  EXPECT_TRUE(*call("sparql_query", "{}").find("isError")->if_bool());
  EXPECT_TRUE(*call("sparql_slice", R"({"result":"results_77"})").find("isError")->if_bool());
}

TEST_F(ToolkitOfferTest, EveryToolIsCalledByItsNameWhetherListedOrNot) {
  EXPECT_FALSE(*call("sparql_count", R"({"query":"ex:Planet"})").find("isError")->if_bool());
  EXPECT_FALSE(*call("SPARQL-Count", R"({"query":"ex:Planet"})").find("isError")->if_bool());
}

TEST_F(ToolkitOfferTest, UnknownToolsAreErrorsOfTheProtocol) {
  const RpcError error = error_of(offer_->call_tool("sparql_qery", JsonValue(), turn_));
  EXPECT_EQ(error.code, code::kInvalidParams);
  EXPECT_THAT(error.message, HasSubstr("did you mean sparql_query"));
  EXPECT_EQ(error_of(offer_->call_tool("test_simple_text", JsonValue(), turn_)).code,
            code::kInvalidParams);
  EXPECT_LT(
      error_of(offer_->call_tool(std::string(100'000, '"'), JsonValue(), turn_)).message.size(),
      1'000U);
  // Another offer may have one with a name like ours.
  make_offer({Toolset::Standard, false});
  EXPECT_FALSE(offer_->call_tool("sparql_querry", JsonValue(), turn_));
}

TEST_F(ToolkitOfferTest, PoliciesHold) {
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  turn_.set_policy(policy);
  const JsonValue result = call("sparql_schema", "{}");
  EXPECT_TRUE(*result.find("isError")->if_bool());
  EXPECT_EQ(text_of(*result.find("structuredContent")->find("error"), "code"), "denied");
}

TEST_F(ToolkitOfferTest, CompletesNames) {
  EXPECT_THAT(complete(true, "explore-this-graph", "source", ""),
              ElementsAre("planets", "Other-planes"));
  EXPECT_THAT(complete(false, "helve://schema/{source}", "source", "PLAN"),
              ElementsAre("planets", "Other-planes"));
  EXPECT_THAT(complete(false, "helve://context/{source}", "source", "PLAN"),
              ElementsAre("planets", "Other-planes"));
  EXPECT_THAT(complete(false, "helve://schema/{source}", "source", "o"),
              ElementsAre("Other-planes"));
  EXPECT_THAT(complete(false, "helve://skills/{name}", "name", "sparql"),
              ElementsAre("write-sparql"));
  EXPECT_THAT(complete(true, "follow-a-skill", "skill", "tune"), ElementsAre("tune-a-query"));
  EXPECT_THAT(complete(false, "helve://fragments/{name}", "name", "jena"), ElementsAre("jena"));
  EXPECT_THAT(complete(true, "explore-this-graph", "source", "x"), IsEmpty());
  EXPECT_THAT(complete(true, "explore-this-graph", "goal", ""), IsEmpty());
  EXPECT_FALSE(offer_->complete({true, "no-such", "source", "", {}}, turn_));
  EXPECT_FALSE(offer_->complete({false, "helve://no/{source}", "source", "", {}}, turn_));
}

TEST_F(ToolkitOfferTest, CompletesKeysOfTheCallerAlone) {
  call("sparql_query", R"({"query":"SELECT ?x { ?x a ex:Moon }"})");
  call("sparql_query", R"({"query":"SELECT ?x { ?x a ex:Planet }"})");
  const std::string results = "helve://results/{key}{?offset,limit}";
  EXPECT_THAT(complete(false, results, "key", "RES"), ElementsAre("results_1", "results_0"));
  EXPECT_THAT(complete(false, results, "key", "_0"), ElementsAre("results_0"));
  EXPECT_THAT(complete(false, results, "offset", ""), IsEmpty());
  EXPECT_THAT(complete(false, "helve://results/{key}", "key", "_0"), ElementsAre("results_0"));
  turn_.set_caller({"somebody else", "1", std::make_shared<const toolkit::Policy>()});
  EXPECT_THAT(complete(false, results, "key", ""), IsEmpty());
}

TEST(Instructions, AreShortWhateverTheSources) {
  std::vector<SourceInfo> sources;
  for (int i = 0; i < 1'000; ++i) {
    for (const Toolset toolset : {Toolset::Minimal, Toolset::Standard, Toolset::All}) {
      const std::string text = server_instructions(sources, toolset, {});
      ASSERT_LT(text.size(), 2'000U);
      EXPECT_THAT(text, HasSubstr("sparql_schema"));
      EXPECT_THAT(text, HasSubstr("<data ID>"));
    }
    SourceInfo info;
    info.name = std::string(64, static_cast<char>('a' + i % 26));
    sources.push_back(info);
  }
  EXPECT_THAT(server_instructions(sources, Toolset::Standard, {}),
              HasSubstr(" more (helve://sources)"));
  EXPECT_THAT(server_instructions({{"planets", "", "", "", "", {}, false}}, Toolset::Standard, {}),
              HasSubstr("Source: planets."));
}

TEST(Instructions, NameNoToolThatTheCallerMayNotCall) {
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query"};
  const std::string text = server_instructions({}, Toolset::Standard, policy);
  EXPECT_THAT(text, HasSubstr("sparql_query runs SPARQL"));
  for (const char* tool :
       {"sparql_schema", "sparql_find", "sparql_slice", "result_sql", "call_tool"}) {
    EXPECT_THAT(text, Not(HasSubstr(tool)));
  }
}

// Holds where a value is as a schema of ours says: anyOf, type, properties, required.
std::string fault_of(const JsonValue& schema, const JsonValue& value, const std::string& at) {
  if (const JsonValue* branches = schema.find("anyOf")) {
    std::string fault;
    for (const JsonValue& branch : *branches->if_array()) {
      fault = fault_of(branch, value, at);
      if (fault.empty()) return fault;
    }
    return fault;
  }
  if (const JsonValue* type = schema.find("type")) {
    const std::string& text = *type->if_string();
    const bool is_right =
        (text == "null" && value.is_null()) || (text == "string" && value.if_string()) ||
        (text == "boolean" && value.if_bool()) || (text == "array" && value.if_array()) ||
        (text == "object" && value.if_object()) || (text == "number" && value.is_number()) ||
        (text == "integer" && value.is_number() && value.to_double() &&
         std::floor(*value.to_double()) == *value.to_double());
    if (!is_right) return at + " is no " + to_json(*type) + ": " + to_json(value).substr(0, 80);
  }
  if (const JsonValue* required = schema.find("required")) {
    for (const JsonValue& name : *required->if_array()) {
      if (value.find(*name.if_string()) == nullptr) return at + " lacks " + *name.if_string();
    }
  }
  const JsonValue* properties = schema.find("properties");
  if (properties == nullptr || value.if_object() == nullptr) return {};
  for (const JsonMember& property : *properties->if_object()) {
    const JsonValue* member = value.find(property.key);
    if (member == nullptr) continue;
    if (auto fault = fault_of(property.value, *member, at + "." + property.key); !fault.empty()) {
      return fault;
    }
  }
  return {};
}

class StructuredContent : public OfferTest {
 protected:
  void SetUp() override {
    OfferTest::SetUp();
    make_offer({Toolset::All, {}});
    for (const JsonValue& entry : list(ListKind::Tools)) {
      schemas_.emplace_back(text_of(entry, "name"), *entry.find("outputSchema"));
    }
    call("sparql_query", R"({"query":"SELECT ?x ?l { ?x rdfs:label ?l }"})");
    call("sparql_query", R"({"query":"CONSTRUCT WHERE { ?x a ex:Moon ; ex:orbits ?y }"})");
  }

  void check(const std::string& tool, std::string_view arguments) {
    const JsonValue result = call(tool, arguments);
    ++calls_;
    answered_ += *result.find("isError")->if_bool() ? 0 : 1;
    for (const auto& [name, schema] : schemas_) {
      if (name != tool) continue;
      EXPECT_EQ(fault_of(schema, *result.find("structuredContent"), tool), "") << arguments;
    }
  }

  std::vector<std::pair<std::string, JsonValue>> schemas_;
  int calls_ = 0;
  int answered_ = 0;
};

TEST_F(StructuredContent, HoldsAgainstTheSchemaOfEveryTool) {
  for (const toolkit::Tool& tool : toolkit_->registry().tools()) {
    for (const toolkit::ToolExample& example : tool.examples) {
      check(tool.name, to_json(example.arguments));
      JsonValue::Object small = *example.arguments.if_object();
      small.push_back({"max_chars", JsonValue(200)});
      check(tool.name, to_json(JsonValue(small)));
      small.back().value = JsonValue("20000");
      check(tool.name, to_json(JsonValue(small)));
    }
    check(tool.name, "{}");
    check(tool.name, R"({"limit":-5,"nonsense":[1],"max_chars":"x"})");
    check(tool.name, R"({"source":"nowhere"})");
    check("call_tool", R"({"name":")" + tool.name + R"(","arguments":{"handle":"graph_0"}})");
  }
  EXPECT_GE(answered_, 80);
  RecordProperty("calls", calls_);
}

TEST_F(StructuredContent, HoldsInEveryMode) {
  for (const char* mode : {"overview", "classes", "properties", "patterns"}) {
    check("sparql_schema", std::string(R"({"output_mode":")") + mode + R"("})");
  }
  for (const char* what :
       {"ex:Planet", "ex:orbits", "ex:Earth", "ex:Body", "results_0", "graph_0"}) {
    for (const char* mode : {"sample", "schema", "count"}) {
      check("sparql_peek",
            std::string(R"({"resource":")") + what + R"(","output_mode":")" + mode + R"("})");
    }
    for (const char* mode : {"triples", "summary", "grouped"}) {
      const std::string more =
          std::string(R"("resource":")") + what + R"(","output_mode":")" + mode + R"("})";
      check("sparql_describe", "{" + more);
      check("g_describe", R"({"handle":"graph_0",)" + more);
    }
  }
  for (const char* query :
       {"ASK { ?x a ex:Moon }", "ASK { ?x a ex:Mon }", "SELECT ?x { ?x a ex:Planett }",
        "SELECT (COUNT(*) AS ?n) { ?x a ex:Sun }", "DESCRIBE ex:Earth",
        "CONSTRUCT { ?x a ex:Y } WHERE { ?x a ex:Z }", "SELECT * { ?s ?p ?o . ?a ?b ?c }"}) {
    for (const char* more : {"", R"(,"explain":true)", R"(,"limit":1)"}) {
      check("sparql_query", std::string(R"({"query":")") + query + "\"" + more + "}");
      check("g_query", std::string(R"({"handle":"graph_0","query":")") + query + "\"" + more + "}");
    }
  }
  check("sparql_slice", R"({"result":"results_0","limit":2})");
  check("sparql_slice", R"({"result":"results_0","offset":99})");
  check("g_sample", R"({"handle":"graph_0","resource":"ex:Moon"})");
  check("ctx_find", R"({"key":"results_0","text":"Earth"})");
  check("list_tools", R"({"verbose":true})");
}

}  // namespace
}  // namespace helve::mcp
