#include "agent/llm/rules/knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::llm::rules {
namespace {

using ::testing::ElementsAre;

constexpr const char* kGraph = R"(You answer.

## What is known of the source

<data 1f>
# L0 Source
Labels: q:title (30 triples; @de, @en); descriptions: rdfs:comment (4).
# L1 Schema
! Units: q:pitch hz, q:weight kg.
! Only their subclasses have instances: q:Thing. Ask ?x a/rdfs:subClassOf* q:Thing.
! Never used, ask the inverse: q:forges (^q:forgedBy).
Object properties (domain > range): q:Gong > q:Tinker: q:forgedBy
  q:Tinker > q:Guild: q:memberOf, +1 more
Datatype properties: any > xsd:boolean: q:isCracked
# L2 Lessons
Quoted lines are notes.
What worked [0123]:
> Count q:Gong by q:forgedBy
> Use when asked.
> It selects q:Gong.
> ```sparql
> SELECT (COUNT(DISTINCT ?v) AS ?n) WHERE {
> ?v q:forgedBy ?slot1 ; a q:Gong .
> }
> ```
> Slots: ?slot1 is an entity.
What to avoid [4567]:
> Avoid q:memberOf
> ```sparql
> SELECT ?x { ?x q:memberOf ?y
# L3 Guide
### Which gongs are louder than others?
```sparql
SELECT ?x { ?x a q:Gong ; q:loudness ?v }
```
- Years are `q:castYear` or `q:castDate`, never both.
</data 1f>

## Hints of the caller

Labels: ignored:this (not here)
)";

TEST(RulesKnowledge, ContextOfAGraph) {
  const Knowledge known = read_context(kGraph);
  EXPECT_FALSE(known.is_of_tables);
  EXPECT_EQ(known.label_property, "q:title");
  EXPECT_THAT(known.languages, ElementsAre("de", "en"));
  EXPECT_TRUE(known.asks_subclasses);
  EXPECT_EQ(known.units.at("q:weight"), "kg");
  EXPECT_EQ(known.used_instead.at("q:forges"), "q:forgedBy");
  EXPECT_EQ(known.find("q:memberOf")->domain, "q:Tinker");
  EXPECT_EQ(known.find("q:isCracked")->range, "xsd:boolean");
  EXPECT_EQ(known.find("q:Guild")->kind, TermKind::Class);
  EXPECT_EQ(known.find("q:loudness")->kind, TermKind::Property);
  ASSERT_EQ(known.either.size(), 1U);
  EXPECT_THAT(known.either[0], ElementsAre("q:castYear", "q:castDate"));
}

TEST(RulesKnowledge, LessonsAndExamples) {
  const Knowledge known = read_context(kGraph);
  ASSERT_EQ(known.lessons.size(), 3U);
  EXPECT_EQ(known.lessons[0].kind, LessonKind::Worked);
  EXPECT_THAT(known.lessons[0].query, ::testing::HasSubstr("?v q:forgedBy ?slot1"));
  EXPECT_THAT(known.lessons[0].slots, ElementsAre(::testing::Pair("?slot1", "an entity")));
  EXPECT_EQ(known.lessons[1].kind, LessonKind::Avoid);
  EXPECT_EQ(known.lessons[1].query, "") << "cut off";
  EXPECT_EQ(known.lessons[2].kind, LessonKind::Example);
  EXPECT_EQ(known.lessons[2].title, "Which gongs are louder than others?");
}

TEST(RulesKnowledge, ContextOfADatabase) {
  const Knowledge known = read_context(
      "## What is known of the source\n\n<data 2>\n# L0 Source\ndairy: SQL database, SQLite\n"
      "Tables: cheese, farm\n# L1 Schema\nJoins, to the key: cheese (farm_id) -> farm\n"
      "Keys: cheese (cheese_id), farm (farm_id)\n"
      "Types that need care: cheese.fat REAL (not exact), cheese.made DATE (a text)\n</data 2>\n");
  EXPECT_TRUE(known.is_of_tables);
  ASSERT_NE(known.find_table("cheese"), nullptr);
  EXPECT_EQ(known.find_table("cheese")->foreign_keys.at(0).table, "farm");
  EXPECT_EQ(known.find_table("farm")->primary_key, "farm_id");
  EXPECT_EQ(known.find_table("cheese")->columns.back().type, "DATE");
}

TEST(RulesKnowledge, RepliesAddToIt) {
  Knowledge known;
  learn_from("sparql_find",
             read_reply("1\n<data 1>\nhits (uri | label | kind | count):\nq:Gong | Gong | class | "
                        "3\ni:o1 | Low Anna | instance | 3\n</data 1>",
                        false),
             known);
  learn_from("sparql_find",
             read_reply("1\n<data 1>\nhits (uri | label | kind | count):\nq:pitch | pitch | "
                        "property | 3\n</data 1>",
                        false),
             known);
  learn_from("sparql_peek",
             read_reply("1\n<data 1>\nresource: q:pitch · kind: datatype · domain: q:Gong · range: "
                        "xsd:decimal\n</data 1>",
                        false),
             known);
  EXPECT_EQ(known.find("i:o1")->kind, TermKind::Instance);
  EXPECT_EQ(known.find("q:pitch")->range, "xsd:decimal");
  learn_from(
      "mem_get",
      read_reply("1\n<data 1>\nitems (id | title | src | content):\nab | Count | success | "
                 "It counts.\\n\\n```sparql\\nSELECT ?x { ?x q:pitch ?slot1 }\\n```\\nSlots: "
                 "?slot1 is a number.\n</data 1>",
                 false),
      known);
  ASSERT_EQ(known.lessons.size(), 1U);
  EXPECT_EQ(known.lessons[0].query, "SELECT ?x { ?x q:pitch ?slot1 }\n");
}

TEST(RulesKnowledge, WithoutContextNothingIsKnown) {
  const Knowledge known = read_context("You answer. q:Gong is a class. Tables: a, b");
  EXPECT_TRUE(known.terms.empty());
  EXPECT_TRUE(known.tables.empty());
  EXPECT_TRUE(known.lessons.empty());
}

// Small letters make no property of a thing.
TEST(RulesKnowledge, InstancesAreNamedAsSuch) {
  Knowledge known = read_context(
      "## What is known of the source\n\n<data 1>\n# L1 Schema\n"
      "Object properties (domain > range): q:Tinker > q:Gong: q:forged\n"
      "Instances of q:Tinker (3): q:oda, q:ivo, +1 more\n</data 1>\n");
  ASSERT_NE(known.find("q:oda"), nullptr);
  EXPECT_EQ(known.find("q:oda")->kind, TermKind::Instance);
  EXPECT_EQ(known.find("q:forged")->kind, TermKind::Property);
  learn_from("sparql_find",
             read_reply("1\n<data 1>\nhits (uri | label | kind | count):\n"
                        "q:forged | Forged | instance | 1\n</data 1>",
                        false),
             known);
  EXPECT_EQ(known.find("q:forged")->kind, TermKind::Instance);
}

}  // namespace
}  // namespace helve::llm::rules
