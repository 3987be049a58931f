// The reference evaluator by itself: small cases whose answers the specification gives.
#include "tests/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "sources/sparql/algebra/parser.h"
#include "tests/support/dataset/memory_dataset.h"

namespace helve::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ReferenceTest : public ::testing::Test {
 protected:
  void load(std::string_view trig) { data_ = memory_snapshot(trig); }

  Result<ReferenceAnswer> ask(std::string_view text, const ReferenceOptions& options = {}) const {
    sparql::ParseOptions parse_options;
    parse_options.known_prefixes = {{"", "http://example.org/"}};
    HELVE_ASSIGN(const auto parsed, sparql::parse_query(text, parse_options));
    return evaluate(parsed.query, data_, options);
  }

  // Short forms: "a b 1"; groups one behind the other.
  std::vector<std::string> rows(std::string_view text) const {
    const auto answer = ask(text);
    if (!answer) return {answer.error().to_string()};
    std::vector<std::string> out;
    for (const RowGroup& group : answer->groups) {
      for (const Row& row : group.rows) out.push_back(shortened(row));
    }
    return out;
  }

  static std::string shortened(std::string row) {
    for (const std::string_view noise :
         {"<http://example.org/", "^^<http://www.w3.org/2001/XMLSchema#integer>", ">", "\""}) {
      for (auto at = row.find(noise); at != std::string::npos; at = row.find(noise)) {
        row.erase(at, noise.size());
      }
    }
    return row;
  }

  std::shared_ptr<const MemorySnapshot> data_ = memory_snapshot("");
};

TEST_F(ReferenceTest, BlankNodesCountButDoNotShow) {
  load(":a :p 1 , 2 . :b :p 3 .");
  EXPECT_THAT(rows("SELECT * { ?s :p [] }"), UnorderedElementsAre("a", "a", "b"));
  EXPECT_THAT(rows("SELECT (COUNT(DISTINCT *) AS ?n) { ?s :p [] }"), ElementsAre("2"));
}

TEST_F(ReferenceTest, JoinsAreBottomUp) {
  load(":a :p 1 . :b :p 2 . :b :q 3 .");
  EXPECT_THAT(rows("SELECT ?x ?n { ?x :p ?n { FILTER(?n = 1) } }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?x ?m { ?x :p ?n OPTIONAL { ?x :q ?m FILTER(?n = 2) } }"),
              UnorderedElementsAre("a -", "b 3"));
  EXPECT_THAT(rows("SELECT ?x ?m { ?x :p ?n OPTIONAL { { ?x :q ?m FILTER(?n = 2) } } }"),
              UnorderedElementsAre("a -", "b -"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p ?n MINUS { ?y :q ?m } }"), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p ?n MINUS { ?x :q ?m } }"), ElementsAre("a"));
  EXPECT_THAT(rows("SELECT ?x ?y { ?x :p 1 VALUES (?x ?y) { (:a UNDEF) (UNDEF 5) (:b 6) } }"),
              UnorderedElementsAre("a -", "a 5"));
}

