#include "toolkit/context/graph_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph/counting_graph.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/context/schema_constraints.h"
#include "toolkit/context/sense_card.h"

namespace helve::context {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr std::string_view kPrefixes = R"(
@prefix ex: <http://e.x/v#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
)";

std::shared_ptr<const GraphSource> graph(std::string_view turtle) {
  return helve::testing::graph_of(std::string(kPrefixes) + std::string(turtle));
}

GraphFacts facts_of(std::string_view turtle) {
  auto facts = gather_facts(*graph(turtle), {});
  EXPECT_TRUE(facts.has_value());
  return facts ? *std::move(facts) : GraphFacts();
}

std::vector<std::string> names_of(const Leading<PropertyFacts>& list) {
  std::vector<std::string> names;
  for (const PropertyFacts& one : list.first) names.push_back(one.iri);
  return names;
}

constexpr std::string_view kOntology = R"(
<http://e.x/v> a owl:Ontology ; dct:title "Titel"@de , "A title"@en ; rdfs:label "worse" ;
  owl:versionInfo "2" ; dct:description "What it is for."@en ; owl:imports <http://e.x/other> .
ex:A a owl:Class ; rdfs:label "a"@en ; owl:disjointWith ex:B ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ex:p ; owl:maxCardinality 1 ] ,
                  [ a owl:Restriction ; owl:onProperty ex:p ; owl:minCardinality 1 ] .
ex:B a owl:Class , rdfs:Class ; rdfs:subClassOf ex:A .
ex:Colour a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:oneOf ( ex:red ex:blue ) ] .
[] a owl:AllDisjointClasses ; owl:members ( ex:A ex:B ex:Colour ) .
ex:p a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:domain ex:A ;
  rdfs:range [ a owl:Class ; owl:unionOf ( ex:B ex:Colour ) ] ; owl:inverseOf ex:q .
ex:q a owl:ObjectProperty ; rdfs:subPropertyOf ex:p .
ex:d a owl:DatatypeProperty ; rdfs:range xsd:string .
ex:note a owl:AnnotationProperty .
)";

TEST(GraphFacts, CountsWhatIsDeclared) {
  const GraphFacts facts = facts_of(kOntology);
  EXPECT_TRUE(facts.has_declared_classes);
  EXPECT_EQ(facts.class_count, 5u);  // something of both types counts once; two have no name
  EXPECT_EQ(facts.named_class_count, 3u);
  EXPECT_EQ(facts.property_count, 3u);
  EXPECT_EQ(facts.annotation_only_count, 1u);
  EXPECT_EQ(facts.classes_with_instances, 0u);
  EXPECT_EQ(facts.main_namespace, "http://e.x/v#");
}

TEST(GraphFacts, CountsWhatIsUsedWhereNothingIsDeclared) {
  const GraphFacts facts = facts_of("ex:a a ex:T ; ex:p ex:b . ex:b a ex:T ; ex:q 1 , 2 .");
  EXPECT_FALSE(facts.has_declared_classes);
  EXPECT_FALSE(facts.has_declared_properties);
  EXPECT_EQ(facts.class_count, 1u);
  EXPECT_EQ(facts.property_count, 3u);  // rdf:type is one
  EXPECT_THAT(names_of(facts.object_properties), ElementsAre("http://e.x/v#p"));
  EXPECT_THAT(names_of(facts.datatype_properties), ElementsAre("http://e.x/v#q"));
  EXPECT_FALSE(facts.formalism.is_owl || facts.formalism.is_rdfs);
}

TEST(GraphFacts, ReadsTheHeaderInTheBestLanguage) {
  const GraphFacts facts = facts_of(kOntology);
  EXPECT_EQ(facts.main.iri, "http://e.x/v");
  EXPECT_EQ(facts.main.title, "A title");
  EXPECT_EQ(facts.main.version, "2");
  EXPECT_EQ(facts.main.description, "What it is for.");
  EXPECT_THAT(facts.imports, ElementsAre("http://e.x/other"));
}

