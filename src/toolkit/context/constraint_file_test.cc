#include "toolkit/context/constraint_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::context {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Error error_of(std::string_view text) {
  const auto file = parse_constraints(text, "a.toml");
  EXPECT_FALSE(file);
  return file ? Error(ErrorCode::Internal, "it was read") : file.error();
}

TEST(ConstraintFile, ReadsWhatPeopleWrote) {
  const auto file = parse_constraints(
      "ontology = ['http://e.x/']\navoid = ['a', 'b']\nhints = ['c']\n", "a.toml");
  ASSERT_TRUE(file);
  EXPECT_THAT(file->ontology, ElementsAre("http://e.x/"));
  EXPECT_THAT(file->avoid, ElementsAre("a", "b"));
  EXPECT_THAT(file->hints, ElementsAre("c"));
}

TEST(ConstraintFile, ErrorsSayWhere) {
  const Error unknown = error_of("ontology = ['x']\navoids = ['a']\n");
  EXPECT_THAT(unknown.to_string(), HasSubstr("a.toml:2:1"));
  EXPECT_THAT(unknown.message, HasSubstr("no key 'avoids'"));
  EXPECT_THAT(error_of("ontology = ['x']\navoid = 'a'\n").to_string(), HasSubstr("a.toml:2:1"));
  EXPECT_THAT(error_of("ontology = ['x']\navoid = [1]\n").message, HasSubstr("item 1 of avoid"));
  EXPECT_THAT(error_of("avoid = ['a']\n").message, HasSubstr("which ontology"));
  EXPECT_THAT(error_of("ontology = ['x'\n").to_string(), HasSubstr("a.toml:"));
}

TEST(ConstraintFile, LinesAreOnePlainLineEachWithinTheLimits) {
  EXPECT_EQ(error_of("ontology = ['x']\navoid = [\"a\\nb\"]\n").code, ErrorCode::InvalidInput);
  EXPECT_EQ(error_of("ontology = ['x']\navoid = [\"a\\u202Eb\"]\n").code, ErrorCode::InvalidInput);
  EXPECT_EQ(error_of("ontology = ['x']\navoid = ['']\n").code, ErrorCode::InvalidInput);
  const std::string line(kConstraintCharsMax + 1, 'x');
  EXPECT_EQ(error_of("ontology = ['x']\navoid = ['" + line + "']\n").code,
            ErrorCode::LimitExceeded);
  std::string many;
  for (std::size_t i = 0; i <= kConstraintLinesMax; ++i) many += "'a',";
  EXPECT_EQ(error_of("ontology = ['x']\nhints = [" + many + "]\n").code, ErrorCode::LimitExceeded);
  EXPECT_EQ(error_of(std::string(kConstraintBytesMax + 1, ' ')).code, ErrorCode::LimitExceeded);
}

TEST(ConstraintFile, IsFoundByHeaderOrNamespaceAndOwnOnesComeFirst) {
  GraphFacts facts;
  EXPECT_EQ(find_constraints(facts), nullptr);
  facts.main_namespace = "http://www.w3.org/ns/prov#";
  ASSERT_NE(find_constraints(facts), nullptr);
  EXPECT_EQ(find_constraints(facts)->name, "prov.toml");
  const std::vector<ConstraintFile> own{{"mine", {"http://e.x/o"}, {}, {}},
                                        {"other", {"http://www.w3.org/ns/prov#"}, {}, {}}};
  EXPECT_EQ(find_constraints(facts, own)->name, "other");
  facts.ontologies = {"http://e.x/o"};
  EXPECT_EQ(find_constraints(facts, own)->name, "mine");
  facts.ontologies.clear();
  facts.main_namespace = "http://e.x/";
  EXPECT_EQ(find_constraints(facts, own), nullptr);
}

TEST(ConstraintFile, BuiltInOnesAreGood) { EXPECT_EQ(built_in_constraints().size(), 2u); }

}  // namespace
}  // namespace helve::context
