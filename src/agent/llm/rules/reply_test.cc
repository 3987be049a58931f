#include "agent/llm/rules/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::llm::rules {
namespace {

using ::testing::ElementsAre;

TEST(RulesReply, AHandleWithAPreview) {
  const ToolReply reply = read_reply(
      "2 rows, 2 columns\n<data 9b39c5>\npreview (x | n):\ni:o1 | \"a\"@en\ni:o2 | 5\n... 7 more "
      "(ended by rows)\nprefixes: i: <https://example.org/>\n</data 9b39c5>\nRef('results_1', "
      "'results', 9 items, 80 chars from guilds)\nguilds",
      false);
  EXPECT_EQ(reply.title, "2 rows, 2 columns");
  EXPECT_EQ(reply.handle, "results_1");
  EXPECT_EQ(reply.rows, 9U);
  ASSERT_NE(reply.result(), nullptr);
  EXPECT_EQ(reply.result()->rows.size(), 2U);
  EXPECT_EQ(reply.result()->cell(0, "n"), "\"a\"@en");
  EXPECT_EQ(reply.result()->cell(0, "m"), "");
  EXPECT_EQ(reply.result()->cell(7, "n"), "");
}

TEST(RulesReply, EverythingAtOnce) {
  const ToolReply reply = read_reply(
      "Ref('results_0', 'results', 2 items, 8 chars from guilds)\n<data 1>\nx\tn\ni:o1\thits (a): "
      "b\ni:o2\t7\n</data 1>",
      false);
  EXPECT_EQ(reply.handle, "results_0");
  ASSERT_NE(reply.result(), nullptr);
  EXPECT_THAT(reply.result()->columns, ElementsAre("x", "n"));
  EXPECT_EQ(reply.result()->cell(1, "n"), "7");
  EXPECT_EQ(reply.tables.size(), 1U) << "a cell is no table";
}

TEST(RulesReply, FieldsTablesAndNothing) {
  const ToolReply reply = read_reply(
      "no rows; see diagnosis in the data\n<data 2>\ndiagnosis: q:Gong is known: nothing is.\n"
      "preview (s): none\nresource: q:pitch · kind: datatype · range: xsd:decimal\n</data 2>",
      false);
  EXPECT_EQ(reply.field("diagnosis"), "q:Gong is known: nothing is.");
  EXPECT_EQ(reply.field("range"), "xsd:decimal");
  EXPECT_TRUE(reply.result()->rows.empty());
  EXPECT_EQ(read_reply("<data 3>\nyes\n</data 3>", false).title, "yes");
  // What is too much for the columns stays in the last.
  const ToolReply items =
      read_reply("1\n<data 4>\nitems (id | content):\na | b | c\n</data 4>", false);
  EXPECT_EQ(items.table("items")->cell(0, "content"), "b | c");
}

TEST(RulesReply, WhateverComesIsBounded) {
  std::string large = "<data 1>\nhits (uri | label):\n";
  for (int i = 0; i < 200'000; ++i) large += "a | b\n";
  EXPECT_LE(read_reply(large, false).table("hits")->rows.size(), 500U);
  std::string deep = "<data 1>\n";
  for (int i = 0; i < 10'000; ++i) deep += "a (b):\nkind: x\n";
  const ToolReply reply = read_reply(deep, false);
  EXPECT_LE(reply.tables.size(), 64U);
  for (const char* text : {"", "\n", "Ref('", "Ref('a', items", "<data ", "</data ", "a (b",
                           "):", "<data 1>\n (", "<data 1>\n:\n"}) {
    EXPECT_TRUE(read_reply(text, true).is_error);
  }
}

}  // namespace
}  // namespace helve::llm::rules
