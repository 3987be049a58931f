#include "toolkit/learning/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/env.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/algebra/random_algebra_testing.h"
#include "tests/support/graph/graph_of.h"
#include "tests/support/tables/fake_tables.h"
#include "tests/support/temp_directory.h"
#include "toolkit/learning/extract.h"
#include "toolkit/learning/fingerprint.h"
#include "toolkit/learning/relax.h"
#include "toolkit/memory/bank.h"

namespace helve::learning {
namespace {

using memory::Item;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kData = R"(
@prefix ex: <http://example.org/> .
ex:Earth a ex:Planet ; ex:name "Earth" ; ex:radius 6371 .
ex:Luna a ex:Moon ; ex:orbits ex:Earth ; ex:name "Moon" .
)";
constexpr WallTime kVerifyNow = WallTime(std::chrono::hours(500'000));

Item lesson_with(const std::string& query, QueryLanguage language = QueryLanguage::Sparql) {
  Executed executed;
  executed.query = "PREFIX ex: <http://example.org/> " + query;
  if (language == QueryLanguage::Sql) executed.query = query;
  executed.language = language;
  executed.domain = "planets";
  executed.rows = 1;
  executed.columns = 1;
  const auto item = lesson_of_success(executed, "", {Verdict::Correct, true, "a person"});
  EXPECT_TRUE(item) << item.error().to_string();
  return item ? *item : Item{};
}

class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = memory::MemoryBank::open(folder_ / "bank.db", true, real_env(), context_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    shared_ = *opened;
  }
  memory::MemoryRepository& bank() { return shared_->repository(); }
  Trial tried(const Item& item, const TrialOptions& options = {}) {
    return try_item(item, *graph_, options, real_env().clock(), context_);
  }
  Trial tried_sql(const std::string& sql) {
    return try_item(lesson_with(sql, QueryLanguage::Sql), *shop_, {}, real_env().clock(), context_);
  }

  TempDirectory folder_;
  OpContext context_;
  std::shared_ptr<memory::MemoryBank> shared_;
  std::shared_ptr<const GraphSource> graph_ = helve::testing::graph_of(kData, "planets");
  std::shared_ptr<helve::testing::FakeTables> shop_ = helve::testing::music_shop();
};

TEST_F(VerifyTest, APatternPassesWhereItMatchesAnything) {
  for (const char* query : {
           "SELECT ?x { ?x a ex:Planet ; ex:name \"Nibiru\" }",
           "SELECT ?x { ?x a ex:Planet ; ex:radius ?r FILTER(?r > 99999999) }",
           "SELECT ?x { ?x ex:name ?n MINUS { ?x ex:orbits ex:Mars } FILTER(REGEX(?n, \"q\")) }",
           "SELECT ?x { ?x ex:name ?n FILTER NOT EXISTS { ?x ex:name \"Earth\" } }",
           "SELECT (COUNT(*) AS ?n) { VALUES ?x { ex:Nowhere } ?x ex:orbits ?y }",
           "ASK { ex:Nowhere ex:orbits ?y }",
           "CONSTRUCT { ?x ex:name ?n } WHERE { ?x ex:name ?n }",
           "SELECT ?x { ?x a ex:Planet }",
       }) {
    const Trial trial = tried(lesson_with(query));
    EXPECT_EQ(trial.state, TrialState::Passed) << query << ": " << trial.says;
    EXPECT_THAT(trial.missing, IsEmpty());
  }
}

TEST_F(VerifyTest, APatternFailsWhereItMatchesNothing) {
  const Trial unknown =
      tried(lesson_with("SELECT ?x { ?x a ex:Comet ; ex:tail ?y ; ex:name \"x\" }"));
  EXPECT_EQ(unknown.state, TrialState::Failed);
  EXPECT_THAT(unknown.missing, ElementsAre("http://example.org/Comet", "http://example.org/tail"));
  EXPECT_THAT(unknown.says, HasSubstr("not there: http://example.org/Comet"));
  const Trial reversed = tried(lesson_with("SELECT ?x { ?x a ex:Planet ; ex:orbits ?y }"));
  EXPECT_EQ(reversed.state, TrialState::Failed);
  EXPECT_EQ(reversed.says, "it matches nothing");
  Item broken = lesson_with("SELECT ?x { ?x a ex:Planet }");
  broken.content = "```sparql\nSELECT ?x {\n```";
  EXPECT_EQ(tried(broken).state, TrialState::Failed);
  broken.content = "no query";
  EXPECT_EQ(tried(broken).state, TrialState::NotApplicable);
}

TEST_F(VerifyTest, OtherServersAreNotAsked) {
  Item item = lesson_with("SELECT ?x { ?x a ex:Planet }");
  item.content = "```sparql\nSELECT ?x { SERVICE <http://127.0.0.1:9/> { ?x ?p ?o } }\n```";
  const Trial trial = tried(item);
  EXPECT_EQ(trial.state, TrialState::Undecided);
  EXPECT_THAT(trial.says, HasSubstr("SERVICE"));
}

TEST_F(VerifyTest, LessonsOfOtherSourcesStayAsTheyAre) {
  Item other = lesson_with("SELECT ?x { ?x a ex:Protein }");
  other.domain = "uniprot";
  ASSERT_TRUE(bank().add({other, lesson_with("SELECT ?x { ?x a ex:Planet }")}, context_));
  TrialOptions options;
  options.domains = {"planets"};
  const auto report = try_items(
      bank(), {}, [&](const Item& item) { return tried(item, options); }, options, 100, kVerifyNow,
      context_);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->trials, SizeIs(1));
  EXPECT_FALSE(bank().get({other.id}, context_)->front().quarantined);
}

TEST_F(VerifyTest, NoAnswerIsNoFailure) {
  OpContext cancelled;
  cancelled.cancel.cancel();
  const Trial trial = try_item(lesson_with("SELECT ?x { ?x a ex:Planet }"), *graph_, {},
                               real_env().clock(), cancelled);
  EXPECT_EQ(trial.state, TrialState::Undecided) << trial.says;
}

TEST_F(VerifyTest, WhatIsToBeAvoidedIsNotRun) {
  Executed executed;
  executed.query = "SELECT * { ?x <http://example.org/tail> ?y }";
  const auto item = lesson_of_failure(executed, "", {"too_heavy", "", ""});
  ASSERT_TRUE(item);
  const Trial trial = tried(*item);
  EXPECT_EQ(trial.state, TrialState::NotApplicable);
  EXPECT_THAT(trial.missing, ElementsAre("http://example.org/tail"));
}

TEST_F(VerifyTest, TrialsDateAndQuarantineButNeverRelease) {
  const Item good = lesson_with("SELECT ?x { ?x a ex:Planet }");
  const Item bad = lesson_with("SELECT ?x { ?x a ex:Comet }");
  Item unverified = lesson_with("SELECT ?x { ?x a ex:Moon }");
  unverified.quarantined = true;
  ASSERT_TRUE(bank().add({good, bad, unverified}, context_));
  TrialOptions options;
  options.schema_fingerprint = *schema_fingerprint(*graph_, context_);
  memory::ItemFilter filter;
  filter.with_quarantined = true;
  const auto report = try_items(
      bank(), filter, [&](const Item& item) { return tried(item, options); }, options, 100,
      kVerifyNow, context_);
  ASSERT_TRUE(report) << report.error().to_string();
  EXPECT_THAT(report->trials, SizeIs(3));
  EXPECT_THAT(report->changes, SizeIs(2));
  const auto items = *bank().get({good.id, bad.id, unverified.id}, context_);
  EXPECT_EQ(items[0].verified_at, kVerifyNow);
  EXPECT_EQ(items[0].schema_fingerprint, options.schema_fingerprint);
  EXPECT_TRUE(items[1].quarantined);
  EXPECT_FALSE(items[1].verified_at);
  EXPECT_TRUE(items[2].quarantined);
  EXPECT_FALSE(items[2].verified_at);
  ASSERT_TRUE(bank().undo(report->changes[1], context_));
  EXPECT_FALSE(bank().get({bad.id}, context_)->front().quarantined);
  const auto few = try_items(
      bank(), filter, [&](const Item& item) { return tried(item, options); }, options, 1,
      kVerifyNow, context_);
  ASSERT_TRUE(few);
  EXPECT_FALSE(few->is_complete);
  EXPECT_THAT(few->changes, IsEmpty());  // the first is dated so already
}

TEST_F(VerifyTest, AnotherSchemaFlagsItsItemsAndHidesNone) {
  Item item = lesson_with("SELECT ?x { ?x a ex:Planet }");
  item.schema_fingerprint = *schema_fingerprint(*graph_, context_);
  Item elsewhere = lesson_with("SELECT ?x { ?x a ex:Moon }");
  elsewhere.schema_fingerprint = item.schema_fingerprint;
  elsewhere.domain = "other";
  ASSERT_TRUE(bank().add({item, elsewhere}, context_));
  const auto none = find_stale(bank(), "planets", item.schema_fingerprint, 10, context_);
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
  // More data of the same form changes nothing; a new property does.
  const std::string more = std::string(kData) + "ex:Mars a ex:Planet ; ex:name \"Mars\" .";
  EXPECT_EQ(*schema_fingerprint(*helve::testing::graph_of(more), context_),
            item.schema_fingerprint);
  TrialOptions options;
  options.schema_fingerprint =
      *schema_fingerprint(*helve::testing::graph_of(more + "ex:Mars ex:colour 1 ."), context_);
  EXPECT_NE(options.schema_fingerprint, item.schema_fingerprint);
  const auto stale = find_stale(bank(), "planets", options.schema_fingerprint, 10, context_);
  ASSERT_TRUE(stale);
  ASSERT_THAT(*stale, SizeIs(1));
  EXPECT_EQ(stale->front().id, item.id);
  const Trial trial = tried(item, options);
  EXPECT_TRUE(trial.is_stale);
  EXPECT_EQ(trial.state, TrialState::Passed);
  EXPECT_FALSE(shared_->search("planet", {}, context_)->hits.empty());
}

TEST_F(VerifyTest, Sql) {
  const Trial good = tried_sql(
      "SELECT a.name FROM artist a JOIN album b ON b.artist_id = a.artist_id WHERE a.name = "
      "'Nobody' AND "
      "b.title IS NOT NULL");
  EXPECT_EQ(good.state, TrialState::Passed) << good.says;
  EXPECT_EQ(shop_->queries().back().sql,
            "SELECT 1 FROM artist a JOIN album b ON b.artist_id = a.artist_id WHERE (b.title IS "
            "NOT NULL) "
            "LIMIT 1");
  const Trial table = tried_sql("SELECT x FROM nowhere WHERE x = 1");
  EXPECT_EQ(table.state, TrialState::Failed);
  EXPECT_THAT(table.missing, ElementsAre("nowhere"));
  const Trial column = tried_sql("SELECT colour FROM artist");
  EXPECT_EQ(column.state, TrialState::Failed) << column.says;
  EXPECT_THAT(column.missing, SizeIs(1));
  const Trial none = tried_sql("SELECT name FROM artist WHERE name IS NULL");
  EXPECT_EQ(none.state, TrialState::Failed);
  EXPECT_EQ(none.says, "it matches nothing");
  EXPECT_EQ(tried_sql("SELECT name FROM artist UNION SELECT title FROM album").state,
            TrialState::Passed);
  EXPECT_EQ(tried(lesson_with("SELECT 1", QueryLanguage::Sql)).state, TrialState::NotApplicable);
  EXPECT_EQ(*schema_fingerprint(*shop_, context_),
            *schema_fingerprint(*helve::testing::music_shop(SqlDialect::MySql), context_));
}

TEST(Relax, DropsWhatDependsOnSlots) {
  const auto query = sparql::parse_query(
      "SELECT * { ?a <urn:p> ?slot1 . OPTIONAL { ?a <urn:q> ?b } FILTER(?a != \"SLOT2\") "
      "FILTER(?a > 1) MINUS { ?a <urn:r> ?slot3 } MINUS { ?a <urn:s> ?c } } LIMIT 5");
  ASSERT_TRUE(query);
  EXPECT_TRUE(has_slots(query->query));
  EXPECT_EQ(
      sparql::to_sparql(relaxed(query->query)),
      "ASK {\n  ?a <urn:p> ?slot1 .\n  MINUS {\n    ?a <urn:s> ?c .\n  }\n  FILTER(?a > 1)\n}");
}

TEST(Relax, RandomPatternsStayQueries) {
  for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
    const std::string text = sparql::to_sparql(sparql::test::RandomAlgebra(seed).query());
    const auto pattern = generalise_sparql(text, {});
    ASSERT_TRUE(pattern) << pattern.error().to_string();
    const auto query = sparql::parse_query(pattern->text);
    ASSERT_TRUE(query) << query.error().to_string();
    const std::string asked = sparql::to_sparql(relaxed(query->query));
    const auto parsed = sparql::parse_query(asked);
    ASSERT_TRUE(parsed) << parsed.error().to_string() << "\n" << asked << "\nfrom\n" << text;
  }
}

}  // namespace
}  // namespace helve::learning
