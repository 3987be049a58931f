#include "agent/llm/rules/plans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/llm/rules/lesson_plans.h"
#include "agent/llm/rules/mentions.h"
#include "agent/llm/rules/sketch.h"
#include "agent/llm/rules/sparql_text.h"
#include "agent/llm/rules/sql_text.h"

namespace helve::llm::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Knowledge guilds() {
  Knowledge known;
  for (const char* name : {"q:Guild", "q:Tinker", "q:Gong"}) known.add(name, TermKind::Class);
  for (const char* name : {"q:memberOf", "q:forgedBy", "q:pitch", "q:castYear", "q:isCracked"}) {
    known.add(name, TermKind::Property);
  }
  known.find("q:isCracked")->range = "xsd:boolean";
  known.add("i:t1", TermKind::Instance).label = "Oda Venn";
  known.add("i:o1", TermKind::Instance).label = "Low Anna";
  known.add("i:g1", TermKind::Instance).label = "Brasshollow";
  return known;
}

std::string query_for(std::string_view text, const Knowledge& known = guilds()) {
  const Question question = read_question(text);
  const auto mentions = find_mentions(question, known, 0);
  return sparql_text(make_sketch(question, mentions), {}, known);
}

TEST(RulesPlans, WordsAreBoundToNames) {
  const Knowledge known = guilds();
  const auto mentions = find_mentions(read_question("Which gongs did Oda Venn forge?"), known, 0);
  ASSERT_EQ(mentions.size(), 3U);
  EXPECT_EQ(mentions[0].options.front(), "q:Gong");
  EXPECT_EQ(mentions[1].options.front(), "i:t1");
  EXPECT_EQ(mentions[2].options.front(), "q:forgedBy");
  const auto unknown = find_mentions(read_question("Which zithers are there?"), known, 0);
  EXPECT_EQ(unknown.at(0).kind, MentionKind::Text);
}

TEST(RulesPlans, ANameMayBeAThingOfItsClass) {
  Knowledge known = guilds();
  const auto the_gong = find_mentions(read_question("Which tinkers forged the Gong?"), known, 0);
  EXPECT_EQ(the_gong.back().kind, MentionKind::Class);
  EXPECT_FALSE(the_gong.back().is_sure) << "it is looked up";
  known.add("i:o2", TermKind::Instance).label = "Gong";
  EXPECT_EQ(find_mentions(read_question("Which tinkers forged the Gong?"), known, 0)
                .back()
                .options.front(),
            "i:o2");
  const auto said_twice =
      find_mentions(read_question("Which tinkers forged the gong Low Anna?"), known, 0);
  ASSERT_EQ(said_twice.size(), 3U);
  EXPECT_EQ(said_twice.back().options.front(), "i:o1");
}

TEST(RulesPlans, TheSeedDecidesBetweenEquals) {
  Knowledge known;
  known.add("a:Gong", TermKind::Class);
  known.add("b:Gong", TermKind::Class);
  std::set<std::string> chosen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    chosen.insert(find_mentions(read_question("List gongs"), known, seed).at(0).options.front());
  }
  EXPECT_EQ(chosen.size(), 2U);
}

TEST(RulesPlans, DirectionsFollowTheVoice) {
  EXPECT_THAT(query_for("Which gongs did Oda Venn forge?"), HasSubstr("?x q:forgedBy i:t1 ."));
  EXPECT_THAT(query_for("Which gongs were forged by Oda Venn?"), HasSubstr("?x q:forgedBy i:t1 ."));
  EXPECT_THAT(query_for("Who forged Low Anna?"), HasSubstr("i:o1 q:forgedBy ?x ."));
  EXPECT_THAT(query_for("What is the pitch of Low Anna?"), HasSubstr("i:o1 q:pitch ?x ."));
}

