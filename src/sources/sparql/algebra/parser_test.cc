// Queries to algebra: one test for each rule of the translation and of good queries. Mistakes are
// in parser_mistakes_test.cc, limits in parser_limits_test.cc.
#include "sources/sparql/algebra/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "sources/rdf/vocabulary.h"

namespace helve::sparql {
namespace {

Query query(std::string_view text, const ParseOptions& options = {}) {
  auto parsed = parse_query(text, options);
  EXPECT_TRUE(parsed.has_value()) << text << "\n" << parsed.error().to_string();
  return parsed ? std::move(parsed->query) : Query{};
}

Pattern where(std::string_view group, const ParseOptions& options = {}) {
  return query("PREFIX : <http://e/> SELECT * " + std::string(group), options).body().where;
}

Expression expression(std::string_view text) {
  const Pattern pattern = where("{ FILTER(" + std::string(text) + ") }");
  const auto* filter = pattern.if_is<Filter>();
  EXPECT_NE(filter, nullptr);
  return filter == nullptr ? Expression(Variable{}) : filter->conditions.at(0);
}

bool is_good(std::string_view text, const ParseOptions& options = {}) {
  return parse_query(text, options).has_value();
}

std::string iri_of(const PredicatePattern& predicate) {
  const auto* constant = std::get_if<Constant>(&predicate);
  return constant == nullptr ? "" : constant->term.value;
}

std::string label_of(const TermPattern& term) {
  const auto* node = std::get_if<BlankNode>(&term);
  return node == nullptr ? "" : node->label;
}

TEST(Parser, FiltersEndNoBasicGraphPattern) {
  const Pattern pattern = where("{ ?a :p ?b FILTER(?b > 1) ?b :q ?c . FILTER(?c > 2) }");
  const auto* filter = pattern.if_is<Filter>();
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->conditions.size(), 2U);
  const auto* triples = filter->inner->if_is<BasicGraphPattern>();
  ASSERT_NE(triples, nullptr);
  EXPECT_EQ(triples->triples.size(), 2U);
}

TEST(Parser, OtherElementsEndABasicGraphPattern) {
  const Pattern pattern = where("{ ?a :p ?b { ?b :q ?c } ?c :r ?d BIND(1 AS ?e) ?e :s ?f }");
  const auto* last = pattern.if_is<Join>();
  ASSERT_NE(last, nullptr);
  ASSERT_EQ(last->parts.size(), 2U);
  const auto* extend = last->parts[0].if_is<Extend>();
  ASSERT_NE(extend, nullptr);
  const auto* first = extend->inner->if_is<Join>();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->parts.size(), 3U);
}

TEST(Parser, JoinsAreFlatAndUnitsVanish) {
  const Pattern pattern = where("{ {} { { ?a :p ?b } { ?b :q ?c } } {} { { ?c :r ?d } } }");
  const auto* join = pattern.if_is<Join>();
  ASSERT_NE(join, nullptr);
  EXPECT_EQ(join->parts.size(), 3U);
  EXPECT_TRUE(where("{ {} { {} } }").is_unit());
  EXPECT_EQ(where("{ { { ?a :p ?b } } }"), where("{ ?a :p ?b }"));
}

TEST(Parser, FiltersOfOptionalAreItsConditions) {
  const Pattern direct = where("{ ?a :p ?b OPTIONAL { ?b :q ?c FILTER(?c > ?a) } }");
  const auto* optional = direct.if_is<LeftJoin>();
  ASSERT_NE(optional, nullptr);
  EXPECT_EQ(optional->conditions.size(), 1U);
  EXPECT_NE(optional->right->if_is<BasicGraphPattern>(), nullptr);

  const Pattern nested = where("{ ?a :p ?b OPTIONAL { { ?b :q ?c FILTER(?c > ?a) } } }");
  optional = nested.if_is<LeftJoin>();
  ASSERT_NE(optional, nullptr);
  EXPECT_TRUE(optional->conditions.empty());
  EXPECT_NE(optional->right->if_is<Filter>(), nullptr);
}

