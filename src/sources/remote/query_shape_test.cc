#include "sources/remote/query_shape.h"

#include <gtest/gtest.h>

#include "sources/sparql/algebra/parser.h"

namespace helve::remote {
namespace {

std::string shape(const std::string& query) {
  const auto parsed = sparql::parse_query("PREFIX : <http://e/> " + query);
  return parsed ? shape_of(parsed->query) : parsed.error().to_string();
}

TEST(QueryShape, SaysWhereItStarts) {
  EXPECT_EQ(shape("SELECT * { ?s ?p ?o }"), "over all");
  EXPECT_EQ(shape("SELECT * { ?s :p ?o }"), "by property");
  EXPECT_EQ(shape("SELECT * { ?s :p/:q ?o }"), "by property");
  EXPECT_EQ(shape("SELECT * { ?s a :C }"), "by class");
  EXPECT_EQ(shape("SELECT * { ?s :p 5 }"), "by value");
  EXPECT_EQ(shape("SELECT * { VALUES ?o { 5 } ?s :p ?o }"), "by value");
  EXPECT_EQ(shape("SELECT * { ?s :p ?o } VALUES ?o { 5 }"), "by value");
  EXPECT_EQ(shape("SELECT * { :s ?p ?o }"), "by subject");
  EXPECT_EQ(shape("DESCRIBE :s"), "by subject, describe");
}

TEST(QueryShape, TheBestStartCounts) {
  EXPECT_EQ(shape("SELECT * { ?s ?p ?o . ?s a :C }"), "by class, join");
  EXPECT_EQ(shape("SELECT * { ?s a :C . ?s :p 5 }"), "by value, join");
}

TEST(QueryShape, SaysWhatIsToBeDone) {
  EXPECT_EQ(shape("SELECT * { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?e }"),
            "by property, long join");
  EXPECT_EQ(shape("SELECT * { :a (:p|^:q)* ?b }"), "by subject, path");
  EXPECT_EQ(shape("SELECT * { ?a :p ?b FILTER(?b > 1 && CONTAINS(LCASE(?b), 'x')) }"),
            "by property, text");
  EXPECT_EQ(shape("SELECT DISTINCT ?a { { ?a :p ?b } UNION { ?a :q ?b } OPTIONAL { ?a :r ?c } "
                  "MINUS { ?a a :D } } ORDER BY ?a LIMIT 5"),
            "by class, long join, optional, union, minus, distinct, sorted, limited");
  EXPECT_EQ(shape("SELECT (COUNT(*) AS ?n) { SELECT * { ?a :p ?b } }"),
            "by property, sub-query, grouped");
  EXPECT_EQ(shape("ASK { SERVICE <http://x/> { ?a :p ?b } }"), "by property, service, ask");
  EXPECT_EQ(shape("CONSTRUCT WHERE { ?a :p ?b }"), "by property, construct");
}

TEST(QueryShape, NamesDoNotMatter) {
  EXPECT_EQ(shape("SELECT * { ?s :p ?o }"), shape("SELECT * { ?x :q ?y }"));
}

}  // namespace
}  // namespace helve::remote
