#include "sources/sparql/algebra/analysis.h"

#include <gtest/gtest.h>

#include "sources/sparql/algebra/algebra_testing.h"
#include "sources/sparql/algebra/parser.h"

namespace helve::sparql {
namespace {

using Names = VariableNames;
using NameSet = std::set<std::string>;
using PartKind = PatternPart::Kind;

using namespace test;

Pattern all_of(Pattern where) { return sub(select_star(std::move(where))); }

TEST(VariablesInScope, OfTriplesInOrderWithoutBlankNodes) {
  EXPECT_EQ(variables_in_scope(Pattern()), Names{});
  EXPECT_EQ(variables_in_scope(triples({triple("s", "p", "_x"), triple("o", "p", "s")})),
            (Names{"s", "p", "o"}));
  Path path;
  path.iri = "http://a/p";
  EXPECT_EQ(variables_in_scope(triples({{var("a"), path, var("b"), {}}})), (Names{"a", "b"}));
}

TEST(VariablesInScope, BothSidesOfJoinUnionAndOptional) {
  EXPECT_EQ(variables_in_scope(Pattern(Join{{one("a", "p", "b"), one("c", "p", "a")}})),
            (Names{"a", "p", "b", "c"}));
  EXPECT_EQ(variables_in_scope(Pattern(Union{{one("a", "p", "_"), one("c", "q", "_")}})),
            (Names{"a", "p", "c", "q"}));
  EXPECT_EQ(variables_in_scope(Pattern(LeftJoin{one("a", "p", "_"), one("c", "q", "_"), {}})),
            (Names{"a", "p", "c", "q"}));
}

TEST(VariablesInScope, NotThoseOfMinusFilterAndExists) {
  EXPECT_EQ(variables_in_scope(Pattern(Minus{one("a", "p", "_"), one("c", "q", "_")})),
            (Names{"a", "p"}));
  const Pattern filter =
      Pattern(Filter{one("a", "p", "_"), {Expression(Exists(one("x", "y", "z")))}});
  EXPECT_EQ(variables_in_scope(filter), (Names{"a", "p"}));
}

TEST(VariablesInScope, NamesOfBindValuesGraphAndService) {
  EXPECT_EQ(variables_in_scope(Pattern(Extend{one("a", "p", "_"), var("x"), variable("other")})),
            (Names{"a", "p", "x"}));
  EXPECT_EQ(variables_in_scope(Pattern(Values{{var("x"), var("y")}, {}, {}})), (Names{"x", "y"}));
  EXPECT_EQ(variables_in_scope(Pattern(Graph{var("g"), one("a", "p", "_")})),
            (Names{"g", "a", "p"}));
  EXPECT_EQ(variables_in_scope(Pattern(Service{var("g"), false, one("a", "p", "_")})),
            (Names{"g", "a", "p"}));
  EXPECT_EQ(variables_in_scope(Pattern(Graph{iri("http://g"), one("a", "p", "_")})),
            (Names{"a", "p"}));
}

TEST(VariablesInScope, OfASubQueryOnlyWhatItSelects) {
  EXPECT_EQ(variables_in_scope(Pattern(SubSelect(select({"b"}, one("a", "p", "b"))))), Names{"b"});
  EXPECT_EQ(variables_in_scope(all_of(one("a", "p", "b"))), (Names{"a", "p", "b"}));
  EXPECT_EQ(variables_in_scope(all_of(all_of(one("a", "p", "b")))), (Names{"a", "p", "b"}));
}

TEST(ResultVariables, StarSeesTheValuesClause) {
  Select all;
  all.is_star = true;
  all.body.where = one("a", "p", "_");
  all.body.values = Values{{var("v"), var("a")}, {}, {}};
  EXPECT_EQ(result_variables(all), (Names{"a", "p", "v"}));
  EXPECT_EQ(result_variables(select({"z", "a"}, one("a", "p", "_"))), (Names{"z", "a"}));
}

TEST(CertainVariables, OfUnionsTheCommonOnes) {
  EXPECT_EQ(certain_variables(
                Pattern(Union{{one("a", "p", "b"), one("a", "q", "c"), one("d", "p", "a")}})),
            NameSet{"a"});
  EXPECT_EQ(certain_variables(Pattern(Union{{one("a", "p", "b"), Pattern()}})), NameSet{});
  EXPECT_EQ(certain_variables(Pattern(
                Join{{Pattern(Union{{one("a", "p", "b"), Pattern()}}), one("x", "x", "x")}})),
            NameSet{"x"});
}

TEST(CertainVariables, NotThoseOfOptionalAndMinus) {
  EXPECT_EQ(certain_variables(Pattern(LeftJoin{one("a", "a", "a"), one("b", "b", "b"), {}})),
            NameSet{"a"});
  EXPECT_EQ(certain_variables(Pattern(Minus{one("a", "a", "a"), one("b", "b", "b")})),
            NameSet{"a"});
}

TEST(CertainVariables, OfValuesThoseWithoutUndef) {
  const Pattern values = Pattern(Values{
      {var("x"), var("y")}, {{literal("1"), std::nullopt}, {literal("2"), literal("3")}}, {}});
  EXPECT_EQ(certain_variables(values), NameSet{"x"});
}

TEST(CertainVariables, OfBindOnlyWhatCannotFail) {
  const Pattern inner = one("a", "a", "a");
  EXPECT_EQ(certain_variables(Pattern(Extend{inner, var("x"), number("1")})), (NameSet{"a", "x"}));
  EXPECT_EQ(certain_variables(Pattern(Extend{inner, var("x"), variable("a")})),
            (NameSet{"a", "x"}));
  EXPECT_EQ(certain_variables(Pattern(Extend{inner, var("x"), variable("b")})), NameSet{"a"});
  EXPECT_EQ(certain_variables(Pattern(
                Extend{inner, var("x"), call(Function::Add, {number("1"), variable("a")})})),
            NameSet{"a"});
  // ?x of the other part is not seen inside this group.
  const Pattern copy = Pattern(Extend{inner, var("y"), variable("x")});
  EXPECT_EQ(certain_variables(Pattern(Join{{one("x", "x", "x"), copy}})), (NameSet{"a", "x"}));
}

TEST(CertainVariables, OfServicesUnlessSilent) {
  EXPECT_EQ(certain_variables(Pattern(Service{var("e"), false, one("a", "a", "a")})),
            (NameSet{"a", "e"}));
  EXPECT_EQ(certain_variables(Pattern(Service{var("e"), true, one("a", "a", "a")})), NameSet{});
  EXPECT_EQ(certain_variables(Pattern(Graph{var("g"), Pattern()})), NameSet{"g"});
}

TEST(CertainVariables, OfSubQueries) {
  const Pattern where = Pattern(LeftJoin{one("a", "p", "_"), one("b", "q", "_"), {}});
  EXPECT_EQ(certain_variables(Pattern(SubSelect(select({"a", "b", "no"}, where)))), NameSet{"a"});
  EXPECT_EQ(certain_variables(all_of(where)), (NameSet{"a", "p"}));

  Select grouped = select({"a", "b"}, where);
  grouped.body.group_by = {{variable("a"), std::nullopt}, {variable("b"), std::nullopt}};
  grouped.items.push_back({var("n"), count_all()});
  Aggregate maximum;
  maximum.kind = AggregateKind::Max;
  maximum.argument = {variable("p")};
  grouped.items.push_back({var("m"), Expression(maximum)});
  grouped.body.values = Values{{var("b")}, {{literal("1")}}, {}};
  EXPECT_EQ(certain_variables(Pattern(SubSelect(grouped))), (NameSet{"a", "b", "n"}));
}

TEST(CertainVariables, LongChainsOfBind) {
  Pattern chain = one("a", "a", "a");
  for (int i = 0; i < 900; ++i) {
    chain = Pattern(Extend{std::move(chain), var("v" + std::to_string(i)), number("1")});
  }
  EXPECT_EQ(certain_variables(chain).size(), 901U);
  EXPECT_EQ(variables_in_scope(chain).size(), 901U);
}

TEST(MentionedVariables, InsideExistsToo) {
  Select sub = select({"s"}, one("h", "h", "h"));
  const Pattern inside =
      Pattern(Join{{Pattern(Graph{var("g"), one("a", "_", "b")}),
                    Pattern(Extend{Pattern(), var("x"), variable("y")}),
                    Pattern(Values{{var("v")}, {}, {}}), Pattern(SubSelect(std::move(sub)))}});
  const Expression both = call(
      Function::And,
      {Expression(Exists(inside, true)), Expression(Call{"http://f", false, {variable("c")}})});
  EXPECT_EQ(mentioned_variables(both), (NameSet{"_", "a", "b", "c", "g", "h", "s", "v", "x", "y"}));
  EXPECT_EQ(mentioned_variables(number("1")), NameSet{});
}

TEST(HasAggregate, OutsideOfExistsOnly) {
  EXPECT_TRUE(has_aggregate(count_all()));
  EXPECT_TRUE(has_aggregate(call(Function::Add, {number("1"), count_all()})));
  EXPECT_TRUE(has_aggregate(Expression(Call{"http://f", false, {count_all()}})));
  EXPECT_FALSE(has_aggregate(number("1")));
  Select inner;
  inner.items.push_back({var("n"), count_all()});
  EXPECT_FALSE(has_aggregate(Expression(Exists(Pattern(SubSelect(inner))))));
}

TEST(IsGrouped, ByAnyClause) {
  Select plain = select({"a"}, Pattern());
  EXPECT_FALSE(is_grouped(plain));
  Select items = plain;
  items.items.push_back({var("n"), count_all()});
  EXPECT_TRUE(is_grouped(items));
  EXPECT_FALSE(is_grouped(items.body));
  Select having = plain;
  having.body.having = {number("1")};
  EXPECT_TRUE(is_grouped(having));
  Select keys = plain;
  keys.body.group_by = {{variable("a"), std::nullopt}};
  EXPECT_TRUE(is_grouped(keys.body));
  Select order = plain;
  order.body.order_by = {{count_all(), true}};
  EXPECT_TRUE(is_grouped(order));
  order.body.order_by = {{number("1"), true}};
  EXPECT_FALSE(is_grouped(order));
}

std::vector<PartKind> part_kinds(const std::vector<PatternPart>& parts) {
  std::vector<PartKind> out;
  out.reserve(parts.size());
  for (const PatternPart& part : parts) out.push_back(part.kind);
  return out;
}

// SELECT (EXISTS {t} AS ?e) { t OPTIONAL { path FILTER } MINUS { VALUES } BIND FILTER(EXISTS {t}) }
Query query_of_all_kinds() {
  Path path;
  path.kind = Path::Kind::OneOrMore;
  path.parts.emplace_back();
  Pattern where = Pattern(
      LeftJoin{one("a", "b", "c"), triples({{var("a"), path, var("b"), {}}}), {variable("c")}});
  where = Pattern(Minus{std::move(where), Pattern(Values{{var("x")}, {}, {}})});
  where = Pattern(Extend{std::move(where), var("y"), Expression(Exists(one("m", "m", "m")))});
  where =
      Pattern(Join{{std::move(where), Pattern(Union{{Pattern(Graph{var("g"), Pattern()}),
                                                     Pattern(Service{var("g"), false, Pattern()}),
                                                     all_of(one("x", "y", "z"))}})}});
  where = Pattern(Filter{std::move(where), {number("1"), Expression(Exists(one("n", "n", "n")))}});
  Select out = select({}, std::move(where));
  out.items.push_back({var("e"), Expression(Exists(one("k", "k", "k")))});
  out.body.having = {Expression(Exists(one("h", "h", "h")))};
  Query query;
  query.form = std::move(out);
  return query;
}

TEST(PatternParts, InTheOrderOfTheTreeWithoutPositions) {
  const Query query = query_of_all_kinds();
  const auto parts = pattern_parts(query);
  EXPECT_EQ(
      part_kinds(parts),
      (std::vector<PartKind>{PartKind::Triple, PartKind::Triple, PartKind::Optional, PartKind::Path,
                             PartKind::Filter, PartKind::Minus, PartKind::Values, PartKind::Bind,
                             PartKind::Triple, PartKind::Union, PartKind::Graph, PartKind::Service,
                             PartKind::SubSelect, PartKind::Triple, PartKind::Filter,
                             PartKind::Filter, PartKind::Triple, PartKind::Triple}));
  EXPECT_NE(parts[4].pattern->if_is<LeftJoin>(), nullptr);
  EXPECT_NE(parts[4].expression->if_is<Variable>(), nullptr);
  EXPECT_NE(parts[7].expression->if_is<Exists>(), nullptr);
  EXPECT_NE(parts[14].pattern->if_is<Filter>(), nullptr);
  for (const PatternPart& part : parts) {
    ASSERT_NE(part.pattern, nullptr);
    EXPECT_EQ(part.triple != nullptr, part.kind == PartKind::Triple || part.kind == PartKind::Path);
    EXPECT_EQ(part.expression != nullptr,
              part.kind == PartKind::Filter || part.kind == PartKind::Bind);
  }
}

TEST(PatternParts, FiltersWhereTheyWereWritten) {
  Expression condition = number("1");
  condition.span = {10, 11};
  Query query;
  Ask ask;
  ask.body.where = Pattern(Filter{
      triples({triple("a", "b", "c", {1, 5}), triple("d", "e", "f", {15, 20})}), {condition}});
  query.form = ask;
  EXPECT_EQ(part_kinds(pattern_parts(query)),
            (std::vector<PartKind>{PartKind::Triple, PartKind::Filter, PartKind::Triple}));
}

TEST(PatternParts, PointIntoTheText) {
  const std::string text =
      "SELECT (EXISTS { ?k ?k ?k } AS ?e) { ?a ?b ?c ; ?d [ ?e2 ?f ] FILTER(?a > 1) "
      "OPTIONAL { ?c <u:g>+ ?h } BIND(1 AS ?x) "
      "{ ?i ?j 1 } UNION { MINUS { VALUES ?y { 1 } } } "
      "GRAPH ?g { SELECT * { ?l ?m ?n } } SERVICE <http://s> {} "
      "FILTER EXISTS { ?o ?p ?q } ?r ?s ?t } HAVING (NOT EXISTS { ?u ?v ?w })";
  const auto parsed = parse_query(text);
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  std::vector<std::string> shown;
  const auto parts = pattern_parts(parsed->query);
  shown.reserve(parts.size());
  for (const PatternPart& part : parts) {
    shown.push_back(text.substr(part.span.begin, part.span.end - part.span.begin));
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"?k ?k ?k",
                                             "?a ?b ?c",
                                             "?d [ ?e2 ?f ]",
                                             "?e2 ?f",
                                             "?a > 1",
                                             "OPTIONAL { ?c <u:g>+ ?h }",
                                             "?c <u:g>+ ?h",
                                             "BIND(1 AS ?x)",
                                             "{ ?i ?j 1 } UNION { MINUS { VALUES ?y { 1 } } }",
                                             "?i ?j 1",
                                             "MINUS { VALUES ?y { 1 } }",
                                             "VALUES ?y { 1 }",
                                             "GRAPH ?g { SELECT * { ?l ?m ?n } }",
                                             "SELECT * { ?l ?m ?n }",
                                             "?l ?m ?n",
                                             "SERVICE <http://s> {}",
                                             "EXISTS { ?o ?p ?q }",
                                             "?o ?p ?q",
                                             "?r ?s ?t",
                                             "?u ?v ?w"}));
}

TEST(ForEach, VisitsEveryNodeParentsFirst) {
  const Query query = query_of_all_kinds();
  std::vector<std::size_t> nodes;
  for_each_pattern(query.body().where,
                   [&](const Pattern& pattern) { nodes.push_back(pattern.node.index()); });
  // Filter Join Extend Minus LeftJoin triples triples Values (EXISTS) Union ...
  EXPECT_EQ(nodes, (std::vector<std::size_t>{5, 1, 6, 4, 2, 0, 0, 7, 0, 3, 8, 0, 9, 0, 10, 0, 0}));
  std::size_t expressions = 0;
  for_each_expression(query.body().where, [&](const Expression&) { ++expressions; });
  EXPECT_EQ(expressions, 4U);
  expressions = 0;
  Pattern filter = Pattern(Filter{
      Pattern(),
      {call(Function::Add,
            {number("1"), Expression(Aggregate{AggregateKind::Sum, false, {number("2")}, {}})})}});
  for_each_expression(filter, [&](const Expression&) { ++expressions; });
  EXPECT_EQ(expressions, 4U);
}

}  // namespace
}  // namespace helve::sparql