TEST(Parser, OptionalAndMinusKeepAnEmptyLeftSide) {
  const Pattern optional = where("{ OPTIONAL { ?a :p ?b } }");
  ASSERT_NE(optional.if_is<LeftJoin>(), nullptr);
  EXPECT_TRUE(optional.if_is<LeftJoin>()->left->is_unit());
  const Pattern minus = where("{ MINUS { ?a :p ?b } }");
  ASSERT_NE(minus.if_is<Minus>(), nullptr);
  EXPECT_TRUE(minus.if_is<Minus>()->left->is_unit());
}

TEST(Parser, UnionsAreFlat) {
  const Pattern pattern =
      where("{ { ?a :p 1 } UNION { ?a :p 2 } UNION { ?a :p 3 FILTER(?a > 1) } }");
  const auto* alternatives = pattern.if_is<Union>();
  ASSERT_NE(alternatives, nullptr);
  ASSERT_EQ(alternatives->parts.size(), 3U);
  EXPECT_NE(alternatives->parts[2].if_is<Filter>(), nullptr);
}

TEST(Parser, GraphServiceValuesAndSubSelect) {
  EXPECT_NE(where("{ GRAPH ?g { ?s ?p ?o } }").if_is<Graph>(), nullptr);
  const Pattern service = where("{ SERVICE SILENT :e { ?s ?p ?o } }");
  ASSERT_NE(service.if_is<Service>(), nullptr);
  EXPECT_TRUE(service.if_is<Service>()->is_silent);
  const Pattern values = where("{ VALUES (?a ?b) { (1 UNDEF) (:x \"y\"@en) } }");
  const auto* rows = values.if_is<Values>();
  ASSERT_NE(rows, nullptr);
  ASSERT_EQ(rows->rows.size(), 2U);
  EXPECT_EQ(rows->rows[0][1], std::nullopt);
  EXPECT_EQ(rows->rows[1][1]->language, "en");
  const Pattern sub = where("{ SELECT DISTINCT ?s { ?s ?p ?o } LIMIT 3 }");
  ASSERT_NE(sub.if_is<SubSelect>(), nullptr);
  EXPECT_EQ(sub.if_is<SubSelect>()->select->body.limit, 3U);
}

TEST(Parser, ShortFormsOfTriples) {
  const Pattern pattern = where("{ ?s a :C ; :p 1 , 2 ; . [] :q ( ?x ) . }");
  const auto* triples = pattern.if_is<BasicGraphPattern>();
  ASSERT_NE(triples, nullptr);
  ASSERT_EQ(triples->triples.size(), 6U);
  EXPECT_EQ(iri_of(triples->triples[0].predicate), rdf::kRdfType);
  EXPECT_EQ(iri_of(triples->triples[3].predicate), "http://e/q");
  EXPECT_EQ(iri_of(triples->triples[4].predicate), rdf::kRdfFirst);
  EXPECT_EQ(iri_of(triples->triples[5].predicate), rdf::kRdfRest);
  EXPECT_EQ(label_of(triples->triples[3].object), label_of(triples->triples[4].subject));
  EXPECT_EQ(std::get<Constant>(triples->triples[5].object).term.value, rdf::kRdfNil);
}

TEST(Parser, MadeUpLabelsAreNoOnesElse) {
  const Pattern pattern = where("{ [] :p _:b1 , '_:b0' , [] }");
  const auto* triples = pattern.if_is<BasicGraphPattern>();
  ASSERT_NE(triples, nullptr);
  EXPECT_EQ(label_of(triples->triples[0].subject), "b2");
  EXPECT_EQ(label_of(triples->triples[2].object), "b3");
}

TEST(Parser, SpansPointIntoTheText) {
  const std::string text =
      "\xEF\xBB\xBFSELECT * { ?s <http://p> ?o ; <http://q> 1 , \"\\u00E9\" OPTIONAL { ?o ?p ?q } "
      "}";
  const Query parsed = query(text);
  const auto cut = [&](SourceSpan span) { return text.substr(span.begin, span.end - span.begin); };
  const Pattern& whole = parsed.body().where;
  EXPECT_EQ(cut(whole.span), "OPTIONAL { ?o ?p ?q }");
  const auto* optional = whole.if_is<LeftJoin>();
  ASSERT_NE(optional, nullptr);
  const auto& triples = optional->left->if_is<BasicGraphPattern>()->triples;
  EXPECT_EQ(cut(triples[0].span), "?s <http://p> ?o");
  EXPECT_EQ(cut(triples[1].span), "<http://q> 1");
  EXPECT_EQ(cut(triples[2].span), "\"\\u00E9\"");
  EXPECT_EQ(std::get<Constant>(triples[2].object).term.value, "\xC3\xA9");
  EXPECT_EQ(cut(std::get<Constant>(triples[1].object).span), "1");
  EXPECT_EQ(cut(std::get<Select>(parsed.form).span), text.substr(3));
}

