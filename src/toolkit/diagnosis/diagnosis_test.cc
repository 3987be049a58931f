#include "toolkit/diagnosis/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "tests/support/graph/far_graph.h"
#include "tests/support/graph/graph_of.h"

namespace helve::toolkit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kData = R"(
@prefix : <http://x.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Moon rdfs:subClassOf :Body . :Planet rdfs:subClassOf :Body .
:sun a :Star ; :name "Sun"@en ; :mass 1000.0 .
:earth a :Planet ; :name "Earth"@en ; :orbits :sun ; :radius 6371 ; :found "old" ; :code "E 1" .
:mars a :Planet ; :name "Mars"@en, "Mars"@de ; :orbits :sun ; :radius 3390 ; :code "M 1" .
:luna a :Moon ; :name "Luna"@en ; :orbits :earth ; :radius 1737 ; :seen "1609-11-30"^^xsd:date .
:phobos a :Moon ; :name "Phobos"@en ; :orbits :mars .
:apollo a :Mission ; :target :luna ; :crew 3 ; :year "1969" .
:g1 { :apollo :cost 25 . }
:g2 { :apollo :agency :nasa . :nasa :name "NASA" . }
)";

sparql::Query parsed(std::string_view where) {
  sparql::ParseOptions options;
  options.known_prefixes = {{"", "http://x.example/"}};
  std::string text(where);
  if (!text.starts_with("SELECT") && !text.starts_with("ASK") && !text.starts_with("DESCRIBE")) {
    text = "SELECT * WHERE { " + text + " }";
  }
  auto query = sparql::parse_query(text, options);
  EXPECT_TRUE(query) << (query ? "" : query.error().to_string()) << "\n" << text;
  return query ? query->query : sparql::Query();
}

Diagnosis diagnose(std::string_view where) {
  static const auto graph = testing::graph_of(kData);
  return diagnose_empty(parsed(where), *graph, {});
}

std::string cause_of(std::string_view where) { return std::string(name_of(diagnose(where).cause)); }

// A graph that reads what is asked as a server does: from a text, and strictly.
class AskedByText final : public GraphSource {
 public:
  explicit AskedByText(std::shared_ptr<const GraphSource> graph) : graph_(std::move(graph)) {}

  const SourceInfo& info() const override { return graph_->info(); }
  std::string fingerprint() const override { return graph_->fingerprint(); }
  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    const auto read = reread(query);
    if (read) return graph_->run(*read, rows_max, sink, context);
    GraphRun failed;
    failed.error = read.error();
    return failed;
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    return graph_->run(query, statements_max, sink, context);
  }
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    sparql::Query query;
    sparql::Ask ask;
    ask.body.where = pattern;
    query.dataset = dataset;
    query.form = std::move(ask);
    HELVE_ASSIGN(const auto read, reread(query));
    return graph_->count_upto(read.body().where, dataset, cap, context);
  }
  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override {
    return graph_->explain(query, context);
  }
  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    return graph_->has_term(term, context);
  }
  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    return graph_->find(request, context);
  }
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    return graph_->schema(context);
  }
  PrefixList prefixes() const override { return graph_->prefixes(); }

 private:
  static Result<sparql::Query> reread(const sparql::Query& query) {
    const std::string text = to_sparql(query);
    if (text.find("\"Earth\"^^<http://www.w3.org/2001/XMLSchema#integer>") != std::string::npos) {
      return Error{ErrorCode::InvalidInput, "Invalid integer value converting 'Earth'"};
    }
    HELVE_ASSIGN(auto parsed, sparql::parse_query(text));
    return std::move(parsed.query);
  }

  std::shared_ptr<const GraphSource> graph_;
};

