// builtin:rules on a graph and a database whose names nobody has heard of.
#include "agent/ask/rules_testing.h"

namespace helve::agent {
namespace {

using helve::testing::FakeTable;
using helve::testing::integer_value;
using helve::testing::table_info;
using helve::testing::text_value;

// Guilds of tinkers who forge gongs.
constexpr const char* kGuilds = R"(
@prefix q: <https://example.org/quarn/> .
@prefix i: <https://example.org/item/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
q:Guild a owl:Class ; rdfs:label "Guild" .
q:Tinker a owl:Class ; rdfs:label "Tinker" .
q:Gong a owl:Class ; rdfs:label "Gong" .
q:memberOf a owl:ObjectProperty ; rdfs:label "member of" ; rdfs:domain q:Tinker ; rdfs:range q:Guild .
q:forgedBy a owl:ObjectProperty ; rdfs:label "forged by" ; rdfs:domain q:Gong ; rdfs:range q:Tinker .
q:pitch a owl:DatatypeProperty ; rdfs:label "pitch" ; rdfs:domain q:Gong ; rdfs:range xsd:decimal .
q:castYear a owl:DatatypeProperty ; rdfs:label "cast year" ; rdfs:domain q:Gong ; rdfs:range xsd:gYear .
q:isCracked a owl:DatatypeProperty ; rdfs:label "is cracked" ; rdfs:domain q:Gong ; rdfs:range xsd:boolean .
i:g1 a q:Guild ; rdfs:label "Brasshollow" .
i:g2 a q:Guild ; rdfs:label "Ironmere" .
i:t1 a q:Tinker ; rdfs:label "Oda Venn" ; q:memberOf i:g1 .
i:t2 a q:Tinker ; rdfs:label "Pell Ruk" ; q:memberOf i:g1 .
i:t3 a q:Tinker ; rdfs:label "Mirra Sool" ; q:memberOf i:g2 .
i:o1 a q:Gong ; rdfs:label "Low Anna" ; q:forgedBy i:t1 ; q:pitch 110.5 ; q:castYear "1701"^^xsd:gYear ; q:isCracked true .
i:o2 a q:Gong ; rdfs:label "Tall Berta" ; q:forgedBy i:t1 ; q:pitch 220.0 ; q:castYear "1733"^^xsd:gYear ; q:isCracked false .
i:o3 a q:Gong ; rdfs:label "Quiet Cora" ; q:forgedBy i:t3 ; q:pitch 87.25 ; q:castYear "1810"^^xsd:gYear ; q:isCracked false .
)";

struct Case {
  const char* question;
  const char* reference;
};

class RulesOnMadeUp : public RulesTest {
 protected:
  void use_graph() { graph_ = helve::testing::graph_of(kGuilds, "guilds"); }

  void use_tables() {
    FakeTable farm{table_info("farm", "farm_id integer key, name text, valley text"), {}};
    farm.rows = {{integer_value(1), text_value("Oberhof"), text_value("Grauntal")},
                 {integer_value(2), text_value("Blauwald"), text_value("Grauntal")},
                 {integer_value(3), text_value("Steinbach"), text_value("Lintal")}};
    FakeTable cheese{table_info("cheese",
                                "cheese_id integer key, name text, farm_id integer, "
                                "fat_percent real, launch_year integer"),
                     {}};
    cheese.info.foreign_keys.push_back({"", {"farm_id"}, "", "farm", {"farm_id"}});
    cheese.rows = {{integer_value(1), text_value("Mordan"), integer_value(1), integer_value(45),
                    integer_value(1990)},
                   {integer_value(2), text_value("Tevil"), integer_value(1), integer_value(30),
                    integer_value(2005)},
                   {integer_value(3), text_value("Quarn"), integer_value(2), integer_value(12),
                    integer_value(2011)}};
    tables_ = std::make_shared<helve::testing::FakeTables>(
        "dairy", SqlDialect::Sqlite, std::vector<FakeTable>{std::move(farm), std::move(cheese)});
  }

  void expect_right(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
      const AskResult result = ask_rules(one.question, "all");
      EXPECT_TRUE(is_right(result, one.reference)) << one.question << "\n"
                                                   << result.run.query << "\n"
                                                   << result.run.content;
    }
  }
};

TEST_F(RulesOnMadeUp, AnswersOnAGraph) {
  use_graph();
  expect_right({
      {"List all gongs.", "SELECT ?x { ?x a q:Gong }"},
      {"What is the pitch of Tall Berta?", "SELECT ?p { i:o2 q:pitch ?p }"},
      {"Who forged Quiet Cora?", "SELECT ?x { i:o3 q:forgedBy ?x }"},
      {"Which gongs did Oda Venn forge?", "SELECT ?x { ?x q:forgedBy i:t1 }"},
      {"How many tinkers are members of Brasshollow?",
       "SELECT (COUNT(?x) AS ?n) { ?x q:memberOf i:g1 }"},
      {"Which gongs have a pitch below 100?", "SELECT ?x { ?x q:pitch ?p FILTER(?p < 100) }"},
      {"Which gongs are cracked?", "SELECT ?x { ?x q:isCracked true }"},
      {"Which tinker forged the most gongs?", "SELECT ?x { VALUES ?x { i:t1 } }"},
      {"Which gongs were cast after 1720?",
       "SELECT ?x { ?x q:castYear ?y FILTER(STR(?y) > \"1720\") }"},
      {"How many gongs has each tinker forged?",
       "SELECT ?x (COUNT(?g) AS ?n) { ?g q:forgedBy ?x } GROUP BY ?x"},
      {"Which tinkers of Brasshollow forged Low Anna?", "SELECT ?x { VALUES ?x { i:t1 } }"},
      {"Which gong has the highest pitch?", "SELECT ?x { VALUES ?x { i:o2 } }"},
  });
}

TEST_F(RulesOnMadeUp, AnswersOnADatabase) {
  use_tables();
  expect_right({
      {"List the farms.", "SELECT name FROM farm"},
      {"What is the fat percent of Tevil?", "SELECT fat_percent FROM cheese WHERE name = 'Tevil'"},
      {"How many cheeses are there?", "SELECT COUNT(*) FROM cheese"},
      {"Which cheeses come from the farm Oberhof?", "SELECT name FROM cheese WHERE farm_id = 1"},
      {"Which farm makes the most cheeses?", "SELECT 'Oberhof'"},
      {"How many cheeses does each farm make?",
       "SELECT f.name, COUNT(*) FROM farm f JOIN cheese c ON c.farm_id = f.farm_id GROUP BY "
       "f.name"},
      {"Which cheeses have a fat percent above 20?",
       "SELECT name FROM cheese WHERE fat_percent > 20"},
      {"Which cheeses were launched before 2000?",
       "SELECT name FROM cheese WHERE launch_year < 2000"},
      {"Which farms have no cheeses?", "SELECT name FROM farm WHERE farm_id = 3"},
      {"What is the average fat percent of cheeses?", "SELECT AVG(fat_percent) FROM cheese"},
      {"Which cheese has the highest fat percent?", "SELECT 'Mordan'"},
      {"How many farms are in Grauntal?", "SELECT 2"},
  });
}

}  // namespace
}  // namespace helve::agent