TEST(Parser, PathsStayWholeAndSingleIrisAreConstants) {
  const Pattern pattern =
      where("{ ?a :p/^:q*|!(:r|^a) ?b ; (:p) ?c ; ^:p ?d ; :p+ +5 ; :p?/a ?e }");
  const auto* triples = pattern.if_is<BasicGraphPattern>();
  ASSERT_NE(triples, nullptr);
  ASSERT_EQ(triples->triples.size(), 5U);
  const auto* path = std::get_if<Path>(&triples->triples[0].predicate);
  ASSERT_NE(path, nullptr);
  EXPECT_EQ(path->kind, Path::Kind::Alternative);
  ASSERT_EQ(path->parts.size(), 2U);
  EXPECT_EQ(path->parts[0].kind, Path::Kind::Sequence);
  EXPECT_EQ(path->parts[0].parts[1].kind, Path::Kind::Inverse);
  EXPECT_EQ(path->parts[0].parts[1].parts[0].kind, Path::Kind::ZeroOrMore);
  EXPECT_EQ(path->parts[1].kind, Path::Kind::NegatedSet);
  EXPECT_EQ(path->parts[1].parts[1].kind, Path::Kind::Inverse);
  EXPECT_EQ(iri_of(triples->triples[1].predicate), "http://e/p");
  EXPECT_EQ(std::get<Path>(triples->triples[2].predicate).kind, Path::Kind::Inverse);
  EXPECT_EQ(std::get<Path>(triples->triples[3].predicate).kind, Path::Kind::OneOrMore);
  EXPECT_EQ(std::get<Constant>(triples->triples[3].object).term.value, "+5");
  EXPECT_EQ(std::get<Path>(triples->triples[4].predicate).kind, Path::Kind::Sequence);
}

TEST(Parser, OperatorsBindByTheirStrength) {
  EXPECT_EQ(expression("?a || ?b && ?c = 1 + 2 * 3"),
            expression("?a || (?b && (?c = (1 + (2 * 3))))"));
  EXPECT_EQ(expression("1 - 2 - 3"), expression("(1 - 2) - 3"));
  EXPECT_EQ(expression("!?a && ?b"), expression("(!?a) && ?b"));
  EXPECT_EQ(expression("?x-1"), expression("?x - 1"));
  EXPECT_EQ(expression("?x NOT IN (1, 2)"), expression("((?x NOT IN (1, 2)))"));
  const Expression chain = expression("?a || ?b || ?c || ?d");
  ASSERT_NE(chain.if_is<Operation>(), nullptr);
  EXPECT_EQ(chain.if_is<Operation>()->arguments.size(), 4U);
}

TEST(Parser, SignsOfNumbers) {
  const auto value = [](std::string_view text) {
    const Expression parsed = expression(text);
    const auto* constant = parsed.if_is<Constant>();
    return constant == nullptr ? std::string() : constant->term.value;
  };
  EXPECT_EQ(value("-5"), "-5");
  EXPECT_EQ(value("+1.5e3"), "+1.5e3");
  EXPECT_EQ(value("- 5"), "");
  const Expression sum = expression("?x*-5");
  ASSERT_NE(sum.if_is<Operation>(), nullptr);
  EXPECT_EQ(sum.if_is<Operation>()->arguments[1].if_is<Constant>()->term.value, "-5");
}

TEST(Parser, FunctionsCastsAndExists) {
  const Expression call = expression("xsd:integer(?x) > STRLEN(\"a\") && EXISTS { ?a ?b ?c }");
  const auto* both = call.if_is<Operation>();
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->arguments[0].if_is<Operation>()->arguments[0].if_is<Call>()->iri,
            std::string(rdf::kXsd) + "integer");
  EXPECT_NE(both->arguments[1].if_is<Exists>(), nullptr);
  EXPECT_TRUE(expression("NOT EXISTS { ?a ?b ?c }").if_is<Exists>()->is_negated);
}

