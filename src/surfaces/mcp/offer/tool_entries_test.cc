#include "surfaces/mcp/offer/tool_entries.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/utf8.h"
#include "surfaces/mcp/offer/offer_testing.h"
#include "tests/support/tables/fake_tables.h"

namespace helve::mcp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ToolEntriesTest : public OfferTest {};

TEST_F(ToolEntriesTest, TheUsualSetIsSmall) {
  EXPECT_THAT(names(ListKind::Tools),
              UnorderedElementsAre("sparql_query", "sparql_slice", "sparql_schema", "sparql_find",
                                   "sparql_peek", "sparql_describe", "result_sql", "call_tool"));
  std::size_t chars = 0;
  for (const JsonValue& entry : list(ListKind::Tools)) {
    const std::string description = text_of(entry, "description");
    EXPECT_LE(description.size(), 2'000U);
    chars += utf8_length(text_of(entry, "name")) + utf8_length(description) +
             utf8_length(to_json(*entry.find("inputSchema")));
  }
  EXPECT_LE(chars, 8'000U);
  RecordProperty("chars", static_cast<int>(chars));
}

TEST_F(ToolEntriesTest, BothFamiliesTogetherAreSmall) {
  const std::shared_ptr<const TableSource> shop = helve::testing::music_shop();
  ASSERT_TRUE(toolkit_->add_source(shop).has_value());
  EXPECT_THAT(names(ListKind::Tools), AllOf(SizeIs(10), Contains("schema_inspect"),
                                            Contains("query_execute"), Contains("sparql_query")));
  std::size_t chars = 0;
  for (const JsonValue& entry : list(ListKind::Tools)) {
    chars += utf8_length(text_of(entry, "name")) + utf8_length(text_of(entry, "description")) +
             utf8_length(to_json(*entry.find("inputSchema")));
  }
  EXPECT_LE(chars, 8'000U);
}

TEST_F(ToolEntriesTest, TheSmallestSetStillLeadsToEverything) {
  make_offer({Toolset::Minimal, {}});
  EXPECT_THAT(names(ListKind::Tools),
              UnorderedElementsAre("sparql_query", "sparql_slice", "sparql_schema", "sparql_find",
                                   "call_tool"));
  const JsonValue all = call("call_tool", R"({"arguments":{"max_chars":20000}})");
  for (const toolkit::Tool& tool : toolkit_->registry().tools()) {
    // What a policy does not allow is not told of.
    EXPECT_EQ(to_json(*all.find("structuredContent")).find(tool.name + "(") == std::string::npos,
              tool.is_writing)
        << tool.name;
  }
}

TEST_F(ToolEntriesTest, AllAreListedWhereAskedFor) {
  make_offer({Toolset::All, {}});
  const auto tools = toolkit_->registry().tools();
  const auto count = std::count_if(tools.begin(), tools.end(),
                                   [](const toolkit::Tool& tool) { return !tool.needs_tables; });
  EXPECT_EQ(list(ListKind::Tools).size(), static_cast<std::size_t>(count));  // no SQL database here
}

TEST_F(ToolEntriesTest, WhatThePolicyForbidsIsNotListed) {
  toolkit::Policy policy;
  policy.allowed_tools = {"sparql_query", "g_load"};
  turn_.set_policy(policy);
  EXPECT_THAT(names(ListKind::Tools), ElementsAre("sparql_query"));
}

TEST_F(ToolEntriesTest, ToolsThatWriteAreListedWhereThereIsRoom) {
  const std::shared_ptr<const TableSource> shop = helve::testing::music_shop();
  ASSERT_TRUE(toolkit_->add_source(shop).has_value());
  make_offer({Toolset::All, {}});
  EXPECT_THAT(names(ListKind::Tools), Not(Contains("data_modify")));
  toolkit::Policy policy;
  policy.read_only = false;
  turn_.set_policy(policy);
  EXPECT_THAT(names(ListKind::Tools), AllOf(Contains("data_modify"), Contains("transaction"),
                                            Not(Contains("ddl_execute"))));
  make_offer({Toolset::Standard, {}});
  EXPECT_THAT(names(ListKind::Tools), AllOf(SizeIs(10), Not(Contains("data_modify"))));
  policy.allowed_sources = {"shop"};
  turn_.set_policy(policy);
  EXPECT_THAT(names(ListKind::Tools), AllOf(Contains("data_modify"), Not(Contains("transaction"))));
  for (const JsonValue& entry : list(ListKind::Tools)) {
    const std::string name = text_of(entry, "name");
    EXPECT_EQ(*entry.find("annotations")->find("readOnlyHint")->if_bool(),
              name != "data_modify" && name != "call_tool")
        << name;
  }
}

// The type of a property of a schema, or those of its branches.
std::vector<std::string> types_of(const JsonValue& property) {
  const JsonValue* branches = property.find("anyOf");
  const JsonValue::Array whole = {property};
  std::vector<std::string> types;
  for (const JsonValue& branch : branches == nullptr ? whole : *branches->if_array()) {
    const JsonValue* type = branch.find("type");
    if (type != nullptr && type->if_string() != nullptr) types.push_back(*type->if_string());
  }
  return types;
}

TEST_F(ToolEntriesTest, EveryEntryIsWhole) {
  make_offer({Toolset::All, {}});
  for (const JsonValue& entry : list(ListKind::Tools)) {
    SCOPED_TRACE(text_of(entry, "name"));
    EXPECT_LE(text_of(entry, "name").size(), 64U);
    EXPECT_NE(text_of(entry, "title"), "");
    EXPECT_NE(text_of(entry, "description"), "");
    for (const char* key : {"inputSchema", "outputSchema"}) {
      const JsonValue* schema = entry.find(key);
      ASSERT_NE(schema, nullptr);
      EXPECT_EQ(text_of(*schema, "type"), "object");
      EXPECT_NE(schema->find("properties")->if_object(), nullptr);
      for (const char* combinator :
           {"anyOf", "oneOf", "allOf", "not", "$ref", "$schema", "additionalProperties"}) {
        EXPECT_EQ(schema->find(combinator), nullptr) << combinator;
      }
    }
    for (const JsonMember& property : *entry.find("inputSchema")->find("properties")->if_object()) {
      const auto types = types_of(property.value);
      ASSERT_FALSE(types.empty()) << property.key;
      EXPECT_NE(property.key, "output_format");
      EXPECT_NE(text_of(property.value, "description"), "") << property.key;
      EXPECT_THAT(types, Contains("string")) << property.key;
    }
    for (const char* hint :
         {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}) {
      const JsonValue* value = entry.find("annotations")->find(hint);
      ASSERT_NE(value, nullptr) << hint;
      EXPECT_NE(value->if_bool(), nullptr) << hint;
    }
  }
}

TEST_F(ToolEntriesTest, HintsTellWhatLeadsOutOfTheSources) {
  make_offer({Toolset::All, {}});
  for (const JsonValue& entry : list(ListKind::Tools)) {
    const std::string name = text_of(entry, "name");
    const JsonValue& hints = *entry.find("annotations");
    EXPECT_TRUE(*hints.find("readOnlyHint")->if_bool()) << name;
    EXPECT_FALSE(*hints.find("destructiveHint")->if_bool()) << name;
    const std::set<std::string> open = {"g_load",           "ont_load",     "federated_endpoints",
                                        "load_shacl_tasks", "service_desc", "call_tool"};
    EXPECT_EQ(*hints.find("openWorldHint")->if_bool(), open.contains(name)) << name;
  }
}

// A query may store its pattern in a memory bank that is open for writing.
TEST(MemoryHints, SayWhichToolsWriteTheBank) {
  const auto read_only_tools = [](toolkit::MemoryAccess memory, bool memory_writes) {
    const toolkit::Registry registry = toolkit::make_registry(nullptr, memory);
    toolkit::Policy policy;
    policy.memory_writes = memory_writes;
    ToolEntries entries(registry);
    std::set<std::string> names;
    for (const std::string& text :
         entries.list(Toolset::All, policy, kRevisions.front(), {.has_graphs = true})) {
      const JsonValue entry = *parse_json(text);
      const JsonValue& hints = *entry.find("annotations");
      EXPECT_FALSE(*hints.find("destructiveHint")->if_bool());
      if (*hints.find("readOnlyHint")->if_bool()) names.insert(*entry.find("name")->if_string());
    }
    return names;
  };
  const auto writable = read_only_tools(toolkit::MemoryAccess::Write, true);
  for (const char* tool : {"sparql_query", "mem_get", "mem_add", "mem_extract", "call_tool"}) {
    EXPECT_FALSE(writable.contains(tool)) << tool;
  }
  EXPECT_TRUE(writable.contains("sparql_find") && writable.contains("mem_search"));
  for (const auto& names : {read_only_tools(toolkit::MemoryAccess::Write, false),
                            read_only_tools(toolkit::MemoryAccess::Read, true)}) {
    EXPECT_TRUE(names.contains("sparql_query") && names.contains("mem_get"));
    EXPECT_FALSE(names.contains("mem_add"));
  }
}

TEST_F(ToolEntriesTest, TheFirstRevisionHasNoTitlesNorOutputSchemas) {
  turn_.set_revision(kRevisions.back());
  for (const JsonValue& entry : list(ListKind::Tools)) {
    EXPECT_EQ(entry.find("title"), nullptr);
    EXPECT_EQ(entry.find("outputSchema"), nullptr);
    EXPECT_NE(text_of(*entry.find("annotations"), "title"), "");
  }
  const JsonValue reply = call("sparql_schema", "{}");
  EXPECT_EQ(reply.find("structuredContent"), nullptr);
  EXPECT_NE(reply.find("content"), nullptr);
}

TEST(Toolsets, HaveNames) {
  for (const Toolset toolset : {Toolset::Minimal, Toolset::Standard, Toolset::All}) {
    EXPECT_EQ(find_toolset(name_of(toolset)), toolset);
  }
  EXPECT_FALSE(find_toolset("some"));
}

}  // namespace
}  // namespace helve::mcp