TEST(Diagnosis, ServersCanReadTheProbes) {
  const AskedByText server(testing::graph_of(kData));
  for (const char* where :
       {"?x :name \"Earth\"", ":sun :orbits ?x", "?x a :Moon ; :name \"Luna\"",
        "?x :name ?n FILTER(?n = \"Mars\")", "?x :cost ?c . ?x :agency ?a . ?x :name ?n"}) {
    const Diagnosis found = diagnose_empty(parsed(where), server, {});
    EXPECT_EQ(found.cause, diagnose(where).cause) << where;
    EXPECT_THAT(found.says, Not(HasSubstr("Not every probe"))) << where;
  }
}

TEST(Diagnosis, UnknownNamesGetTheNearest) {
  const Diagnosis property = diagnose("?x a :Planet ; :radiuss ?r");
  EXPECT_EQ(property.cause, EmptyCause::UnknownIri) << property.says;
  EXPECT_THAT(property.parts, ElementsAre("?x :radiuss ?r"));
  EXPECT_THAT(property.candidates, Contains("http://x.example/radius"));
  EXPECT_THAT(property.suggestion, HasSubstr(":radius"));
  const Diagnosis type = diagnose("?x a :Plannet ; :radius ?r");
  EXPECT_THAT(type.candidates, Contains("http://x.example/Planet"));
  EXPECT_THAT(type.suggestion, HasSubstr(":Planet"));
  const Diagnosis thing = diagnose("?x :orbits :eart ; :name ?n");
  EXPECT_EQ(thing.cause, EmptyCause::UnknownIri);
  EXPECT_THAT(thing.suggestion, HasSubstr(":earth"));
  EXPECT_EQ(cause_of("?x :orbits/:nome ?n"), "unknown_iri");
  EXPECT_EQ(cause_of("VALUES ?x { :marz } ?x :name ?n"), "unknown_iri");
  EXPECT_EQ(cause_of("?x :orbits ?y FILTER(?y = :eearth)"), "unknown_iri");
  EXPECT_EQ(cause_of("DESCRIBE :marz"), "unknown_iri");
}

TEST(Diagnosis, TheNearestNameIsKeptTo) {
  const auto graph = testing::graph_of(R"(
@prefix : <http://x.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Planet rdfs:label "Planet" . :Rock rdfs:subClassOf :Planet . :DwarfPlanet rdfs:label "Dwarf planet" .
:Comet a rdfs:Class ; rdfs:label "Comet" . :DeadComet rdfs:label "Dead comet" .
:earth a :Rock . :pluto a :DwarfPlanet . :ash a :DeadComet .
)");
  const auto diagnose_there = [&](const char* where) {
    return diagnose_empty(parsed(where), *graph, {});
  };
  // The same local name, though only its subclasses have instances, and others in its words do.
  const Diagnosis through = diagnose_there("?x a <http://other.example/v#Planet>");
  EXPECT_EQ(through.candidates.front(), "http://x.example/Planet");
  EXPECT_THAT(through.suggestion, HasSubstr("subClassOf"));
  EXPECT_THAT(through.suggestion, HasSubstr("/Planet"));
  EXPECT_THAT(through.says, HasSubstr("its subclasses have instances"));
  const Diagnosis without = diagnose_there("?x a <http://other.example/v#Comet>");
  EXPECT_EQ(without.candidates.front(), "http://x.example/Comet");
  EXPECT_THAT(without.candidates, Contains("http://x.example/DeadComet"));
  EXPECT_EQ(without.suggestion, "");
  EXPECT_THAT(without.says, HasSubstr("With :Comet in its place there are no rows either."));
}

TEST(Diagnosis, TurnedTriplesAreSeen) {
  const Diagnosis alone = diagnose(":sun :orbits ?x . ?x :name ?n");
  EXPECT_EQ(alone.cause, EmptyCause::Reversed) << alone.says;
  EXPECT_THAT(alone.suggestion, HasSubstr("?x :orbits :sun"));
  const Diagnosis in_join = diagnose("?s a :Star . ?s :orbits ?p . ?p :radius ?r");
  EXPECT_EQ(in_join.cause, EmptyCause::Reversed) << in_join.says;
  EXPECT_THAT(in_join.parts, ElementsAre("?s :orbits ?p"));
  EXPECT_EQ(cause_of(":luna :target ?m"), "reversed");
  const Diagnosis nested =
      diagnose("?p :name ?n { { ?s a :Star . ?s :orbits ?p } UNION { ?p :crew ?s . ?s a :Star } }");
  EXPECT_EQ(nested.cause, EmptyCause::Reversed) << nested.says;
  EXPECT_THAT(nested.suggestion, HasSubstr("?p :orbits ?s"));
}