TEST_F(ReferenceTest, Paths) {
  load(":a :p :b . :b :p :c . :c :p :a . :c :q :d . :a :q :d .");
  EXPECT_THAT(rows("SELECT ?y { :a :p+ ?y }"), UnorderedElementsAre("a", "b", "c"));
  EXPECT_THAT(rows("SELECT ?x { ?x (:p/:q) :d }"), UnorderedElementsAre("b", "c"));
  EXPECT_THAT(rows("SELECT ?y { :a (:p|:p) ?y }"), ElementsAre("b", "b"));
  EXPECT_THAT(rows("SELECT ?y { :a (:p|:p)? ?y }"), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(rows("SELECT ?y { :d !(:p) ?y }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?y { :d !(^:p) ?y }"), UnorderedElementsAre("a", "c"));
  // A term that the graph does not have, and a variable that meets one.
  EXPECT_THAT(rows("SELECT ?y { :z :p* ?y }"), ElementsAre("z"));
  EXPECT_THAT(rows("SELECT ?y { VALUES ?x { :z } ?x :p* ?y }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?x { ?x :p+ ?x }"), UnorderedElementsAre("a", "b", "c"));
}

TEST_F(ReferenceTest, Exists) {
  load(":a :p 1 . :b :p 2 . :b :q 2 .");
  EXPECT_THAT(rows("SELECT ?x { ?x :p ?n FILTER EXISTS { ?y :q ?m FILTER(?m = ?n) } }"),
              ElementsAre("b"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p ?n FILTER NOT EXISTS { ?x :p ?k MINUS { ?x :q ?m } } }"),
              ElementsAre("b"));
  EXPECT_THAT(
      rows("SELECT ?x { ?x :p ?n FILTER EXISTS { SELECT ?x { ?x :q ?n FILTER(?n = 2) } } }"),
      ElementsAre("b"));
  EXPECT_THAT(rows("SELECT ?x { VALUES ?x { 7 } FILTER EXISTS { ?x :p? ?x } }"), IsEmpty());
}

TEST_F(ReferenceTest, Graphs) {
  load(":a :p 0 . :g { :a :p 1 . :b :p 1 } :h { :a :p 1 }");
  EXPECT_THAT(rows("SELECT ?g ?x { GRAPH ?g { ?x :p 1 } }"),
              UnorderedElementsAre("g a", "g b", "h a"));
  EXPECT_THAT(rows("SELECT ?x FROM :g FROM :h { ?x :p 1 }"), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(rows("SELECT ?x FROM NAMED :g { { ?x :p ?n } UNION { GRAPH ?g { ?x :p ?n } } }"),
              UnorderedElementsAre("a", "b"));
  EXPECT_THAT(rows("SELECT ?g { GRAPH ?g { } }"), UnorderedElementsAre("g", "h"));
  EXPECT_THAT(rows("SELECT ?g { GRAPH ?g { ?x :p ?n FILTER(?g = :g) } }"), IsEmpty());
}

TEST_F(ReferenceTest, Groups) {
  load(":a :p 1 , 2 . :b :p 3 .");
  EXPECT_THAT(rows("SELECT ?x (SUM(?n) + 1 AS ?s) { ?x :p ?n } GROUP BY ?x HAVING(COUNT(*) > 1)"),
              ElementsAre("a 4"));
  EXPECT_THAT(rows("SELECT (COUNT(*) AS ?n) { ?x :none ?y }"), ElementsAre("0"));
  EXPECT_THAT(rows("SELECT ?x (COUNT(*) AS ?n) { ?x :none ?y } GROUP BY ?x"), IsEmpty());
}

TEST_F(ReferenceTest, LimitsTakeAnyOfEqualRows) {
  load(":a :p 1 , 2 . :b :p 3 .");
  const auto some = ask("SELECT ?x ?n { ?x :p ?n } ORDER BY ?x LIMIT 1");
  ASSERT_TRUE(some);
  ASSERT_EQ(some->groups.size(), 1U);
  EXPECT_EQ(some->groups[0].rows.size(), 2U);
  EXPECT_EQ(some->groups[0].taken, 1U);
  const auto later = ask("SELECT ?x ?n { ?x :p ?n } ORDER BY ?x OFFSET 1");
  ASSERT_TRUE(later);
  ASSERT_EQ(later->groups.size(), 2U);
  EXPECT_EQ(later->groups[0].taken, 1U);
  EXPECT_EQ(later->groups[1].taken, 1U);
  const auto inside = ask("SELECT * { { SELECT ?x ?n { ?x :p ?n } ORDER BY ?x LIMIT 1 } }");
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().code, ErrorCode::Unavailable);
}

TEST_F(ReferenceTest, GivesUp) {
  load(":a :p 1 , 2 , 3 , 4 , 5 . :b :p 1 , 2 , 3 , 4 , 5 .");
  ReferenceOptions options;
  options.steps_max = 500;
  const auto answer = ask("SELECT * { ?a :p ?b . ?c :p ?d . ?e :p ?f }", options);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::LimitExceeded);
}

TEST_F(ReferenceTest, HoldsNoMoreThanItMay) {
  load(":a :p 1 , 2 , 3 , 4 , 5 . :b :p 1 , 2 , 3 , 4 , 5 .");
  ReferenceOptions options;
  options.rows_max = 20;
  const auto too_many = [&](std::string_view query) {
    const auto answer = ask(query, options);
    return !answer && answer.error().code == ErrorCode::LimitExceeded;
  };
  EXPECT_FALSE(too_many("SELECT * { { ?a :p ?b } UNION { ?a :p ?b } }"));
  EXPECT_TRUE(too_many("SELECT * { { ?a :p ?b } UNION { ?a :p ?b } UNION { ?a :p ?b } }"));
  EXPECT_TRUE(too_many("SELECT * { ?a :p ?b . ?c :p ?d }"));
  EXPECT_TRUE(too_many("SELECT * { { ?a :p ?b } { ?c :p ?d } }"));
  EXPECT_TRUE(too_many("SELECT * { ?a :p ?b OPTIONAL { ?c :p ?d } }"));
  EXPECT_TRUE(too_many("SELECT * { ?a :p ?b . ?c (:p|:p|:p) ?d }"));
  options.bytes_max = 2'000;
  EXPECT_FALSE(too_many("SELECT * { ?a :p ?b FILTER(?b < 3) }"));
  // One long text in many rows, in their keys, and many texts.
  const std::string text = '\'' + std::string(300, 'x') + '\'';
  EXPECT_TRUE(too_many("SELECT * { ?a :p ?b BIND(" + text + " AS ?t) }"));
  EXPECT_TRUE(too_many("ASK { { SELECT * { ?a :p ?b } ORDER BY (CONCAT(STR(?a), STR(?b), " + text +
                       ")) } }"));
  EXPECT_TRUE(too_many("ASK { ?a :p ?b BIND(CONCAT(STR(?a), STR(?b), " + text + ") AS ?t) }"));
  EXPECT_TRUE(
      too_many("CONSTRUCT { ?a :q ?t } { ?a :p ?b BIND(CONCAT(STR(?b), " + text + ") AS ?t) }"));
}

}  // namespace
}  // namespace helve::reference