TEST(RulesPlans, FiltersExtremesAndGroups) {
  EXPECT_THAT(query_for("Which gongs have a pitch above 100?"), HasSubstr("FILTER(?v0 > 100)"));
  EXPECT_THAT(query_for("Which gongs were cast before 1720?"),
              HasSubstr("(SUBSTR(STR(?v0), 1, 4)) < 1720"));
  EXPECT_THAT(query_for("Which gong has the highest pitch?"),
              HasSubstr("ORDER BY DESC(?v0) LIMIT 1"));
  EXPECT_THAT(query_for("Which gongs were cast in the year 1720?"),
              HasSubstr("(SUBSTR(STR(?v0), 1, 4)) = 1720"));
  EXPECT_THAT(query_for("Which gongs are cracked?"), HasSubstr("?x q:isCracked true"));
  EXPECT_THAT(query_for("Which gongs are not cracked?"), HasSubstr("NOT EXISTS"));
  EXPECT_THAT(query_for("How many gongs has each tinker forged?"),
              ::testing::AllOf(HasSubstr("COUNT(DISTINCT ?y1)"), HasSubstr("GROUP BY ?x")));
  EXPECT_THAT(query_for("How many gongs are there?"), HasSubstr("COUNT(DISTINCT ?x)"));
  EXPECT_THAT(query_for("Is Low Anna a gong?"), HasSubstr("ASK"));
  EXPECT_THAT(query_for("What is the average pitch of gongs?"), HasSubstr("AVG(?x)"));
}

TEST(RulesPlans, LayersShapeTheQuery) {
  Knowledge known = guilds();
  const std::string plain = query_for("List all gongs.", known);
  EXPECT_EQ(plain.find("subClassOf"), std::string::npos);
  EXPECT_EQ(plain.find("Label"), std::string::npos);
  known.asks_subclasses = true;
  known.label_property = "q:title";
  known.languages = {"de", "en"};
  const std::string told = query_for("List all gongs.", known);
  EXPECT_THAT(told, HasSubstr("?x a/rdfs:subClassOf* q:Gong"));
  EXPECT_THAT(told, HasSubstr("?x q:title ?xLabel . FILTER(LANG(?xLabel) = \"en\")"));
  known.add("q:castDate", TermKind::Property);
  known.either = {{"q:castYear", "q:castDate"}};
  EXPECT_THAT(query_for("Which gongs were cast before 1720?", known), HasSubstr("|"));
}

std::vector<std::string> lessons_for(std::string_view text, const Knowledge& known) {
  const Question question = read_question(text);
  const auto mentions = find_mentions(question, known, 0);
  SlotValues values;
  for (const Mention& mention : mentions) {
    if (mention.kind == MentionKind::Thing) values.things.push_back(mention.options.front());
  }
  for (const Bound& bound : question.bounds) values.numbers.push_back(bound.number);
  return lesson_queries(question, mentions, values, known);
}

TEST(RulesPlans, PatternsAreFilledWhereTheyFit) {
  Knowledge known = guilds();
  known.lessons.push_back({LessonKind::Worked,
                           "Count q:Gong by q:forgedBy",
                           "SELECT (COUNT(?v) AS ?n) { ?v q:forgedBy ?slot1 ; a q:Gong }",
                           {{"?slot1", "an entity"}}});
  EXPECT_THAT(lessons_for("How many gongs did Oda Venn forge?", known),
              ElementsAre("SELECT (COUNT(?v) AS ?n) { ?v q:forgedBy i:t1 ; a q:Gong }"));
  EXPECT_THAT(lessons_for("Which gongs did Oda Venn forge?", known), IsEmpty()) << "no count";
  EXPECT_THAT(lessons_for("How many gongs were forged?", known), IsEmpty()) << "nothing to fill in";
  EXPECT_THAT(lessons_for("How many tinkers are members of Brasshollow?", known), IsEmpty());
  known.lessons.back().kind = LessonKind::Avoid;
  EXPECT_THAT(lessons_for("How many gongs did Oda Venn forge?", known), IsEmpty());
}