TEST(GraphFacts, AVocabularyWithoutAHeaderIsDescribedByItsNamespace) {
  const GraphFacts facts =
      facts_of("ex:A a rdfs:Class . <http://e.x/v#> dct:title \"Bare\" . ex:p a rdf:Property .");
  EXPECT_EQ(facts.main.title, "Bare");
  EXPECT_EQ(facts.main.iri, "http://e.x/v#");
}

TEST(GraphFacts, ReadsEndsOfPropertiesAndOpensUnions) {
  const GraphFacts facts = facts_of(kOntology);
  ASSERT_EQ(facts.object_properties.first.size(), 2u);
  const PropertyFacts& p = facts.object_properties.first[0];
  EXPECT_EQ(p.iri, "http://e.x/v#p");  // more is below it
  EXPECT_THAT(p.domains, ElementsAre("http://e.x/v#A"));
  EXPECT_THAT(p.ranges, ElementsAre("http://e.x/v#B", "http://e.x/v#Colour"));
  EXPECT_TRUE(facts.has_union_ends);
  EXPECT_TRUE(facts.object_properties.first[1].domains.empty());
}

TEST(GraphFacts, ObservedEndsAreNotTakenForDeclaredOnes) {
  const GraphFacts facts = facts_of(
      "ex:p a rdf:Property . ex:q a rdf:Property ; rdfs:domain ex:T . ex:a a ex:T ; ex:p ex:b .");
  ASSERT_THAT(names_of(facts.object_properties), ElementsAre("http://e.x/v#p"));
  EXPECT_THAT(facts.object_properties.first[0].domains, IsEmpty());
}

TEST(GraphFacts, ReadsAxioms) {
  const GraphFacts facts = facts_of(kOntology);
  EXPECT_THAT(facts.disjoint,
              ElementsAre(ElementsAre("http://e.x/v#A", "http://e.x/v#B", "http://e.x/v#Colour"),
                          ElementsAre("http://e.x/v#A", "http://e.x/v#B")));
  EXPECT_THAT(facts.inverses, ElementsAre(Pair("http://e.x/v#p", "http://e.x/v#q")));
  ASSERT_EQ(facts.traits_of.size(), 1u);
  EXPECT_EQ(facts.traits_of[0].first, PropertyTrait::Functional);
  ASSERT_EQ(facts.cardinalities.size(), 1u);
  EXPECT_EQ(facts.cardinalities[0].least, 1u);
  EXPECT_EQ(facts.cardinalities[0].most, 1u);
}

TEST(GraphFacts, FindsEnumerations) {
  const GraphFacts closed = facts_of(kOntology);
  ASSERT_EQ(closed.enumerations.size(), 1u);
  EXPECT_TRUE(closed.enumerations[0].is_closed);
  EXPECT_THAT(closed.enumerations[0].members, ElementsAre("http://e.x/v#blue", "http://e.x/v#red"));

  const GraphFacts schema_org = facts_of(R"(
      schema:Enumeration a rdfs:Class . schema:Mid a rdfs:Class ; rdfs:subClassOf schema:Enumeration .
      schema:Size a rdfs:Class ; rdfs:subClassOf schema:Mid . schema:p schema:domainIncludes schema:Size .
      schema:Small a schema:Size . schema:Large a schema:Size .
      schema:Person a rdfs:Class . ex:a a schema:Person . ex:b a schema:Person .)");
  ASSERT_EQ(schema_org.enumerations.size(), 1u);
  EXPECT_EQ(schema_org.enumerations[0].class_iri, "https://schema.org/Size");
  EXPECT_FALSE(schema_org.enumerations[0].is_closed);
}

TEST(GraphFacts, AnEnumerationWithThingsThatHaveNoNameIsNotListed) {
  EXPECT_THAT(facts_of("ex:a a ex:T . ex:b a ex:T . [] a ex:T .").enumerations, IsEmpty());
  EXPECT_EQ(facts_of("ex:a a ex:T . ex:b a ex:T .").enumerations.size(), 1u);
}

