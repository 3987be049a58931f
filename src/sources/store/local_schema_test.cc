#include "sources/store/local_schema.h"

#include <gtest/gtest.h>

#include "base/executor.h"
#include "sources/store/loader.h"

namespace helve::store {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kSchemaPrefixes = R"(
@prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
)";

GraphSchema schema_of(const std::string& trig, Executor* executor = nullptr) {
  OpContext context;
  context.executor = executor;
  std::vector<rdf::Document> documents;
  const std::string text = kSchemaPrefixes + trig;
  documents.push_back(rdf::Document::from_text("t.trig", text, rdf::Format::TriG));
  const auto loaded = load_documents(std::move(documents), {}, {});
  EXPECT_TRUE(loaded.has_value()) << loaded.error().to_string();
  return make_schema(*loaded->snapshot, context).value();
}

std::string ex(const std::string& name) { return "http://example.org/" + name; }

TEST(LocalSchema, ClassesUsedAndDeclared) {
  const auto schema = schema_of(R"(
    ex:Person a owl:Class ; rdfs:label "Mensch"@de , "Person"@en ; skos:prefLabel "Mensch"@de .
    ex:Unused a rdfs:Class ; rdfs:label "Unused" .
    ex:a a ex:Person , ex:Student . ex:b a ex:Person . ex:c a [] .
  )");
  const ClassInfo* person = schema.find_class(ex("Person"));
  ASSERT_NE(person, nullptr);
  EXPECT_EQ(person->instances, 2U);
  EXPECT_EQ(person->label, "Person");
  EXPECT_TRUE(person->is_declared);
  const ClassInfo* unused = schema.find_class(ex("Unused"));
  ASSERT_NE(unused, nullptr);
  EXPECT_EQ(unused->instances, 0U);
  EXPECT_TRUE(unused->is_declared);
  EXPECT_FALSE(schema.find_class(ex("Student"))->is_declared);
  EXPECT_EQ(schema.classes.front().iri, ex("Person"));
  EXPECT_EQ(schema.classes.back().instances, 0U);
}

TEST(LocalSchema, KindsOfProperties) {
  const auto schema = schema_of(R"(
    ex:declared a owl:ObjectProperty . ex:note a owl:AnnotationProperty . ex:plain a rdf:Property .
    ex:a ex:toThing ex:b ; ex:toBlank [] ; ex:toText "x" ; ex:toNumber 1 ; ex:both 1 , ex:b ;
         ex:note "n" .
  )");
  const auto kind = [&](const char* name) { return schema.find_property(ex(name))->kind; };
  EXPECT_EQ(kind("declared"), PropertyKind::Object);
  EXPECT_EQ(kind("note"), PropertyKind::Annotation);
  EXPECT_EQ(kind("plain"), PropertyKind::Unknown);
  EXPECT_EQ(kind("toThing"), PropertyKind::Object);
  EXPECT_EQ(kind("toBlank"), PropertyKind::Object);
  EXPECT_EQ(kind("toText"), PropertyKind::Datatype);
  EXPECT_EQ(kind("toNumber"), PropertyKind::Datatype);
  EXPECT_EQ(kind("both"), PropertyKind::Mixed);
  EXPECT_TRUE(schema.find_property(ex("plain"))->is_declared);
  EXPECT_EQ(schema.find_property(ex("plain"))->triples, 0U);
  EXPECT_FALSE(schema.find_property(ex("both"))->is_declared);
  EXPECT_EQ(schema.find_property(ex("both"))->triples, 2U);
}

TEST(LocalSchema, DomainsAndRanges) {
  const auto schema = schema_of(R"(
    ex:owns a owl:ObjectProperty ; rdfs:domain ex:Owner ; rdfs:range ex:Asset .
    ex:likes schema:domainIncludes ex:A , ex:B .
    ex:a a ex:Person , owl:NamedIndividual ; ex:name "Anna"@en ; ex:age 7 ; ex:knows ex:b ;
         ex:owns ex:b ; ex:likes ex:b .
    ex:b a ex:Dog .
  )");
  const auto domains = [&](const char* name) { return schema.find_property(ex(name))->domains; };
  const auto ranges = [&](const char* name) { return schema.find_property(ex(name))->ranges; };
  EXPECT_EQ(domains("owns"), Strings{ex("Owner")});
  EXPECT_EQ(ranges("owns"), Strings{ex("Asset")});
  EXPECT_EQ(domains("likes"), (Strings{ex("A"), ex("B")}));
  EXPECT_EQ(domains("knows"), Strings{ex("Person")});
  EXPECT_EQ(ranges("knows"), Strings{ex("Dog")});
  EXPECT_EQ(ranges("age"), Strings{"http://www.w3.org/2001/XMLSchema#integer"});
  EXPECT_EQ(ranges("name"), Strings{"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"});
}

TEST(LocalSchema, NamespacesAndGraphs) {
  const auto schema = schema_of(R"(
    ex:a ex:p ex:b , ex:c .
    <http://other.org/x> ex:p ex:a .
    GRAPH ex:g { ex:a ex:p ex:d . ex:a ex:p ex:e }
    GRAPH ex:h { ex:a ex:p ex:d }
  )");
  ASSERT_EQ(schema.namespaces.size(), 2U);
  EXPECT_EQ(schema.namespaces[0].prefix, "ex");
  EXPECT_EQ(schema.namespaces[0].terms, 8U);
  EXPECT_EQ(schema.namespaces[1].prefix, "");
  EXPECT_EQ(schema.namespaces[1].iri, "http://other.org/");
  ASSERT_EQ(schema.graphs.size(), 2U);
  EXPECT_EQ(schema.graphs[0], std::make_pair(ex("g"), std::uint64_t{2}));
}

TEST(LocalSchema, SameOnManyThreadsAndEmpty) {
  std::string turtle;
  for (int i = 0; i < 3'000; ++i) {
    const std::string n = std::to_string(i);
    turtle += "ex:c" + n + " a owl:Class ; rdfs:label \"class " + n + "\" . ex:i" + n + " a ex:c" +
              std::to_string(i % 50) + " ; ex:p" + n + " ex:i" + std::to_string(i / 2) + " .\n";
  }
  Executor executor(4);
  const auto alone = schema_of(turtle);
  const auto together = schema_of(turtle, &executor);
  ASSERT_EQ(alone.classes.size(), 3'001U);
  ASSERT_EQ(alone.properties.size(), together.properties.size());
  for (std::size_t i = 0; i < alone.classes.size(); ++i) {
    ASSERT_EQ(alone.classes[i].iri, together.classes[i].iri);
    ASSERT_EQ(alone.classes[i].label, together.classes[i].label);
  }
  for (std::size_t i = 0; i < alone.properties.size(); ++i) {
    ASSERT_EQ(alone.properties[i].iri, together.properties[i].iri);
    ASSERT_EQ(alone.properties[i].ranges, together.properties[i].ranges);
  }
  const auto empty = schema_of("");
  EXPECT_TRUE(empty.classes.empty() && empty.properties.empty() && empty.namespaces.empty());
}

}  // namespace
}  // namespace helve::store
