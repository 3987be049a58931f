#include "surfaces/cli/shell_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ShellInput : public ::testing::Test {
 protected:
  // What the lines end, and what is left at the end.
  std::vector<Statement> add(std::initializer_list<std::string_view> lines) {
    std::vector<Statement> ended;
    for (const std::string_view line : lines) {
      for (Statement& statement : statements_.add(line)) ended.push_back(std::move(statement));
    }
    return ended;
  }

  StatementAssembler statements_{sparql::ParseOptions{}};
};

TEST_F(ShellInput, AQueryOnOneLineIsWhole) {
  EXPECT_THAT(add({"SELECT * { ?s my:p ?o }"}), IsEmpty());
  EXPECT_TRUE(statements_.is_whole());
  EXPECT_EQ(statements_.take(), (Statement{"", "SELECT * { ?s my:p ?o }"}));
  EXPECT_TRUE(statements_.is_empty());
}

TEST_F(ShellInput, GoesOnOverLines) {
  EXPECT_THAT(add({"SELECT * {", "  ?s ?p ?o ;", "", "     ?q ?r .", "}"}), IsEmpty());
  EXPECT_TRUE(statements_.is_whole());
  EXPECT_EQ(statements_.take()->text, "SELECT * {\n  ?s ?p ?o ;\n\n     ?q ?r .\n}");
}

TEST_F(ShellInput, WhatFollowsAWholeQueryIsItsEndOrTheNext) {
  EXPECT_THAT(add({"SELECT * { ?s ?p ?o }", "LIMIT 3", "ASK {}", ".limit 5", "ASK { ?s ?p 1 };"}),
              ElementsAre(Statement{"", "SELECT * { ?s ?p ?o }\nLIMIT 3"}, Statement{"", "ASK {}"},
                          Statement{".limit", "5"}, Statement{"", "ASK { ?s ?p 1 }"}));
  EXPECT_TRUE(statements_.is_empty());
}

TEST_F(ShellInput, AnEmptyLineEnds) {
  EXPECT_THAT(add({"ASK {}", "", "", "SELECT *", ""}),
              ElementsAre(Statement{"", "ASK {}"}, Statement{"", "SELECT *"}));
  // Two where brackets are open.
  EXPECT_THAT(add({"SELECT * {", "", ""}), ElementsAre(Statement{"", "SELECT * {"}));
}

TEST_F(ShellInput, AMistakeThatNothingRemediesEnds) {
  EXPECT_THAT(add({"SELEC * { ?s ?p ?o }"}), ElementsAre(Statement{"", "SELEC * { ?s ?p ?o }"}));
  EXPECT_THAT(add({"hello"}), ElementsAre(Statement{"", "hello"}));
  EXPECT_THAT(add({"SELECT ?x"}), IsEmpty());
}

TEST_F(ShellInput, DeclarationsAreStatements) {
  EXPECT_THAT(add({"PREFIX my: <http://example.org/>", "SELECT * { ?s my:p ?o }"}),
              ElementsAre(Statement{"", "PREFIX my: <http://example.org/>"}));
  EXPECT_TRUE(statements_.is_whole());
}

TEST_F(ShellInput, Commands) {
  EXPECT_THAT(add({".help", "  .format  csv ", "# a comment", ""}),
              ElementsAre(Statement{".help", ""}, Statement{".format", "csv"}));
  // A dot that begins a line of a query is none.
  EXPECT_THAT(add({".explain SELECT * {", "?s ?p ?o", ". ?o ?q ?r }"}), IsEmpty());
  EXPECT_TRUE(statements_.is_whole());
  statements_.clear();
  EXPECT_THAT(add({".explain SELECT * {", "?s ?p ?o }", ""}),
              ElementsAre(Statement{".explain", "SELECT * {\n?s ?p ?o }"}));
  EXPECT_THAT(add({".explain"}), ElementsAre(Statement{".explain", ""}));
}

TEST_F(ShellInput, LongStringsGoOn) {
  EXPECT_THAT(add({"ASK { ?s ?p \"\"\"a", "} b", "\"\"\" }"}), IsEmpty());
  EXPECT_TRUE(statements_.is_whole());
}

TEST_F(ShellInput, BytesThatAreNoTextAreEndedForTheParserToRefuse) {
  EXPECT_EQ(add({"ASK { ?s ?p \"\xFF\" }"}).size(), 1U);
}

TEST_F(ShellInput, LongTextsTakeNoTimeLineByLine) {
  statements_.add("SELECT * { VALUES ?x {");
  for (int i = 0; i < 100'000; ++i) statements_.add("SELECT \"\"\"");
  EXPECT_FALSE(statements_.is_empty());
}

}  // namespace
}  // namespace helve::cli