TEST(GraphFacts, TellsTheLabelPropertyThatIsUsedMostAndItsLanguages) {
  const GraphFacts facts = facts_of(
      "ex:a skos:prefLabel \"x\"@en , \"y\"@de , \"z\"@de ; rdfs:label \"l\" ; skos:definition 1 "
      ".");
  EXPECT_EQ(facts.labels.property, "http://www.w3.org/2004/02/skos/core#prefLabel");
  EXPECT_EQ(facts.labels.triples, 3u);
  EXPECT_THAT(facts.labels.languages, ElementsAre(Pair("de", 2u), Pair("en", 1u)));
  EXPECT_EQ(facts.descriptions.property, "http://www.w3.org/2004/02/skos/core#definition");
}

TEST(GraphFacts, FindsModulesAndClassesThatOnlySubclassesFill) {
  const GraphFacts facts = facts_of(R"(
      ex:Top a owl:Class ; rdfs:isDefinedBy <http://e.x/m1> .
      ex:Low a owl:Class ; rdfs:subClassOf ex:Top ; rdfs:isDefinedBy <http://e.x/m2> .
      ex:Empty a owl:Class . ex:Under a owl:Class ; rdfs:subClassOf ex:Empty ;
      rdfs:isDefinedBy <http://e.x/m2> . ex:i a ex:Low .)");
  EXPECT_THAT(facts.modules, ElementsAre(Pair("http://e.x/m2", 2u), Pair("http://e.x/m1", 1u)));
  EXPECT_THAT(facts.only_by_subclass, ElementsAre("http://e.x/v#Top"));
}

TEST(GraphFacts, OnlyNamespacesOfTheDataAreTold) {
  const GraphFacts facts = facts_of("ex:a ex:p ex:b .");
  ASSERT_EQ(facts.namespaces.first.size(), 1u);  // though many prefixes are declared
  EXPECT_EQ(facts.namespaces.first[0].prefix, "ex");
  EXPECT_EQ(facts.namespaces.total, 1u);
}

TEST(GraphFacts, AsksAtMostSoManyQueriesAndNeverForAllTriples) {
  helve::testing::CountingGraph counted(graph(kOntology));
  ASSERT_TRUE(gather_facts(counted, {}));
  EXPECT_LE(counted.queries(), kFactQueriesMax);
  EXPECT_GE(counted.queries(), 8u);
  for (const std::string& query : counted.asked()) {
    // A variable predicate stands beside the VALUES that bind it.
    for (const char* name : {" ?p ", "?e ?", "?k ?n"}) {
      if (query.find(name) == std::string::npos) continue;
      EXPECT_THAT(query, HasSubstr("VALUES")) << query;
    }
  }
}

// A graph that can be read is not asked; behind CountingGraph it is.
TEST(GraphFacts, ReadingAndAskingFindTheSame) {
  const std::string qualified = R"(
ex:C a owl:Class ; owl:equivalentClass [ owl:onProperty ex:p ; owl:onClass ex:B ;
  owl:qualifiedCardinality 2 ] ; rdfs:isDefinedBy ex:one . ex:D rdfs:isDefinedBy ex:two .
ex:E owl:oneOf ( ex:x ex:y ) ; dct:hasPart ex:F . ex:Bad owl:oneOf ( "a" ex:y ) .
ex:loop owl:unionOf _:l . _:l rdf:first ex:A ; rdf:rest _:l . ex:q rdfs:domain ex:loop .
schema:size schema:domainIncludes ex:A ; schema:rangeIncludes schema:Size .
schema:Size rdfs:subClassOf schema:Enumeration . schema:Size2 a rdfs:Class ; rdfs:subClassOf schema:Size .
ex:s a schema:Size2 . ex:t a schema:Size2 .)";
  const auto near = graph(std::string(kOntology) + qualified);
  helve::testing::CountingGraph counted(near);
  const auto read = gather_facts(*near, {});
  const auto asked = gather_facts(counted, {});
  ASSERT_TRUE(read && asked);
  EXPECT_GE(counted.queries(), 12u);
  EXPECT_EQ(pack_sense_card(*read).text, pack_sense_card(*asked).text);
  EXPECT_EQ(pack_schema_constraints(*read, nullptr).text,
            pack_schema_constraints(*asked, nullptr).text);
  EXPECT_EQ(read->disjoint, asked->disjoint);
  EXPECT_EQ(read->inverses, asked->inverses);
  EXPECT_EQ(read->modules, asked->modules);
  EXPECT_EQ(read->traits_of, asked->traits_of);
  EXPECT_EQ(read->has_union_ends, asked->has_union_ends);
  ASSERT_EQ(read->cardinalities.size(), asked->cardinalities.size());
  EXPECT_EQ(read->cardinalities.size(), 2u);
  ASSERT_EQ(read->enumerations.size(), asked->enumerations.size());
  EXPECT_EQ(read->enumerations.size(), 3u);
  for (std::size_t i = 0; i < read->enumerations.size(); ++i) {
    EXPECT_EQ(read->enumerations[i].members, asked->enumerations[i].members);
  }
  for (const auto list : {&GraphFacts::object_properties, &GraphFacts::other_properties}) {
    ASSERT_EQ(names_of((*read).*list), names_of((*asked).*list));
    for (std::size_t i = 0; i < ((*read).*list).first.size(); ++i) {
      EXPECT_EQ(((*read).*list).first[i].domains, ((*asked).*list).first[i].domains);
      EXPECT_EQ(((*read).*list).first[i].ranges, ((*asked).*list).first[i].ranges);
    }
  }
}