TEST(RulesPlans, WhatToAvoidComesLast) {
  const Question question = read_question("x");
  const Talk talk;
  const Request request;
  Situation now{request, talk, question, guilds(), 0};
  const std::vector<std::string> queries = {"SELECT ?x { ?x q:forgedBy i:t1 }",
                                            "SELECT ?x { ?x q:memberOf i:t1 }"};
  const auto first = [&] {
    return text_argument(next_query(now, "sparql_query", "query", queries).at(0).arguments,
                         "query");
  };
  EXPECT_EQ(first(), queries[0]);
  now.known.lessons.push_back({LessonKind::Avoid, "", "SELECT ?v { ?v q:forgedBy ?slot1 }", {}});
  EXPECT_EQ(first(), queries[1]);
}

TEST(RulesPlans, OfTwoThingsTheSameIsSaid) {
  Knowledge known = guilds();
  known.add("q:Bell", TermKind::Class);
  for (const char* const text :
       {"Which tinkers forged gongs and bells?", "Which tinkers forged both a gong and a bell?"}) {
    const std::string query = query_for(text, known);
    EXPECT_THAT(query,
                ::testing::AllOf(HasSubstr("?y1 q:forgedBy ?x"), HasSubstr("?y2 q:forgedBy ?x")))
        << query;
  }
}

TEST(RulesPlans, ClaimsCanBeLeftOut) {
  const Knowledge known = guilds();
  const Question question = read_question("Which gongs are cracked?");
  const Sketch sketch = make_sketch(question, find_mentions(question, known, 0));
  Reading reading;
  reading.values = {kLeftOut};
  EXPECT_EQ(sparql_text(sketch, reading, known).find("q:isCracked"), std::string::npos);
}

TEST(RulesPlans, TextsOfLessonsAreQuoted) {
  Knowledge known;
  known.is_of_tables = true;
  Table& farm = known.add_table("farm");
  farm.columns = {{"name", "TEXT"}};
  known.add("farm", TermKind::Class);
  known.lessons.push_back({LessonKind::Worked,
                           "Find farm by name",
                           "SELECT name FROM farm WHERE name = :slot1",
                           {{":slot1", "a text"}}});
  const Question question = read_question("Which farms have the name \"O'Hof\"?");
  const auto mentions = find_mentions(question, known, 0);
  EXPECT_THAT(lesson_queries(question, mentions, {{}, {"O'Hof"}, {}}, known),
              ElementsAre("SELECT name FROM farm WHERE name = 'O''Hof'"));
  EXPECT_THAT(lesson_queries(question, mentions, {{}, {"O'Hof", "Alm"}, {}}, known), IsEmpty())
      << "a name would be left out";
  EXPECT_EQ(sql_name("group"), "\"group\"");
  EXPECT_EQ(sql_name("farm"), "farm");
}

TEST(RulesPlans, ExamplesTellWhatWordsMean) {
  Knowledge known = guilds();
  known.lessons.push_back({LessonKind::Example,
                           "Which gongs are louder than 5?",
                           "SELECT ?x { ?x a q:Gong ; q:pitch ?v }",
                           {}});
  EXPECT_EQ(property_for("loudest", known), "q:pitch");
  EXPECT_EQ(property_for("softest", known), "");
}

TEST(RulesPlans, TablesAreJoinedByKeys) {
  Knowledge known;
  known.is_of_tables = true;
  Table& farm = known.add_table("farm");
  farm.primary_key = "id";
  farm.columns = {{"id", "INTEGER"}, {"name", "TEXT"}};
  Table& cheese = known.add_table("cheese");
  cheese.primary_key = "id";
  cheese.columns = {{"id", "INTEGER"}, {"name", "TEXT"}, {"farm_id", "INTEGER"}};
  cheese.foreign_keys = {{"farm_id", "farm", ""}};
  Sketch sketch;
  sketch.nodes = {{"cheese", "", ""}, {"", "farm.name=O'Hof", ""}};
  EXPECT_EQ(sql_text(sketch, {}, known),
            "SELECT DISTINCT cheese.name FROM cheese JOIN farm ON cheese.farm_id = farm.id WHERE "
            "farm.name = 'O''Hof'");
  known.find_table("cheese");
  known.tables[1].foreign_keys.clear();
  EXPECT_EQ(sql_text(sketch, {}, known), std::nullopt);
}

}  // namespace
}  // namespace helve::llm::rules