TEST(Diagnosis, AKnownThingWithoutAPropertyIsNoMistake) {
  EXPECT_EQ(cause_of(":phobos :radius ?r"), "truly_empty");
  EXPECT_EQ(cause_of(":mars :found ?f"), "truly_empty");
  EXPECT_EQ(cause_of("?x :target :phobos"), "truly_empty");
  EXPECT_EQ(cause_of("?x :orbits :mars . ?x :seen ?d"), "truly_empty");
}

TEST(Diagnosis, LiteralsInOtherForms) {
  EXPECT_EQ(cause_of("?x :name \"Earth\""), "literal_language");
  EXPECT_EQ(cause_of("?x :name \"Earth\"@de ; :radius ?r"), "literal_language");
  EXPECT_EQ(cause_of("?x :name \"earth\"@en"), "literal_case");
  EXPECT_EQ(cause_of("?x :code \"E  1\""), "literal_space");
  EXPECT_EQ(cause_of("?x :radius \"6371\""), "literal_datatype");
  EXPECT_EQ(cause_of("?x :radius 6371.0"), "literal_datatype");
  EXPECT_EQ(cause_of("?x :year 1969"), "literal_datatype");
  EXPECT_EQ(cause_of("VALUES ?n { \"Earth\" } ?x :name ?n"), "literal_language");
  const Diagnosis repaired = diagnose("?x :name \"EARTH\"@en ; :radius ?r");
  EXPECT_THAT(repaired.candidates, ElementsAre("\"Earth\"@en"));
  EXPECT_THAT(repaired.suggestion, HasSubstr("\"Earth\"@en"));
}

TEST(Diagnosis, GraphsThatDoNotHaveIt) {
  const Diagnosis wrong = diagnose("GRAPH :g1 { ?x :agency ?a }");
  EXPECT_EQ(wrong.cause, EmptyCause::WrongGraph) << wrong.says;
  EXPECT_THAT(wrong.candidates, ElementsAre("http://x.example/g2"));
  EXPECT_THAT(wrong.suggestion, HasSubstr(":g2"));
  EXPECT_EQ(cause_of("GRAPH ?g { ?x :radius ?r }"), "wrong_graph");
  EXPECT_EQ(cause_of("SELECT * FROM :g1 { ?x :agency ?a }"), "wrong_graph");
  EXPECT_EQ(cause_of("SELECT * FROM NAMED :g1 { GRAPH ?g { ?x :agency ?a } }"), "wrong_graph");
  EXPECT_EQ(cause_of("GRAPH ?g { ?x :agency ?a . ?x :cost ?c }"), "wrong_graph");
  EXPECT_EQ(cause_of("GRAPH :g1 { ?x :agency ?a FILTER(isIRI(?a)) }"), "wrong_graph");
}

