#include "toolkit/tools/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/test_data.h"
#include "toolkit/tools/tool_docs.h"
#include "toolkit/tools/tool_words.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

TEST(Registry, FindsToolsByName) {
  const Registry registry = make_registry();
  EXPECT_EQ((*registry.find("sparql_query"))->name, "sparql_query");
  EXPECT_EQ((*registry.find("SPARQL-Query"))->name, "sparql_query");
  const auto missing = registry.find("sparql_qery");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_THAT(missing.error().hint, HasSubstr("did you mean sparql_query"));
  EXPECT_THAT(registry.find("zzzzzzzz").error().hint, HasSubstr("list_tools"));
  EXPECT_FALSE(registry.find(std::string(1'000'000, 'x')));
  EXPECT_LT(registry.find(std::string(1'000'000, 'x')).error().message.size(), 200U);
}

TEST(Registry, EveryToolIsDeclaredInFull) {
  const Registry registry = make_registry();
  for (const Tool& tool : registry.tools()) {
    EXPECT_FALSE(tool.purpose.empty()) << tool.name;
    EXPECT_FALSE(tool.title.empty()) << tool.name;
    EXPECT_FALSE(tool.examples.empty()) << tool.name;
    EXPECT_TRUE(tool.name == "call_tool" || !tool.returns.empty()) << tool.name;
    for (const Parameter& parameter : tool.parameters) {
      EXPECT_FALSE(parameter.doc.empty()) << tool.name << ' ' << parameter.name;
    }
  }
}

TEST(Registry, EveryExampleBindsWithoutAWarning) {
  const Registry registry = make_registry();
  for (const Tool& tool : registry.tools()) {
    for (const ToolExample& example : tool.examples) {
      const auto call = bind_arguments(tool, example.arguments);
      ASSERT_TRUE(call) << tool.name << ": " << call.error().to_string();
      EXPECT_THAT(call->warnings, ::testing::IsEmpty()) << tool.name;
    }
  }
}

// What the schema of a value allows, as far as our schemas go.
bool is_allowed(const JsonValue& schema, const JsonValue& value) {
  if (const JsonValue* choices = schema.find("enum")) {
    const auto& list = *choices->if_array();
    return std::find(list.begin(), list.end(), value) != list.end();
  }
  const JsonValue* type = schema.find("type");
  if (type == nullptr) return true;
  const std::string& name = *type->if_string();
  if (name == "string") return value.if_string() != nullptr;
  if (name == "boolean") return value.if_bool() != nullptr;
  if (name == "array") return value.if_array() != nullptr;
  if (name == "object") return value.if_object() != nullptr;
  if (name == "integer" && !value.to_int64()) return false;
  const auto number = value.to_double();
  const JsonValue* low = schema.find("minimum");
  const JsonValue* high = schema.find("maximum");
  return number && (low == nullptr || *number >= *low->to_double()) &&
         (high == nullptr || *number <= *high->to_double());
}

TEST(ToolSchema, AllowsDefaultsAndExamples) {
  const Registry registry = make_registry();
  for (const Tool& tool : registry.tools()) {
    const JsonValue schema = input_schema(tool);
    const JsonValue* properties = schema.find("properties");
    ASSERT_NE(properties, nullptr);
    for (const JsonMember& property : *properties->if_object()) {
      if (const JsonValue* standard = property.value.find("default")) {
        EXPECT_TRUE(is_allowed(property.value, *standard)) << tool.name << ' ' << property.key;
      }
    }
    for (const ToolExample& example : tool.examples) {
      ASSERT_NE(example.arguments.if_object(), nullptr) << tool.name;
      for (const JsonMember& member : *example.arguments.if_object()) {
        const JsonValue* property = properties->find(member.key);
        ASSERT_NE(property, nullptr) << tool.name << ' ' << member.key;
        EXPECT_TRUE(is_allowed(*property, member.value)) << tool.name << ' ' << member.key;
      }
      if (const JsonValue* required = schema.find("required")) {
        for (const JsonValue& name : *required->if_array()) {
          EXPECT_NE(example.arguments.find(*name.if_string()), nullptr) << tool.name;
        }
      }
    }
  }
}

TEST(ToolSchema, NamesTheKeysOfReplies) {
  const std::set<std::string> types = {"string", "integer", "number", "boolean", "array", "object"};
  const Registry registry = make_registry();
  for (const Tool& tool : registry.tools()) {
    const JsonValue schema = output_schema(tool);
    for (const char* key : {"source", "execution_time_ms", "warnings"}) {
      EXPECT_NE(schema.find("properties")->find(key), nullptr) << tool.name;
    }
    std::set<std::string> names = {"prefixes", "shown", "left_out", "error"};  // of all replies
    for (const ReturnKey& key : tool.returns) {
      EXPECT_TRUE(types.contains(key.type)) << tool.name << ' ' << key.name << ": " << key.type;
      EXPECT_TRUE(names.insert(key.name).second) << tool.name << " names " << key.name << " twice";
      EXPECT_NE(schema.find("properties")->find(key.name), nullptr) << tool.name;
    }
  }
}

TEST(ToolWords, TellOfParameters) {
  const Registry registry = make_registry();
  const Tool& slice = **registry.find("sparql_slice");
  EXPECT_EQ(signature_of(slice), "sparql_slice(result, offset=0, limit=100, columns?)");
  EXPECT_EQ(long_signature_of(slice),
            "sparql_slice(result: handle, offset: integer=0, limit: integer=100 (at most 1,000), "
            "columns: texts?)");
  EXPECT_EQ(first_sentence("One. Two."), "One.");
}

TEST(ToolDocs, AreWhatTheDeclarationsSay) {
  const std::string path = helve::testing::repository_path("docs/tools.md");
  const std::string made = tools_markdown(make_registry());
  if (const char* update = std::getenv("UPDATE_EXPECT"); update != nullptr && *update == '1') {
    std::ofstream(path) << made;
  }
  std::ostringstream written;
  written << std::ifstream(path).rdbuf();
  EXPECT_TRUE(written.str() == made) << "docs/tools.md is out of date: run this test with "
                                        "UPDATE_EXPECT=1";
}

}  // namespace
}  // namespace helve::toolkit
