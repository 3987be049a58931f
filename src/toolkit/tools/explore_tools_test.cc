#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

class ExploreToolsTest : public ToolTest {};

TEST_F(ExploreToolsTest, OverviewCountsWhatIsInTheData) {
  const JsonValue reply = call("sparql_schema", "{}");
  EXPECT_EQ(text(reply, "name"), "planets");
  EXPECT_GE(number(reply, "class_count"), 5);
  EXPECT_GE(size(reply, "top_classes"), 2U);
  EXPECT_GE(size(reply, "namespaces"), 1U);
}

TEST_F(ExploreToolsTest, PatternsGiveRows) {
  const JsonValue reply =
      call("sparql_schema", R"({"output_mode": "patterns", "max_chars": 20000})");
  ASSERT_GE(size(reply, "patterns"), 3U);
  for (const JsonValue& pattern : *reply.find("patterns")->if_array()) {
    JsonValue::Object arguments;
    arguments.push_back({"query", *pattern.find("example")});
    const JsonValue rows = call("sparql_query", to_json(JsonValue(std::move(arguments))));
    EXPECT_GT(number(rows, "rows"), 0) << text(pattern, "example");
  }
}

TEST_F(ExploreToolsTest, PeekKnowsClassesPropertiesInstancesAndHandles) {
  const JsonValue sample = call("sparql_peek", R"({"resource": "ex:Planet"})");
  EXPECT_EQ(text(sample, "type"), "class");
  EXPECT_EQ(number(sample, "instance_count"), 3);
  EXPECT_EQ(size(sample, "sample_instances"), 3U);
  EXPECT_GE(size(sample, "common_properties"), 2U);
  const JsonValue schema =
      call("sparql_peek", R"({"resource": "ex:Moon", "output_mode": "schema"})");
  EXPECT_EQ(size(schema, "superclasses"), 1U);
  EXPECT_GE(size(schema, "properties"), 3U);
  EXPECT_GE(size(schema, "related_classes"), 1U);
  const JsonValue count = call("sparql_peek", R"({"resource": "ex:Moon", "output_mode": "count"})");
  EXPECT_EQ(number(count, "count"), 3);
  EXPECT_EQ(text(call("sparql_peek", R"({"resource": "ex:orbits"})"), "type"), "property");
  EXPECT_EQ(text(call("sparql_peek", R"({"resource": "ex:Mars"})"), "type"), "instance");
  call("sparql_query", R"({"query": "SELECT ?x { ?x a ex:Moon }"})");
  EXPECT_EQ(size(call("sparql_peek", R"({"result": "results_0"})"), "rows"), 3U);
  const JsonValue dead = call("sparql_peek", R"({"resource": "results_99"})", false);
  EXPECT_EQ(text(*dead.find("error"), "message"), "there is no handle 'results_99'");
  EXPECT_EQ(text(*dead.find("error"), "hint"), "live handles: results_0");
  // A key of somebody else is no name for which there could be near ones.
  const JsonValue foreign =
      call("sparql_peek", R"({"resource": "results_51ee151509b5784c290fdedd34f4e993"})", false);
  EXPECT_EQ(text(*foreign.find("error"), "hint"), "live handles: results_0");
}

TEST_F(ExploreToolsTest, DescribesInEachMode) {
  const JsonValue triples = call("sparql_describe", R"({"resource": "ex:Mars"})");
  EXPECT_EQ(text(triples, "label"), "Mars");
  EXPECT_EQ(number(triples, "total_triples"), 5);
  EXPECT_EQ(size(triples, "triples"), 2U);
  EXPECT_EQ(size(triples, "incoming_links"), 1U);
  EXPECT_FALSE(flag(triples, "truncated"));
  const JsonValue summary =
      call("sparql_describe", R"({"resource": "ex:Mars", "output_mode": "summary"})");
  EXPECT_EQ(size(summary, "property_summary"), 3U);
  const JsonValue cut =
      call("sparql_describe", R"({"resource": "ex:Mars", "limit": 1, "direction": "outgoing"})");
  EXPECT_TRUE(flag(cut, "truncated"));
  EXPECT_EQ(cut.find("incoming_links"), nullptr);
}

TEST_F(ExploreToolsTest, NamesAreReadForgivingly) {
  for (const char* name :
       {"ex:Mars", "<http://example.org/Mars>", "http://example.org/Mars", "Mars"}) {
    JsonValue::Object arguments;
    arguments.push_back({"resource", JsonValue(name)});
    const JsonValue reply = call("sparql_describe", to_json(JsonValue(std::move(arguments))));
    EXPECT_EQ(text(reply, "resource"), "ex:Mars") << name;
  }
  // What is something else is not guessed at.
  for (const char* other : {"_:b1", "results_0", "results_0[1].x"}) {
    JsonValue::Object arguments;
    arguments.push_back({"resource", JsonValue(other)});
    call("sparql_describe", to_json(JsonValue(std::move(arguments))), false);
  }
  call("sparql_sample", R"({"class": "ex:Mars"})", false);
  const JsonValue unknown = call("sparql_describe", R"({"resource": "ex:Marsh"})", false);
  EXPECT_EQ(text(*unknown.find("error"), "code"), "not_found");
  EXPECT_NE(to_json(unknown).find("ex:Mars"), std::string::npos);
}

TEST_F(ExploreToolsTest, MisspeltNamesAreNotGuessedAt) {
  const std::string trig = R"(
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:m1 rdfs:label "Europa" .
ex:m2 rdfs:label "Europa Clipper" ; ex:a 1, 2, 3, 4, 5, 6, 7, 8 .
)";
  ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(trig, "moons")).has_value());
  const JsonValue unknown =
      call("sparql_describe", R"({"resource": "Evropa", "source": "moons"})", false);
  const JsonValue* error = unknown.find("error");
  EXPECT_EQ(text(*error, "code"), "not_found");
  ASSERT_EQ(size(*error, "did_you_mean"), 2U);
  EXPECT_EQ(*(*error->find("did_you_mean")->if_array())[0].if_string(), "ex:m1 \"Europa\"");
  for (const char* name : {"europa", "EUROPA", "Clipper"}) {  // just so, or the only one
    const JsonValue read =
        call("sparql_describe", R"({"source": "moons", "resource": ")" + std::string(name) + "\"}");
    EXPECT_EQ(text(read, "resource"), name == std::string("Clipper") ? "ex:m2" : "ex:m1");
    EXPECT_EQ(size(read, "warnings"), 1U);
  }
}

TEST_F(ExploreToolsTest, FindsNames) {
  const JsonValue reply = call("sparql_find", R"({"pattern": "mars"})");
  ASSERT_GE(size(reply, "hits"), 1U);
  EXPECT_EQ(text((*reply.find("hits")->if_array())[0], "uri"), "ex:Mars");
  const std::string cut = this->reply("sparql_find", R"({"pattern": "planet", "limit": 1})").text;
  EXPECT_TRUE(cut.starts_with("1 of 2 named like") || cut.starts_with("1 named like")) << cut;
}

TEST_F(ExploreToolsTest, ShortFormsAndSamples) {
  EXPECT_GE(size(call("sparql_classes", "{}"), "classes"), 4U);
  EXPECT_GE(size(call("sparql_properties", R"({"limit": 3})"), "properties"), 3U);
  EXPECT_EQ(size(call("sparql_sample", R"({"class": "ex:Moon", "n": 2})"), "sample_instances"), 2U);
  EXPECT_EQ(text(call("endpoint_info", "{}"), "name"), "planets");
}

}  // namespace
}  // namespace helve::toolkit