TEST(Diagnosis, FiltersThatRemoveEverything) {
  const Diagnosis above = diagnose("?x :radius ?r FILTER(?r > 1 && ?r > 99999)");
  EXPECT_EQ(above.cause, EmptyCause::FilterRemovesAll);
  EXPECT_THAT(above.parts, ElementsAre("FILTER(?r > 99999)"));
  EXPECT_THAT(above.says, HasSubstr("all 3 rows"));
  EXPECT_EQ(cause_of("?x :name ?n FILTER(?n = \"Mars\")"), "literal_language");
  EXPECT_EQ(cause_of("?x :name ?n FILTER(STR(?n) = \"mars\")"), "literal_case");
  EXPECT_EQ(cause_of("?x :name ?n FILTER(LANG(?n) = \"fr\")"), "literal_language");
  EXPECT_EQ(cause_of("?x :name ?n FILTER(LANGMATCHES(LANG(?n), \"fr\"))"), "literal_language");
  EXPECT_EQ(cause_of("?x :name ?n FILTER(CONTAINS(?n, \"mars\"))"), "literal_case");
  EXPECT_EQ(cause_of("?x :name ?n FILTER(REGEX(?n, \"^mars\"))"), "literal_case");
  EXPECT_EQ(cause_of("?x :orbits ?y FILTER(CONTAINS(?y, \"mars\"))"), "literal_datatype");
  EXPECT_EQ(cause_of("?x :year ?y FILTER(?y > 1900)"), "literal_datatype");
  EXPECT_EQ(cause_of("?x :radius ?r FILTER(DATATYPE(?r) = xsd:double)"), "literal_datatype");
  EXPECT_EQ(cause_of("?x :radius ?r FILTER NOT EXISTS { ?x a ?t }"), "filter_removes_all");
  EXPECT_EQ(cause_of("?x :radius ?r MINUS { ?x a ?t }"), "filter_removes_all");
  EXPECT_EQ(cause_of("?x :radius ?r FILTER EXISTS { ?x :nosuch ?t }"), "unknown_iri");
  const Diagnosis both =
      diagnose("?x :radius ?r FILTER(?r > 4000) FILTER(?r < 2000) FILTER(?r > 1)");
  EXPECT_EQ(both.cause, EmptyCause::FilterRemovesAll);
  EXPECT_THAT(both.parts, ElementsAre("FILTER(?r > 4000)", "FILTER(?r < 2000)"));
}

TEST(Diagnosis, VariablesThatAreNeverBound) {
  const Diagnosis stray = diagnose("?x :radius ?radius FILTER(?raduis > 5)");
  EXPECT_EQ(stray.cause, EmptyCause::FilterRemovesAll);
  EXPECT_THAT(stray.candidates, ElementsAre("?radius"));
  EXPECT_EQ(cause_of("?x a :Planet OPTIONAL { ?x :radiuss ?r } FILTER(?r > 5)"), "unknown_iri");
  EXPECT_EQ(cause_of("?x a :Planet OPTIONAL { ?x :radiuss ?r } FILTER(BOUND(?r))"), "unknown_iri");
  EXPECT_EQ(cause_of("?x a :Planet OPTIONAL { ?x :radius ?r } FILTER(?r > 9999)"),
            "filter_removes_all");
  EXPECT_EQ(cause_of("BIND(\"Earth\" AS ?n) ?x :name ?n"), "literal_language");
  EXPECT_THAT(diagnose("BIND(\"Earth\" AS ?n) ?x :name ?n").suggestion, HasSubstr("\"Earth\"@en"));
  EXPECT_THAT(diagnose("?x :radius ?r BIND(?r + 1 AS ?s) ?y :crew ?s").parts,
              ElementsAre("?x :radius ?r", "BIND(?r + 1 AS ?s)", "?y :crew ?s"));
}

TEST(Diagnosis, ModifiersThatLeaveNothing) {
  EXPECT_EQ(cause_of("SELECT ?x { ?x :radius ?r } LIMIT 0"), "filter_removes_all");
  EXPECT_THAT(diagnose("SELECT ?x { ?x :radius ?r } OFFSET 10").says, HasSubstr("3 rows"));
  EXPECT_THAT(diagnose("SELECT ?t { ?x a ?t } GROUP BY ?t HAVING (COUNT(?x) > 9)").parts,
              ElementsAre("HAVING(COUNT(?x) > 9)"));
  EXPECT_EQ(cause_of("SELECT (COUNT(*) AS ?n) { ?x :radiuss ?r }"), "unknown_iri");
  EXPECT_EQ(cause_of("SELECT (COUNT(?r) AS ?n) { ?x a :Planet OPTIONAL { ?x :radiuss ?r } }"),
            "unknown_iri");
  EXPECT_EQ(cause_of("ASK { ?x :radiuss ?r }"), "unknown_iri");
  EXPECT_EQ(cause_of("{ SELECT ?x { ?x :radiuss ?r } } ?x a ?t"), "unknown_iri");
}