TEST(Parser, Literals) {
  const Pattern pattern = where(
      "{ ?s ?p 'a\\tb' , \"\"\"x\n\"y\"\"\" , 'c'@en-GB , 'd'^^xsd:date , 'e'^^xsd:string , "
      "TRUE , 1.0 }");
  const auto& triples = pattern.if_is<BasicGraphPattern>()->triples;
  const auto term = [&](std::size_t i) { return std::get<Constant>(triples.at(i).object).term; };
  EXPECT_EQ(term(0), rdf::Term(rdf::TermView::literal("a\tb")));
  EXPECT_EQ(term(1), rdf::Term(rdf::TermView::literal("x\n\"y")));
  EXPECT_EQ(term(2), rdf::Term(rdf::TermView::lang_literal("c", "en-GB")));
  EXPECT_EQ(term(3), rdf::Term(rdf::TermView::literal("d", rdf::kXsdDate)));
  EXPECT_EQ(term(4), rdf::Term(rdf::TermView::literal("e")));
  EXPECT_EQ(term(5), rdf::Term(rdf::TermView::literal("true", rdf::kXsdBoolean)));
  EXPECT_EQ(term(6), rdf::Term(rdf::TermView::literal("1.0", rdf::kXsdDecimal)));
}

TEST(Parser, SelectAndModifiers) {
  const Query parsed = query(
      "SELECT REDUCED ?s (COUNT(DISTINCT ?o) AS ?n) (GROUP_CONCAT(?o; SEPARATOR='|') AS ?all) "
      "FROM <http://g> FROM NAMED <http://h> WHERE { ?s ?p ?o } "
      "GROUP BY ?s (STR(?p) AS ?q) HAVING (COUNT(*) > 1) ORDER BY DESC(?n) ?s "
      "OFFSET 5 LIMIT 10 VALUES ?s { <http://a> }");
  const auto& select = std::get<Select>(parsed.form);
  EXPECT_EQ(select.duplicates, Duplicates::Reduced);
  ASSERT_EQ(select.items.size(), 3U);
  EXPECT_TRUE(select.items[1].expression->if_is<Aggregate>()->is_distinct);
  EXPECT_EQ(select.items[2].expression->if_is<Aggregate>()->separator, "|");
  EXPECT_EQ(parsed.dataset.size(), 2U);
  EXPECT_TRUE(parsed.dataset[1].is_named);
  EXPECT_EQ(select.body.group_by.size(), 2U);
  EXPECT_EQ(select.body.having.size(), 1U);
  EXPECT_TRUE(
      select.body.having[0].if_is<Operation>()->arguments[0].if_is<Aggregate>()->argument.empty());
  ASSERT_EQ(select.body.order_by.size(), 2U);
  EXPECT_TRUE(select.body.order_by[0].is_descending);
  EXPECT_EQ(select.body.limit, 10U);
  EXPECT_EQ(select.body.offset, 5U);
  ASSERT_TRUE(select.body.values.has_value());
  EXPECT_EQ(select.body.values->rows.size(), 1U);
}

TEST(Parser, ConstructDescribeAsk) {
  const Query construct = query("CONSTRUCT { ?s ?p [] } WHERE { ?s ?p ?o }");
  EXPECT_EQ(std::get<Construct>(construct.form).triples.size(), 1U);
  const Query shorter = query("CONSTRUCT WHERE { ?s ?p ?o . ?o ?q _:x }");
  EXPECT_EQ(std::get<Construct>(shorter.form).triples.size(), 2U);
  EXPECT_EQ(shorter.body().where.if_is<BasicGraphPattern>()->triples,
            std::get<Construct>(shorter.form).triples);
  const Query describe = query("DESCRIBE ?x <http://a>");
  EXPECT_EQ(std::get<Describe>(describe.form).targets.size(), 2U);
  EXPECT_TRUE(describe.body().where.is_unit());
  EXPECT_TRUE(std::get<Describe>(query("DESCRIBE * { ?s ?p ?o }").form).is_star);
  EXPECT_TRUE(std::holds_alternative<Ask>(query("ASK {}").form));
}