TEST(GraphFacts, WorkDoesNotGrowWithTheData) {
  std::string small = "ex:T a owl:Class ; rdfs:label \"t\" . ";
  std::string large = small;
  for (int i = 0; i < 5'000; ++i) {
    large += "ex:i" + std::to_string(i) + " a ex:T ; rdfs:label \"i\" ; ex:p " + std::to_string(i) +
             " . ";
  }
  helve::testing::CountingGraph counted(graph(large));
  ASSERT_TRUE(gather_facts(counted, {}));
  EXPECT_LE(counted.queries(), kFactQueriesMax);
  EXPECT_LE(counted.rows(), 300u);
}

TEST(GraphFacts, NothingIsAskedForThatTheSchemaDoesNotHave) {
  helve::testing::CountingGraph counted(graph("ex:a ex:p ex:b ."));
  ASSERT_TRUE(gather_facts(counted, {}));
  EXPECT_EQ(counted.queries(), 0u);
}

TEST(GraphFacts, HonoursCancellation) {
  OpContext context;
  context.cancel.cancel();
  const auto facts = gather_facts(*graph(kOntology), context);
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, ErrorCode::Cancelled);
}

TEST(GraphFacts, WhatAnEndpointDoesNotAnswerIsAGap) {
  helve::testing::CountingGraph far(graph(kOntology));
  SourceInfo info = far.info();
  info.is_remote = true;
  far.set_info(info);
  far.fail_from(0, {ErrorCode::Unavailable, "busy", "later"});
  const auto facts = gather_facts(far, {});
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->gaps.size(), far.queries());
  EXPECT_EQ(facts->named_class_count, 3u);

  helve::testing::CountingGraph near(graph(kOntology));
  near.fail_from(0, {ErrorCode::Internal, "damaged", ""});
  EXPECT_FALSE(gather_facts(near, {}));
}

TEST(GraphFacts, LongTextsAreCutAndOverlongNamesLeftOut) {
  const std::string text(100'000, 'x');
  const GraphFacts facts = facts_of("<http://e.x/v> a owl:Ontology ; dct:title \"" + text +
                                    "\" ; owl:imports <http://e.x/" + text + "> .");
  EXPECT_EQ(facts.main.title.size(), 4'096u);
  EXPECT_THAT(facts.imports, IsEmpty());
}

}  // namespace
}  // namespace helve::context
