#include <gtest/gtest.h>

#include "sources/sparql/algebra/algebra_testing.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::sparql {
namespace {

using namespace test;

TEST(ToTree, ShowsAQueryAsItIsEvaluated) {
  const Path kind_of =
      path(Path::Kind::Sequence,
           {step(std::string(rdf::kRdfType)),
            path(Path::Kind::ZeroOrMore, {step("http://example.org/subClassOf")})});
  const Pattern left =
      triples({triple("s", "p", "o"), {var("s"), kind_of, iri("http://example.org/C"), {}}});
  Pattern where = Pattern(LeftJoin{left, one("s", "q", "x"), {variable("x")}});
  where = Pattern(Extend{std::move(where), var("y"), call(Function::Str, {variable("x")})});
  where = Pattern(Filter{std::move(where), {exists(one("s", "q", "z"), true), number("1")}});
  Select form = select({"s"}, std::move(where));
  form.duplicates = Duplicates::Distinct;
  form.items.push_back({var("n"), count_all()});
  form.body.group_by = {{variable("s"), std::nullopt}};
  form.body.having = {call(Function::Greater, {count_all(), number("1")})};
  form.body.order_by = {{variable("n"), true}, {variable("s"), false}};
  form.body.limit = 10;
  form.body.offset = 5;
  Query query;
  query.prefixes = {{"ex", "http://example.org/"}};
  query.dataset = {{"http://example.org/g", true, {}}};
  query.form = form;
  EXPECT_EQ(to_tree(query),
            "(select distinct ?s (COUNT(*) AS ?n)\n"
            "  (from-named ex:g)\n"
            "  (group-by ?s)\n"
            "  (having COUNT(*) > 1)\n"
            "  (order-by DESC(?n) ?s)\n"
            "  (limit 10)\n"
            "  (offset 5)\n"
            "  (filter\n"
            "    (condition NOT EXISTS { ?s ?q ?z . })\n"
            "    (condition 1)\n"
            "    (extend ?y = STR(?x)\n"
            "      (left-join\n"
            "        (triples\n"
            "          (?s ?p ?o)\n"
            "          (path ?s a/ex:subClassOf* ex:C))\n"
            "        (triples\n"
            "          (?s ?q ?x))\n"
            "        (condition ?x)))))");
}

TEST(ToTree, ShowsOtherFormsAndPatterns) {
  Query query;
  Construct construct;
  construct.triples = {triple("a", "b", "c")};
  query.form = construct;
  EXPECT_EQ(to_tree(query), "(construct\n  (template\n    (?a ?b ?c))\n  (unit))");
  query.form = Ask{};
  EXPECT_EQ(to_tree(query), "(ask\n  (unit))");
  Describe describe;
  describe.targets = {var("x"), iri("http://a")};
  query.form = describe;
  EXPECT_EQ(to_tree(query), "(describe ?x <http://a>\n  (unit))");

  const Pattern all =
      Pattern(Join{{Pattern(Union{{Pattern(), Pattern(Graph{var("g"), Pattern()})}}),
                    Pattern(Minus{Pattern(), Pattern(Service{iri("http://a"), true, Pattern()})}),
                    Pattern(Values{{var("x"), var("y")}, {{literal("1"), std::nullopt}}, {}}),
                    sub(select_star(Pattern()))}});
  EXPECT_EQ(to_tree(all),
            "(join\n"
            "  (union\n"
            "    (unit)\n"
            "    (graph ?g\n"
            "      (unit)))\n"
            "  (minus\n"
            "    (unit)\n"
            "    (service silent <http://a>\n"
            "      (unit)))\n"
            "  (values ?x ?y\n"
            "    (row \"1\" UNDEF))\n"
            "  (select *\n"
            "    (unit)))");
}

TEST(ToTree, CutsLongValues) {
  Values values{{var("x")}, {}, {}};
  for (int i = 0; i < 1'000; ++i) values.rows.push_back({literal("v")});
  EXPECT_TRUE(to_tree(Pattern(values)).ends_with("\n  (rows and 980 more))"));
}

}  // namespace
}  // namespace helve::sparql