TEST(Diagnosis, JoinsNameTheSmallestSet) {
  const Diagnosis pair = diagnose("?x a :Star . ?x :name ?n . ?x :crew ?c . ?x :mass ?m");
  EXPECT_EQ(pair.cause, EmptyCause::EmptyJoin) << pair.says;
  EXPECT_THAT(pair.parts, ElementsAre("?x a :Star", "?x :crew ?c"));
  EXPECT_EQ(pair.spans.size(), 2U);
  EXPECT_THAT(diagnose("{ ?x :radiuss ?y } UNION { ?x :crew ?z . ?x :radius ?y }").says,
              HasSubstr("2 branches"));
  const Diagnosis three = diagnose("?x :orbits ?y . ?y :orbits ?z . ?z :orbits ?w . ?x :name ?n");
  EXPECT_EQ(three.cause, EmptyCause::TrulyEmpty) << three.says;
  EXPECT_EQ(three.parts.size(), 3U);
}

TEST(Diagnosis, AClassOfSubclassesOnly) {
  const Diagnosis out = diagnose("?x a :Body ; :name ?n");
  EXPECT_EQ(out.cause, EmptyCause::NoMatch) << out.says;
  EXPECT_THAT(out.suggestion, HasSubstr("subClassOf>*"));
}

TEST(Diagnosis, AsksNoScansOfALargeEndpoint) {
  testing::FarGraph far(testing::graph_of(kData));
  OpContext op;
  op.deadline = Deadline(real_clock(), std::chrono::seconds(30));
  const Diagnosis search =
      diagnose_empty(parsed("?x :name ?n FILTER(CONTAINS(?n, \"pluto\"))"), far, op);
  EXPECT_THAT(search.says, HasSubstr("Not every probe could be run"));
  const auto asked = far.take_asked();
  EXPECT_LE(asked.size(), 20U);
  for (const std::string& query : asked) {
    EXPECT_THAT(query, Not(HasSubstr("REPLACE"))) << "looks into the text of everything";
    EXPECT_THAT(query, Not(HasSubstr("CONTAINS"))) << "the same";
  }
  // What an index answers is asked as ever.
  const Diagnosis name = diagnose_empty(parsed("?x a :Plannet ; :radius ?r"), far, op);
  EXPECT_EQ(name.cause, EmptyCause::UnknownIri) << name.says;
  EXPECT_THAT(name.suggestion, HasSubstr(":Planet"));
}

TEST(Diagnosis, SuggestionsGiveRows) {
  static const auto graph = testing::graph_of(kData);
  for (const char* text :
       {"?x a :Plannet", ":sun :orbits ?x", "?x :name \"earth\"@en", "GRAPH :g1 { ?x :agency ?a }",
        "?x :name ?n FILTER(REGEX(?n, \"^mars\"))", "GRAPH ?g { ?x :radius ?r }",
        "?x :name ?n FILTER(?n = \"Mars\")", "SELECT ?x FROM :g1 { ?x :agency ?a }"}) {
    const Diagnosis out = diagnose(text);
    ASSERT_THAT(out.suggestion, Not(IsEmpty())) << text << out.says;
    const auto query = sparql::parse_query(out.suggestion);
    ASSERT_TRUE(query) << out.suggestion;
    class Counter final : public RowSink {
      Result<void> columns(const std::vector<std::string>&) override { return {}; }
      Result<void> row(Row) override { return {}; }
    } sink;
    EXPECT_GT(graph->run(query->query, 10, sink, {}).rows, 0U) << out.suggestion;
  }
}

}  // namespace
}  // namespace helve::toolkit
