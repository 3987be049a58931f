#include "surfaces/cli/shell_completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const CompletionNames kNames{
    {"ex", "foaf", "rdf"},
    {"foaf:Person", "foaf:Document", "<http://example.org/odd/Class>"},
    {"rdf:type", "foaf:name", "foaf:knows", "<http://example.org/odd/name>"}};

std::vector<std::string> words(std::string_view text) { return complete(text, kNames).words; }

TEST(ShellCompletion, PropertiesWhereAPredicateStands) {
  EXPECT_THAT(words("SELECT * { ?s foaf:"), ElementsAre("foaf:name", "foaf:knows"));
  EXPECT_THAT(words("SELECT * { ?s a foaf:Person ; foaf:k"), ElementsAre("foaf:knows"));
  EXPECT_THAT(words("SELECT * { ?s foaf:knows/foaf:n"), ElementsAre("foaf:name"));
  EXPECT_THAT(words("SELECT * { ?s <http://example.org/o"),
              ElementsAre("<http://example.org/odd/name>"));
  EXPECT_THAT(words("SELECT * { ?s kn"), ElementsAre("foaf:knows"));
  EXPECT_EQ(words("SELECT * { ?s ").front(), "rdf:type");
}

TEST(ShellCompletion, ClassesBehindTheirTypes) {
  EXPECT_THAT(words("SELECT * { ?s a foaf:"), ElementsAre("foaf:Person", "foaf:Document"));
  EXPECT_THAT(words("SELECT * { ?s rdf:type Doc"), ElementsAre("foaf:Document"));
  EXPECT_THAT(words("SELECT * { ?s a <"), ElementsAre("<http://example.org/odd/Class>"));
}

TEST(ShellCompletion, Prefixes) {
  EXPECT_THAT(words("SELECT * { ?s a fo"), ElementsAre("foaf:Person", "foaf:Document", "foaf:"));
  EXPECT_THAT(words("SELECT * { e"), ElementsAre("exists", "ex:"));
}

TEST(ShellCompletion, VariablesOfTheQuery) {
  EXPECT_THAT(words("SELECT ?name { ?person foaf:name ?n"), ElementsAre("?name"));
  EXPECT_THAT(words("SELECT ?name { ?person foaf:name ?name FILTER(?"),
              ElementsAre("?name", "?person"));
}

TEST(ShellCompletion, KeywordsInTheCaseThatIsTyped) {
  EXPECT_THAT(words("SEL"), ElementsAre("SELECT"));
  EXPECT_THAT(words("sel"), ElementsAre("select"));
  EXPECT_THAT(words("SELECT * { ?s ?p ?o . OPT"), ElementsAre("OPTIONAL"));
  EXPECT_THAT(words("SELECT * { ?s ?p ?o } ORD"), ElementsAre("ORDER BY"));
  EXPECT_THAT(words("SELECT * { ?s ?p ?o FILTER(STRL"), Contains("STRLEN"));
}

TEST(ShellCompletion, Commands) {
  EXPECT_THAT(words(".ex"), ElementsAre(".explain"));
  EXPECT_THAT(words(".explain SELECT * { ?s a foaf:P"), ElementsAre("foaf:Person"));
}

TEST(ShellCompletion, SaysWhereTheWordBegins) {
  EXPECT_EQ(complete("ASK { ?s foaf:na", kNames).begin, 9U);
  EXPECT_EQ(complete("ASK { ?s ", kNames).begin, 9U);
}

TEST(ShellCompletion, NothingInStringsAndBrokenText) {
  EXPECT_THAT(words("ASK { ?s ?p \"foaf:"), IsEmpty());
  EXPECT_THAT(words("ASK { ?s \xFF foaf:"), IsEmpty());
}

TEST(ShellCompletion, NothingThatWouldDriveATerminal) {
  const CompletionNames hostile{{}, {"<http://e/\x1b[2J>", "<http://e/ok>"}, {}};
  EXPECT_THAT(complete("ASK { ?s a <http", hostile).words, ElementsAre("<http://e/ok>"));
}

TEST(ShellCompletion, IsBounded) {
  CompletionNames many;
  for (int i = 0; i < 1'000; ++i) many.classes.push_back("ex:C" + std::to_string(i));
  EXPECT_EQ(complete("ASK { ?s a ex:", many, 20).words.size(), 20U);
}

}  // namespace
}  // namespace helve::cli