TEST(Parser, BasesAndPrefixes) {
  const Query parsed = query(
      "BASE <http://a/b/> PREFIX z: <c#> BASE <d/> PREFIX : <e> PREFIX z: <f#> "
      "SELECT * { z:x :y <g> }");
  EXPECT_EQ(parsed.base_iri, "http://a/b/d/");
  const std::vector<std::pair<std::string, std::string>> prefixes = {{"", "http://a/b/d/e"},
                                                                     {"z", "http://a/b/d/f#"}};
  EXPECT_EQ(parsed.prefixes, prefixes);
  const auto& triple = parsed.body().where.if_is<BasicGraphPattern>()->triples.at(0);
  EXPECT_EQ(std::get<Constant>(triple.subject).term.value, "http://a/b/d/f#x");
  EXPECT_EQ(std::get<Constant>(triple.object).term.value, "http://a/b/d/g");
  ParseOptions options;
  options.base_iri = "http://base/";
  EXPECT_EQ(query("ASK { ?s ?p <x> }", options).base_iri, "http://base/");
  options.base_iri = "no base";
  EXPECT_FALSE(is_good("ASK {}", options));
}

TEST(Parser, UndeclaredPrefixesResolveWithANote) {
  ParseOptions options;
  options.known_prefixes = {{"mine", "http://mine/"}, {"foaf", "http://other/"}};
  const auto parsed = parse_query("ASK { ?s mine:p foaf:x ; rdfs:label ?l, mine:q }", options);
  ASSERT_TRUE(parsed.has_value());
  const std::vector<std::pair<std::string, std::string>> prefixes = {
      {"foaf", "http://other/"},
      {"mine", "http://mine/"},
      {"rdfs", "http://www.w3.org/2000/01/rdf-schema#"}};
  EXPECT_EQ(parsed->query.prefixes, prefixes);
  EXPECT_EQ(parsed->notes.size(), 3U);
  options.is_strict = true;
  EXPECT_FALSE(is_good("ASK { ?s rdfs:label ?l }", options));
  EXPECT_FALSE(is_good("ASK { ?s mine:p ?l }", options));
}

TEST(Parser, ScopesOfVariables) {
  EXPECT_FALSE(is_good("SELECT (1 AS ?s) { ?s ?p ?o }"));
  EXPECT_FALSE(is_good("SELECT (1 AS ?x) {} VALUES ?x { 1 }"));
  EXPECT_FALSE(is_good("SELECT * { { SELECT ?x { ?x ?p ?o } } BIND(1 AS ?x) }"));
  EXPECT_TRUE(is_good("SELECT * { { SELECT ?x { ?x ?p ?o } } BIND(1 AS ?o) }"));
  EXPECT_TRUE(is_good("SELECT * { ?s ?p ?x MINUS { ?s ?p ?o } BIND(1 AS ?o) }"));
  EXPECT_TRUE(is_good("SELECT * { ?s ?p ?x FILTER(?o > 1) BIND(1 AS ?o) }"));
  EXPECT_FALSE(is_good("SELECT * { OPTIONAL { ?s ?p ?o } BIND(1 AS ?o) }"));
  EXPECT_FALSE(is_good("SELECT * { GRAPH ?g { } BIND(1 AS ?g) }"));
  EXPECT_FALSE(is_good("SELECT * { BIND(1 AS ?x) BIND(2 AS ?x) }"));
  EXPECT_FALSE(is_good("SELECT ?x (1 AS ?x) {}"));
  EXPECT_FALSE(is_good("SELECT (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY (1 AS ?s)"));
}

TEST(Parser, Grouping) {
  EXPECT_TRUE(is_good("SELECT (COUNT(*) AS ?n) (?n + 1 AS ?m) { ?s ?p ?o }"));
  EXPECT_TRUE(is_good("SELECT (MAX(?o) AS ?o) { ?s ?p ?o }"));
  EXPECT_TRUE(is_good("SELECT ?k { ?s ?p ?o } GROUP BY (STR(?s) AS ?k)"));
  EXPECT_FALSE(is_good("SELECT (STR(?s) AS ?k) { ?s ?p ?o } GROUP BY (STR(?s))"));
  EXPECT_FALSE(is_good("SELECT ?s { ?s ?p ?o } HAVING (COUNT(*) > 1)"));
  EXPECT_FALSE(is_good("SELECT ?s { ?s ?p ?o } ORDER BY (COUNT(?o))"));
  EXPECT_TRUE(is_good("SELECT ?s { ?s ?p ?o } GROUP BY ?s ORDER BY (COUNT(?o))"));
  EXPECT_FALSE(is_good("SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING (?o > 1)"));
  EXPECT_FALSE(is_good("SELECT * { ?s ?p ?o BIND(COUNT(?o) AS ?n) }"));
  EXPECT_FALSE(is_good("SELECT ?s { ?s ?p ?o } GROUP BY (COUNT(?o) AS ?n)"));
  EXPECT_FALSE(is_good("SELECT (1 AS ?z) { ?s ?p ?z } GROUP BY ?z"));
  EXPECT_TRUE(is_good("SELECT (1 AS ?z) { ?s ?p ?z } GROUP BY ?s"));
  EXPECT_FALSE(is_good("ASK { ?s ?p ?o } GROUP BY ?s HAVING (?o > 1)"));
}

