#include "toolkit/learning/generalise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "sources/sparql/algebra/random_algebra_testing.h"

namespace helve::learning {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kHead =
    "PREFIX up: <http://purl.uniprot.org/core/> PREFIX ex: <http://example.org/> ";

QueryPattern sparql(const std::string& query, const GeneraliseOptions& options = {}) {
  auto pattern = generalise_sparql(kHead + query, options);
  EXPECT_TRUE(pattern) << pattern.error().to_string();
  if (!pattern) return {};
  // Whatever it became, it is still a query.
  const auto parsed = sparql::parse_query(pattern->text);
  EXPECT_TRUE(parsed) << parsed.error().to_string() << "\n" << pattern->text;
  return *std::move(pattern);
}

QueryPattern sql(const std::string& statement, const GeneraliseOptions& options = {}) {
  auto pattern = generalise_sql(statement, SqlDialect::Sqlite, options);
  EXPECT_TRUE(pattern) << pattern.error().to_string();
  return pattern ? *std::move(pattern) : QueryPattern{};
}

std::vector<std::string> shown(const std::vector<SchemaName>& names) {
  std::vector<std::string> texts;
  for (const SchemaName& name : names) texts.push_back(name.shown);
  return texts;
}

std::vector<std::string> marks(const QueryPattern& pattern) {
  std::vector<std::string> texts;
  for (const Slot& slot : pattern.slots) {
    texts.push_back(slot.mark + " " + std::string(name_of(slot.kind)));
  }
  return texts;
}

TEST(Generalise, LiftsConstantsAndKeepsTheSchema) {
  const QueryPattern pattern = sparql(
      "SELECT ?x ?n { ?x a up:Protein ; up:organism ex:Human ; up:mnemonic ?n ; up:length 42 . "
      "FILTER(CONTAINS(?n, \"insulin\") && ?y > 7) ?x up:mass ?y } LIMIT 10");
  EXPECT_EQ(pattern.text,
            "PREFIX up: <http://purl.uniprot.org/core/>\n"
            "SELECT ?protein ?mnemonic WHERE {\n"
            "  ?protein a up:Protein ;\n"
            "    up:organism ?slot1 ;\n"
            "    up:mnemonic ?mnemonic ;\n"
            "    up:length ?slot2 ;\n"
            "    up:mass ?mass .\n"
            "  FILTER(CONTAINS(?mnemonic, \"SLOT3\") && ?mass > \"SLOT4\")\n"
            "}\nLIMIT 10");
  EXPECT_THAT(shown(pattern.classes), ElementsAre("up:Protein"));
  EXPECT_THAT(shown(pattern.properties),
              ElementsAre("up:organism", "up:mnemonic", "up:length", "up:mass"));
  EXPECT_THAT(marks(pattern), ElementsAre("?slot1 an entity", "?slot2 a number", "\"SLOT3\" a text",
                                          "\"SLOT4\" a number"));
  EXPECT_EQ(pattern.slots[0].constants, std::vector<std::string>{"http://example.org/Human"});
  EXPECT_EQ(pattern.words,
            "selects up:Protein, joins five patterns by up:organism, up:mnemonic, up:length, "
            "up:mass; filters by text, size; takes the first rows");
}

// What others call their variables and prefixes changes nothing.
TEST(Generalise, EqualStructureIsEqualText) {
  const QueryPattern one = sparql("SELECT ?aspirin { ?aspirin a up:Drug ; up:name \"a1\" }");
  const auto other = generalise_sparql(
      "PREFIX q: <http://purl.uniprot.org/core/> SELECT ?z WHERE { ?z a q:Drug . ?z q:name "
      "\"b2\"@en }",
      {});
  ASSERT_TRUE(other);
  EXPECT_EQ(one.text, other->text);
  EXPECT_EQ(one.words, other->words);
}

TEST(Generalise, TheSameConstantIsTheSameSlot) {
  const QueryPattern pattern = sparql("SELECT * { ?a up:x ex:One . ?b up:y ex:One , ex:Two }");
  EXPECT_THAT(marks(pattern), ElementsAre("?slot1 an entity", "?slot2 an entity"));
}

TEST(Generalise, WhatSpeaksOfTheSchemaIsKept) {
  const QueryPattern pattern = sparql(
      "SELECT * { ?c rdfs:subClassOf+ up:Protein . ?t rdfs:subClassOf ex:GO_0005634 . "
      "?x rdf:type/rdfs:subClassOf* up:Gene . ?p rdfs:domain up:Taxon . ex:Part a owl:Class }");
  EXPECT_THAT(pattern.text, Not(HasSubstr("GO_0005634")));
  EXPECT_THAT(marks(pattern), ElementsAre("?slot1 an entity"));
  std::vector<std::string> iris;
  for (const SchemaName& name : pattern.classes) iris.push_back(name.name);
  EXPECT_THAT(iris,
              ::testing::IsSupersetOf(
                  {"http://purl.uniprot.org/core/Protein", "http://purl.uniprot.org/core/Gene",
                   "http://purl.uniprot.org/core/Taxon", "http://example.org/Part"}));
}

TEST(Generalise, ComparisonsWithClassesAndPropertiesAreKept) {
  const QueryPattern pattern = sparql(
      "SELECT * { ?x a ?t ; ?p ?o . FILTER(?t IN (up:Protein, up:Gene)) FILTER(?p = up:name) "
      "FILTER(?o = ex:Human) FILTER(LANG(?o) = \"en\") FILTER(REGEX(STR(?o), \"insu\", \"i\")) "
      "FILTER(DATATYPE(?o) = xsd:integer) FILTER(?o = true) }");
  EXPECT_THAT(pattern.text, HasSubstr("up:Protein, up:Gene"));
  EXPECT_THAT(pattern.text, HasSubstr("= up:name"));
  EXPECT_THAT(pattern.text, HasSubstr("\"en\""));
  EXPECT_THAT(pattern.text, HasSubstr("\"SLOT2\", \"i\""));
  EXPECT_THAT(pattern.text, HasSubstr("xsd:integer"));
  EXPECT_THAT(pattern.text, Not(HasSubstr("Human")));
  EXPECT_THAT(pattern.text, Not(HasSubstr("insu")));
  EXPECT_EQ(pattern.slots.size(), 2U);
}

TEST(Generalise, ValuesOfTheQuestionGoAndTheirVariablesAreSlots) {
  const QueryPattern pattern = sparql(
      "SELECT ?x ?n { ?x up:name ?n . VALUES ?x { ex:Aspirin ex:Heroin } } VALUES (?n) { (\"a\") "
      "}");
  EXPECT_THAT(pattern.text, HasSubstr("?slot1 up:name ?slot2"));
  EXPECT_THAT(pattern.text, Not(HasSubstr("VALUES")));
  EXPECT_THAT(marks(pattern), ElementsAre("?slot1 given values", "?slot2 given values"));
  EXPECT_THAT(pattern.slots[0].constants,
              ElementsAre("http://example.org/Aspirin", "http://example.org/Heroin"));
  const QueryPattern schema = sparql("SELECT * { VALUES ?t { up:Protein } ?x a ?t }");
  EXPECT_THAT(schema.text, HasSubstr("VALUES"));
  EXPECT_THAT(shown(schema.classes), ElementsAre("up:Protein"));
  EXPECT_THAT(schema.slots, IsEmpty());
}

TEST(Generalise, AllFormsAndParts) {
  const QueryPattern pattern = sparql(
      "SELECT ?t (COUNT(DISTINCT ?x) AS ?n) (GROUP_CONCAT(?l; SEPARATOR=\" secret \") AS ?ls) "
      "{ { ?x a ?t } UNION { SELECT ?x ?t { ?x up:type ?t ; up:id \"a7\" } LIMIT 3 } OPTIONAL { "
      "?x up:label ?l FILTER(?l != \"b8\") } MINUS { ?x up:old ex:Yes } GRAPH ex:g { ?x up:in ?g } "
      "BIND(CONCAT(\"c9\", ?l) AS ?z) FILTER NOT EXISTS { ?x up:no ex:No } } GROUP BY ?t HAVING "
      "(COUNT(?x) > 12) ORDER BY DESC(?n)");
  for (const char* gone : {"a7", "b8", "c9", "Yes", "No>", "ex:No", "12", "secret"}) {
    EXPECT_THAT(pattern.text, Not(HasSubstr(gone)));
  }
  EXPECT_THAT(pattern.text, HasSubstr("http://example.org/"));  // the graph
  EXPECT_TRUE(pattern.is_counting);
  EXPECT_THAT(pattern.words,
              HasSubstr("takes some parts only where they are there; has alternatives; leaves out "
                        "what also matches; asks an inner query first; names graphs; filters by "
                        "existence, value; aggregates with count, group_concat for each group; "
                        "sorts; takes the first rows"));
  EXPECT_THAT(sparql("ASK { ex:A up:b ex:C }").words, HasSubstr("asks whether there is things"));
  EXPECT_THAT(sparql("DESCRIBE ex:A").text, Not(HasSubstr("example.org")));
  EXPECT_THAT(sparql("CONSTRUCT { ex:A up:b ?x } WHERE { ex:A up:c ?x }").text,
              HasSubstr("?slot1 up:b ?c"));
}

TEST(Generalise, ALimitOfTheTaskIsASlot) {
  GeneraliseOptions options;
  options.numbers = {"3"};
  const QueryPattern pattern = sparql("SELECT * { ?x up:a ?y } LIMIT 3", options);
  EXPECT_THAT(pattern.text, Not(HasSubstr("LIMIT")));
  EXPECT_THAT(marks(pattern), ElementsAre("LIMIT a number"));
  EXPECT_THAT(sql("SELECT a FROM t LIMIT 3", options).text, HasSubstr("LIMIT :slot1"));
  EXPECT_THAT(sql("SELECT a FROM t LIMIT 5", options).text, HasSubstr("LIMIT 5"));
}

// Whatever can be written, the pattern of it is a query, and the same one each time.
TEST(Generalise, RandomQueriesStayQueries) {
  std::size_t lifted = 0;
  for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
    const std::string text = sparql::to_sparql(sparql::test::RandomAlgebra(seed).query());
    const auto pattern = generalise_sparql(text, {});
    ASSERT_TRUE(pattern) << pattern.error().to_string() << "\n" << text;
    const auto parsed = sparql::parse_query(pattern->text);
    ASSERT_TRUE(parsed) << parsed.error().to_string() << "\n"
                        << pattern->text << "\nfrom\n"
                        << text;
    EXPECT_EQ(generalise_sparql(text, {})->text, pattern->text);
    lifted += pattern->slots.size();
  }
  EXPECT_GT(lifted, 1'000U);
}

TEST(Generalise, SqlByItsWords) {
  const QueryPattern pattern = sql(
      "select c.name, count(*) as n from sales.customer c join invoice i on i.customer_id = c.id "
      "-- for Ann\nwhere c.city = 'Paris' and i.total > 10.5 and c.id in (@results_0.id, ?) "
      "group by c.name order by 2 limit 7;");
  EXPECT_EQ(pattern.text,
            "SELECT c.name, count(*) AS n FROM sales.customer c JOIN invoice i ON i.customer_id = "
            "c.id WHERE c.city = :slot1 AND i.total > :slot2 AND c.id IN (:slot3, :slot4) GROUP BY "
            "c.name ORDER BY 2 LIMIT 7");
  EXPECT_THAT(shown(pattern.classes), ElementsAre("sales.customer", "invoice"));
  EXPECT_THAT(shown(pattern.properties), ElementsAre("name", "customer_id", "id", "city", "total"));
  EXPECT_THAT(marks(pattern), ElementsAre(":slot1 a text", ":slot2 a number", ":slot3 given values",
                                          ":slot4 given values"));
  EXPECT_EQ(pattern.slots[0].constants, std::vector<std::string>{"Paris"});
  EXPECT_EQ(pattern.words,
            "selects from sales.customer, invoice by name, customer_id, id, city, total; joins two "
            "tables; has conditions; aggregates with count for each group; sorts; takes the first "
            "rows");
}

TEST(Generalise, WhatCannotBeReadIsAnError) {
  EXPECT_FALSE(generalise_sparql("SELECT ?x { ?x", {}));
  EXPECT_FALSE(generalise_sql("SELECT 'a", SqlDialect::Sqlite, {}));
  EXPECT_FALSE(generalise_sql(" ", SqlDialect::Sqlite, {}));
}

}  // namespace
}  // namespace helve::learning
