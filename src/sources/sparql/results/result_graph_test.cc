#include "sources/sparql/results/result_graph.h"

#include "sources/rdf/reader.h"
#include "sources/sparql/results/results_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

Result<SolutionTable> from_turtle(std::string_view text, bool* is_ordered = nullptr) {
  rdf::QuadSet graph;
  const std::string document =
      "@prefix rs: <http://www.w3.org/2001/sw/DataAccess/tests/result-set#> .\n" +
      std::string(text);
  HELVE_TRY(rdf::read_document(rdf::Format::Turtle, document, {}, OpContext{}, graph));
  return solutions_from_graph(graph, is_ordered);
}

TEST(ResultGraph, HoldsSolutions) {
  bool is_ordered = true;
  const auto found = from_turtle(R"(
    [] a rs:ResultSet ; rs:resultVariable "y", "x" ; rs:size 2 ;
       rs:solution [ rs:binding [ rs:variable "x" ; rs:value <http://a> ] ,
                                [ rs:variable "y" ; rs:value "b"@en ] ] ;
       rs:solution [ rs:binding [ rs:variable "y" ; rs:value _:c ] ] .)",
                                 &is_ordered);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_FALSE(is_ordered);
  const auto same = are_same_solutions(
      *found, table({"x", "y"}, {{kUnbound, blank("q")}, {iri("http://a"), tagged("b", "en")}}));
  EXPECT_TRUE(same && *same);
}

TEST(ResultGraph, RowsFollowTheirIndex) {
  bool is_ordered = false;
  const auto found = from_turtle(R"(
    [] a rs:ResultSet ; rs:resultVariable "x" ;
       rs:solution [ rs:index 10 ; rs:binding [ rs:variable "x" ; rs:value "c" ] ] ,
                   [ rs:index 2 ; rs:binding [ rs:variable "x" ; rs:value "b" ] ] ,
                   [ rs:index 1 ] .)",
                                 &is_ordered);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_TRUE(is_ordered);
  EXPECT_TRUE(is_identical(*found, table({"x"}, {{kUnbound}, {text("b")}, {text("c")}})));
}

TEST(ResultGraph, HoldsABoolean) {
  EXPECT_EQ(from_turtle("[] a rs:ResultSet ; rs:boolean true .")->answer, true);
  EXPECT_EQ(from_turtle("[] a rs:ResultSet ; rs:boolean false .")->answer, false);
}

TEST(ResultGraph, FaultsAreExplained) {
  const auto message = [](std::string_view turtle) {
    const auto found = from_turtle(turtle);
    return found ? "no error" : found.error().message;
  };
  EXPECT_EQ(message(""), "the graph has no rs:ResultSet");
  EXPECT_EQ(message("[] a rs:ResultSet . [] a rs:ResultSet ."), "the graph has two rs:ResultSet");
  EXPECT_EQ(message("[] a rs:ResultSet ; rs:solution [ rs:binding [ rs:variable \"x\" ] ] ."),
            "an rs:binding needs one rs:variable and one rs:value");
  EXPECT_EQ(message("[] a rs:ResultSet ; rs:solution [ rs:binding [ rs:variable \"x\" ; rs:value 1 "
                    "] ] ."),
            "the variable x is no rs:resultVariable");
  EXPECT_EQ(message("[] a rs:ResultSet ; rs:solution [ rs:index \"a\" ] ."),
            "the rs:index \"a\" is not a number");
  EXPECT_EQ(message("[] a rs:ResultSet ; rs:resultVariable \"x\" ; rs:solution [ rs:binding [ "
                    "rs:variable \"x\" ; rs:value 1 ], [ rs:variable \"x\" ; rs:value 2 ] ] ."),
            "the variable x is bound twice in a row");
}

}  // namespace
}  // namespace helve::sparql