TEST(Parser, BlankNodeLabelsStayInOneBasicGraphPattern) {
  EXPECT_TRUE(is_good("ASK { _:a ?p ?o FILTER(?o > 1) _:a ?q ?r }"));
  EXPECT_TRUE(is_good("ASK { _:a ?p ?o FILTER EXISTS { ?s ?p ?o } _:a ?q ?r }"));
  EXPECT_FALSE(is_good("ASK { _:a ?p ?o OPTIONAL { ?s ?p ?o } _:a ?q ?r }"));
  EXPECT_FALSE(is_good("ASK { _:a ?p ?o FILTER EXISTS { _:a ?p ?o } }"));
  EXPECT_TRUE(is_good("CONSTRUCT { _:a ?p ?o } WHERE { _:a ?p ?o }"));
}

TEST(Parser, Version12) {
  EXPECT_FALSE(is_good("ASK { FILTER(LANGDIR(?x) = 'ltr') }"));
  EXPECT_FALSE(is_good("ASK { ?s ?p 'a'@en--ltr }"));
  const Query parsed =
      query("VERSION \"1.2\" ASK { ?s ?p 'a\\u0022'@en--rtl FILTER(hasLANG(?p)) }");
  EXPECT_EQ(parsed.version, Version::Sparql12);
  const auto* filter = parsed.body().where.if_is<Filter>();
  ASSERT_NE(filter, nullptr);
  const auto& term =
      std::get<Constant>(filter->inner->if_is<BasicGraphPattern>()->triples[0].object).term;
  EXPECT_EQ(term.direction, rdf::Direction::Rtl);
  EXPECT_EQ(term.language, "en");
  EXPECT_EQ(query("VERSION '1.1' ASK {}").version, Version::Sparql11);
  EXPECT_FALSE(is_good("VERSION 1.2 ASK {}"));
  EXPECT_FALSE(is_good("VERSION \"9\" ASK {}"));
  ParseOptions options;
  options.version = Version::Sparql12;
  EXPECT_EQ(query("ASK {}", options).version, Version::Sparql12);
  EXPECT_FALSE(is_good("ASK { ?s ?p 'a'@en--foo }", options));
}

TEST(Parser, BadBytesHavePositions) {
  const auto position = [](std::string_view text) {
    const auto parsed = parse_query(text);
    return parsed ? TextPosition{0, 0} : parsed.error().position.value_or(TextPosition{});
  };
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(position("ASK {\n \xFF }"), (TextPosition{2, 2}));
  EXPECT_EQ(position("ASK { ?s ?p '\xC3\xA9\0' }"sv), (TextPosition{1, 15}));
  EXPECT_EQ(position("ASK { ?s ?p '\xC3\xA9' . ?s 1 2 }"), (TextPosition{1, 22}));
}

TEST(Parser, PrefixesThatMayStillComeAreNoErrors) {
  ParseOptions options;
  options.awaits_prefixes = true;
  EXPECT_TRUE(parse_query("ASK { ?s mine:p yours:q }", options));
  const auto bare = parse_query("ASK { ?s http://example.org/p ?o }", options);
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().hint, "write <http://example.org/p>");
  EXPECT_FALSE(parse_query("ASK { ?s mine:p }", options)) << "other mistakes still are";
  options.is_strict = true;
  EXPECT_FALSE(parse_query("ASK { ?s mine:p ?o }", options));
}

}  // namespace
}  // namespace helve::sparql
