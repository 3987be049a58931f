#include "sources/sparql/algebra/printer.h"

#include <gtest/gtest.h>

#include "sources/sparql/algebra/algebra_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

const PrefixList& prefixes() {
  static const PrefixList list = {
      {"ex", "http://example.org/"},
      {"exv", "http://example.org/vocabulary/"},
      {"", "http://empty.example/#"},
      {"xsd", "http://www.w3.org/2001/XMLSchema#"},
      {"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
  };
  return list;
}

template <typename Node>
std::string text(const Node& node) {
  return to_sparql(node, prefixes());
}
std::string text(const rdf::Term& term) { return text(TermPattern(Constant{term, {}})); }
std::string text(const Variable& variable) { return text(TermPattern(variable)); }
std::string text(const Constant& constant) { return text(TermPattern(constant)); }

TEST(PrintTerms, VariablesThatWereAddedCanBeRead) {
  EXPECT_EQ(text(Variable{"x", {}}), "?x");
  EXPECT_EQ(text(Variable{".t", {}}), "?helve_t");
}

TEST(PrintTerms, IrisByTheLongestPrefix) {
  EXPECT_EQ(text(iri("http://example.org/a")), "ex:a");
  EXPECT_EQ(text(iri("http://example.org/vocabulary/a")), "exv:a");
  EXPECT_EQ(text(iri("http://example.org/")), "ex:");
  EXPECT_EQ(text(iri("http://empty.example/#x.1")), ":x.1");
  // No legal local names, or not without backslashes.
  EXPECT_EQ(text(iri("http://example.org/a/b")), "<http://example.org/a/b>");
  EXPECT_EQ(text(iri("http://example.org/a.")), "<http://example.org/a.>");
  EXPECT_EQ(text(iri("http://example.org/-a")), "<http://example.org/-a>");
  EXPECT_EQ(text(iri("http://example.org/a%20b")), "ex:a%20b");
  EXPECT_EQ(text(iri("http://example.org/a%2")), "<http://example.org/a%2>");
  EXPECT_EQ(to_sparql(TermPattern(iri("http://example.org/a"))), "<http://example.org/a>");
}

TEST(PrintTerms, TheLastDeclarationOfAPrefixHolds) {
  const PrefixList twice = {{"p", "http://one/"}, {"p", "http://two/"}};
  EXPECT_EQ(to_sparql(TermPattern(iri("http://one/a")), twice), "<http://one/a>");
  EXPECT_EQ(to_sparql(TermPattern(iri("http://two/a")), twice), "p:a");
}

TEST(PrintTerms, Literals) {
  EXPECT_EQ(text(literal("a \"b\" \\ \n \t\x01 ü")), R"("a \"b\" \\ \n 	\u0001 ü")");
  EXPECT_EQ(text(literal("5", rdf::kXsdInteger)), "5");
  EXPECT_EQ(text(literal("-05", rdf::kXsdInteger)), "-05");
  EXPECT_EQ(text(literal("5.", rdf::kXsdDecimal)), "\"5.\"^^xsd:decimal");
  EXPECT_EQ(text(literal(".5", rdf::kXsdDecimal)), ".5");
  EXPECT_EQ(text(literal("5.e3", rdf::kXsdDouble)), "5.e3");
  EXPECT_EQ(text(literal("INF", rdf::kXsdDouble)), "\"INF\"^^xsd:double");
  EXPECT_EQ(text(literal("5", rdf::kXsdDouble)), "\"5\"^^xsd:double");
  EXPECT_EQ(text(literal("true", rdf::kXsdBoolean)), "true");
  EXPECT_EQ(text(literal("1", rdf::kXsdBoolean)), "\"1\"^^xsd:boolean");
  rdf::Term term(rdf::TermView::lang_literal("x", "en"));
  EXPECT_EQ(text(term), "\"x\"@en");
  term.direction = rdf::Direction::Ltr;
  EXPECT_EQ(text(term), "\"x\"@en--ltr");
  term.direction = rdf::Direction::Rtl;
  EXPECT_EQ(text(term), "\"x\"@en--rtl");
}

TEST(PrintTerms, VariablesAndBlankNodes) {
  EXPECT_EQ(text(var("x")), "?x");
  EXPECT_EQ(text(node("_b1")), "_:b1");
}

std::string path_text(const Path& value) { return to_sparql(value, prefixes()); }

TEST(PrintPaths, ParenthesesOnlyWhereNeeded) {
  using Kind = Path::Kind;
  const Path a = step("http://example.org/a");
  const Path b = step("http://example.org/b");
  const Path type = step(std::string(rdf::kRdfType));
  const Path sequence = path(Kind::Sequence, {a, b});
  const Path alternative = path(Kind::Alternative, {a, b});
  const Path inverse = path(Kind::Inverse, {a});
  const Path star = path(Kind::ZeroOrMore, {a});
  EXPECT_EQ(path_text(sequence), "ex:a/ex:b");
  EXPECT_EQ(path_text(alternative), "ex:a|ex:b");
  EXPECT_EQ(path_text(path(Kind::Alternative, {sequence, alternative, inverse})),
            "ex:a/ex:b|(ex:a|ex:b)|^ex:a");
  EXPECT_EQ(path_text(path(Kind::Sequence, {type, sequence, alternative, inverse, star})),
            "a/(ex:a/ex:b)/(ex:a|ex:b)/^ex:a/ex:a*");
  EXPECT_EQ(path_text(path(Kind::Inverse, {star})), "^ex:a*");
  EXPECT_EQ(path_text(path(Kind::Inverse, {inverse})), "^(^ex:a)");
  EXPECT_EQ(path_text(path(Kind::Inverse, {sequence})), "^(ex:a/ex:b)");
  EXPECT_EQ(path_text(path(Kind::OneOrMore, {star})), "(ex:a*)+");
  EXPECT_EQ(path_text(path(Kind::ZeroOrOne, {inverse})), "(^ex:a)?");
  EXPECT_EQ(path_text(path(Kind::NegatedSet, {})), "!()");
  EXPECT_EQ(path_text(path(Kind::NegatedSet, {a})), "!ex:a");
  EXPECT_EQ(path_text(path(Kind::NegatedSet, {inverse})), "!^ex:a");
  EXPECT_EQ(path_text(path(Kind::NegatedSet, {type, inverse})), "!(a|^ex:a)");
  EXPECT_EQ(path_text(path(Kind::ZeroOrMore, {path(Kind::NegatedSet, {a})})), "!ex:a*");
}

TEST(PrintExpressions, OperatorsByPrecedence) {
  const Expression a = variable("a");
  const Expression b = variable("b");
  const Expression sum = call(Function::Add, {a, b});
  const Expression difference = call(Function::Subtract, {a, b});
  const Expression product = call(Function::Multiply, {a, b});
  const Expression equal = call(Function::Equal, {a, b});
  const Expression both = call(Function::And, {a, b, equal});
  const Expression either = call(Function::Or, {both, a});
  EXPECT_EQ(text(either), "?a && ?b && ?a = ?b || ?a");
  EXPECT_EQ(text(call(Function::And, {either, a})), "(?a && ?b && ?a = ?b || ?a) && ?a");
  EXPECT_EQ(text(call(Function::And, {call(Function::And, {a, b}), a})), "(?a && ?b) && ?a");
  EXPECT_EQ(text(call(Function::Or, {a, call(Function::Or, {a, b})})), "?a || (?a || ?b)");
  EXPECT_EQ(text(call(Function::Equal, {equal, sum})), "(?a = ?b) = ?a + ?b");
  EXPECT_EQ(text(call(Function::Subtract, {difference, difference})), "?a - ?b - (?a - ?b)");
  EXPECT_EQ(text(call(Function::Add, {product, product})), "?a * ?b + ?a * ?b");
  EXPECT_EQ(text(call(Function::Divide, {product, product})), "?a * ?b / (?a * ?b)");
  EXPECT_EQ(text(call(Function::Multiply, {sum, a})), "(?a + ?b) * ?a");
  EXPECT_EQ(text(call(Function::Not, {equal})), "!(?a = ?b)");
  EXPECT_EQ(text(call(Function::Not, {call(Function::Not, {a})})), "!(!?a)");
  EXPECT_EQ(text(call(Function::In, {sum, a, equal})), "?a + ?b IN (?a, ?a = ?b)");
  EXPECT_EQ(text(call(Function::NotIn, {equal})), "(?a = ?b) NOT IN ()");
}

TEST(PrintExpressions, SignsStayWhatTheyAre) {
  const Expression five = number("5");
  const Expression minus_five = number("-5");
  EXPECT_EQ(text(call(Function::Negate, {five})), "- 5");
  EXPECT_EQ(text(call(Function::Negate, {minus_five})), "- -5");
  EXPECT_EQ(text(call(Function::Plus, {five})), "+ 5");
  EXPECT_EQ(text(call(Function::Negate, {variable("x")})), "-?x");
  EXPECT_EQ(text(call(Function::Negate, {call(Function::Negate, {variable("x")})})), "-(-?x)");
  EXPECT_EQ(text(call(Function::Subtract, {variable("x"), five})), "?x - 5");
  EXPECT_EQ(text(call(Function::Add, {variable("x"), minus_five})), "?x + -5");
  EXPECT_EQ(text(call(Function::Subtract, {minus_five, minus_five})), "-5 - -5");
  EXPECT_EQ(text(call(Function::Multiply, {variable("x"), call(Function::Negate, {five})})),
            "?x * - 5");
}

TEST(PrintExpressions, CallsAndAggregates) {
  const Expression x = variable("x");
  EXPECT_EQ(text(call(Function::Regex, {x, constant(literal("a"))})), "REGEX(?x, \"a\")");
  EXPECT_EQ(text(call(Function::Rand, {})), "RAND()");
  EXPECT_EQ(text(Expression(Call{std::string(rdf::kXsdInteger), false, {x}})), "xsd:integer(?x)");
  EXPECT_EQ(text(Expression(Call{"http://f", true, {x, x}})), "<http://f>(DISTINCT ?x, ?x)");
  EXPECT_EQ(text(count_all()), "COUNT(*)");
  Aggregate concat;
  concat.kind = AggregateKind::GroupConcat;
  concat.is_distinct = true;
  concat.argument = {x};
  concat.separator = "\"; ";
  EXPECT_EQ(text(Expression(concat)), R"(GROUP_CONCAT(DISTINCT ?x; SEPARATOR = "\"; "))");
  EXPECT_EQ(text(exists(Pattern(), true)), "NOT EXISTS {}");
  EXPECT_EQ(text(exists(one("a", "b", "c"))), "EXISTS {\n  ?a ?b ?c .\n}");
}

TEST(PrintPatterns, TriplesShareTheirBeginnings) {
  EXPECT_EQ(text(Pattern()), "");
  EXPECT_EQ(text(triples({triple("a", "p", "x"), triple("a", "p", "y"), triple("a", "q", "_z"),
                          triple("_z", "q", "a")})),
            "?a ?p ?x, ?y ;\n  ?q _:z .\n_:z ?q ?a .");
  // Only neighbours: the order is part of the value.
  EXPECT_EQ(text(triples({triple("a", "p", "x"), triple("b", "p", "x"), triple("a", "p", "y")})),
            "?a ?p ?x .\n?b ?p ?x .\n?a ?p ?y .");
  EXPECT_EQ(text(TriplePattern{var("s"), iri(rdf::kRdfType), iri("http://example.org/C"), {}}),
            "?s a ex:C");
}

TEST(PrintPatterns, BracesKeepBasicGraphPatternsApart) {
  const Pattern a = one("a", "a", "a");
  const Pattern b = one("b", "b", "b");
  const Pattern values = Pattern(Values{{var("v")}, {}, {}});
  EXPECT_EQ(text(Pattern(Join{{a, b, b}})), "?a ?a ?a .\n{\n  ?b ?b ?b .\n}\n?b ?b ?b .");
  EXPECT_EQ(text(Pattern(Join{{a, values, b}})), "?a ?a ?a .\nVALUES ?v {}\n?b ?b ?b .");
  EXPECT_EQ(text(Pattern(Join{{Pattern(LeftJoin{a, b, {}}), b}})),
            "?a ?a ?a .\nOPTIONAL {\n  ?b ?b ?b .\n}\n?b ?b ?b .");
  EXPECT_EQ(text(Pattern(Join{{b, Pattern(LeftJoin{a, b, {}})}})),
            "?b ?b ?b .\n{\n  ?a ?a ?a .\n  OPTIONAL {\n    ?b ?b ?b .\n  }\n}");
}

TEST(PrintPatterns, FiltersBelongToTheirGroup) {
  const Pattern a = one("a", "a", "a");
  const Pattern filter =
      Pattern(Filter{a, {variable("x"), call(Function::Bound, {variable("y")})}});
  const std::string filter_text = "?a ?a ?a .\nFILTER(?x)\nFILTER BOUND(?y)";
  const std::string in_braces = "{\n  ?a ?a ?a .\n  FILTER(?x)\n  FILTER BOUND(?y)\n}";
  EXPECT_EQ(text(filter), filter_text);
  EXPECT_EQ(text(Pattern(Filter{filter, {variable("z")}})), in_braces + "\nFILTER(?z)");
  EXPECT_EQ(text(Pattern(Join{{filter, a}})), in_braces + "\n?a ?a ?a .");
  EXPECT_EQ(text(Pattern(LeftJoin{filter, Pattern(), {}})), in_braces + "\nOPTIONAL {}");
  EXPECT_EQ(text(Pattern(Minus{Pattern(), filter})), "MINUS " + in_braces);
  EXPECT_EQ(text(Pattern(LeftJoin{Pattern(), a, {variable("x")}})),
            "OPTIONAL {\n  ?a ?a ?a .\n  FILTER(?x)\n}");
  EXPECT_EQ(text(Pattern(LeftJoin{Pattern(), Pattern(Filter{a, {variable("x")}}), {}})),
            "OPTIONAL {\n  {\n    ?a ?a ?a .\n    FILTER(?x)\n  }\n}");
  EXPECT_EQ(text(Pattern(Extend{filter, var("v"), number("1")})), in_braces + "\nBIND(1 AS ?v)");
}

TEST(PrintPatterns, ElementsWithGroups) {
  const Pattern a = one("a", "a", "a");
  const Pattern both = Pattern(Union{{a, Pattern()}});
  EXPECT_EQ(text(both), "{\n  ?a ?a ?a .\n} UNION {}");
  EXPECT_EQ(text(Pattern(Union{{both, a}})),
            "{\n  {\n    ?a ?a ?a .\n  } UNION {}\n} UNION {\n  ?a ?a ?a .\n}");
  EXPECT_EQ(text(Pattern(Graph{var("g"), a})), "GRAPH ?g {\n  ?a ?a ?a .\n}");
  EXPECT_EQ(text(Pattern(Service{iri("http://example.org/s"), true, a})),
            "SERVICE SILENT ex:s {\n  ?a ?a ?a .\n}");
  EXPECT_EQ(text(sub(select({"a"}, a))), "SELECT ?a WHERE {\n  ?a ?a ?a .\n}");
  EXPECT_EQ(text(Pattern(Join{{sub(select({"a"}, Pattern())), a}})),
            "{\n  SELECT ?a WHERE {}\n}\n?a ?a ?a .");
  EXPECT_EQ(text(Pattern(Graph{var("g"), sub(select({"a"}, Pattern()))})),
            "GRAPH ?g {\n  SELECT ?a WHERE {}\n}");
}

TEST(PrintPatterns, Values) {
  const std::vector<std::vector<std::optional<rdf::Term>>> rows = {{literal("1"), std::nullopt},
                                                                   {literal("2"), literal("3")}};
  EXPECT_EQ(text(Pattern(Values{{var("x"), var("y")}, rows, {}})),
            "VALUES (?x ?y) {\n  (\"1\" UNDEF)\n  (\"2\" \"3\")\n}");
  EXPECT_EQ(text(Pattern(Values{{var("x")}, {{literal("1")}, {std::nullopt}}, {}})),
            "VALUES ?x { \"1\" UNDEF }");
  EXPECT_EQ(text(Pattern(Values{{}, {{}, {}}, {}})), "VALUES () {\n  ()\n  ()\n}");
  Values many{{var("x")}, {}, {}};
  for (int i = 0; i < 100; ++i) many.rows.push_back({literal("value")});
  EXPECT_LT(text(Pattern(many)).find('\n'), 120U);
}

Query query_of(Query::Form form) {
  Query query;
  query.form = std::move(form);
  return query;
}

TEST(PrintQueries, Select) {
  Select form = select({"x"}, one("a", "b", "c"));
  form.duplicates = Duplicates::Distinct;
  form.items.push_back({var("n"), count_all()});
  form.body.group_by = {{variable("x"), std::nullopt},
                        {call(Function::Str, {variable("y")}), var("z")},
                        {call(Function::Str, {variable("y")}), std::nullopt},
                        {call(Function::Add, {variable("y"), variable("y")}), std::nullopt}};
  form.body.having = {call(Function::Greater, {count_all(), number("1")}), exists(Pattern())};
  form.body.order_by = {{variable("x"), false},
                        {variable("x"), true},
                        {count_all(), false},
                        {call(Function::Negate, {variable("x")}), false}};
  form.body.limit = 10;
  form.body.offset = 0;
  form.body.values = Values{{var("x")}, {{literal("1")}}, {}};
  Query query = query_of(form);
  query.prefixes = {{"ex", "http://example.org/"}};
  query.base_iri = "http://base/";
  query.version = Version::Sparql12;
  query.dataset = {{"http://example.org/g", false, {}}, {"http://h", true, {}}};
  EXPECT_EQ(to_sparql(query),
            "VERSION \"1.2\"\n"
            "BASE <http://base/>\n"
            "PREFIX ex: <http://example.org/>\n"
            "SELECT DISTINCT ?x (COUNT(*) AS ?n)\n"
            "FROM ex:g\n"
            "FROM NAMED <http://h>\n"
            "WHERE {\n"
            "  ?a ?b ?c .\n"
            "}\n"
            "GROUP BY ?x (STR(?y) AS ?z) STR(?y) (?y + ?y)\n"
            "HAVING (COUNT(*) > 1) EXISTS {}\n"
            "ORDER BY ?x DESC(?x) COUNT(*) (-?x)\n"
            "LIMIT 10\n"
            "OFFSET 0\n"
            "VALUES ?x { \"1\" }");
}

TEST(PrintQueries, OtherForms) {
  Construct construct;
  construct.triples = {triple("_a", "b", "c"), triple("_a", "b", "d")};
  EXPECT_EQ(to_sparql(query_of(construct)), "CONSTRUCT {\n  _:a ?b ?c, ?d .\n} WHERE {}");
  EXPECT_EQ(to_sparql(query_of(Ask{{one("a", "b", "c"), {}, {}, {}, {}, {}, {}}})),
            "ASK {\n  ?a ?b ?c .\n}");
  Describe describe;
  describe.targets = {var("x"), iri("http://a")};
  EXPECT_EQ(to_sparql(query_of(describe)), "DESCRIBE ?x <http://a>");
  describe.body.where = one("x", "b", "c");
  describe.body.limit = 1;
  EXPECT_EQ(to_sparql(query_of(describe)),
            "DESCRIBE ?x <http://a> WHERE {\n  ?x ?b ?c .\n}\nLIMIT 1");
  describe.targets.clear();
  describe.is_star = true;
  EXPECT_EQ(to_sparql(query_of(describe)), "DESCRIBE * WHERE {\n  ?x ?b ?c .\n}\nLIMIT 1");
}

TEST(PrintUpdates, EveryOperation) {
  const Constant g = iri("http://g");
  const TriplePattern t{iri("http://s"), iri("http://p"), iri("http://o"), {}};
  Modify modify;
  modify.with = "http://g";
  modify.deletes = {{t, std::nullopt}};
  modify.inserts = {{triple("a", "b", "c"), std::variant<Variable, Constant>(var("g"))}};
  modify.using_graphs = {{"http://u", false, {}}, {"http://v", true, {}}};
  using Target = GraphTarget::Kind;
  Update update;
  update.prefixes = {{"", "http://"}};
  for (UpdateOperation::Node operation : std::vector<UpdateOperation::Node>{
           InsertData{{{t, std::nullopt}, {t, g}, {t, g}, {t, std::nullopt}}}, DeleteData{{}},
           DeleteWhere{{{t, g}}}, modify, Load{"http://f", {}, true},
           Load{"http://f", {Target::One, "http://g"}, false},
           ManageGraph{ManageGraph::Verb::Clear, {Target::All, {}}, true},
           ManageGraph{ManageGraph::Verb::Drop, {Target::Named, {}}, false},
           ManageGraph{ManageGraph::Verb::Create, {Target::One, "http://g"}, false},
           TransferGraph{TransferGraph::Verb::Add, {}, {Target::One, "http://g"}, false},
           TransferGraph{TransferGraph::Verb::Move, {Target::One, "http://g"}, {}, true},
           TransferGraph{TransferGraph::Verb::Copy, {}, {}, false}}) {
    update.operations.push_back({std::move(operation), {}});
  }
  EXPECT_EQ(
      to_sparql(update),
      "PREFIX : <http://>\n"
      "INSERT DATA {\n  :s :p :o .\n  GRAPH :g {\n    :s :p :o, :o .\n  }\n  :s :p :o .\n} ;\n"
      "DELETE DATA {} ;\n"
      "DELETE WHERE {\n  GRAPH :g {\n    :s :p :o .\n  }\n} ;\n"
      "WITH :g\nDELETE {\n  :s :p :o .\n}\nINSERT {\n  GRAPH ?g {\n    ?a ?b ?c .\n  }\n}\n"
      "USING :u\nUSING NAMED :v\nWHERE {} ;\n"
      "LOAD SILENT :f ;\n"
      "LOAD :f INTO GRAPH :g ;\n"
      "CLEAR SILENT ALL ;\n"
      "DROP NAMED ;\n"
      "CREATE GRAPH :g ;\n"
      "ADD DEFAULT TO GRAPH :g ;\n"
      "MOVE SILENT GRAPH :g TO DEFAULT ;\n"
      "COPY DEFAULT TO DEFAULT");
}

TEST(PrintPatterns, LongChainsDoNotNest) {
  Pattern chain = one("a", "a", "a");
  for (int i = 0; i < 900; ++i) chain = Pattern(LeftJoin{std::move(chain), Pattern(), {}});
  const std::string printed = text(chain);
  EXPECT_EQ(printed.find("  "), std::string::npos);
  Expression sum = number("1");
  for (int i = 0; i < 900; ++i) sum = call(Function::Add, {std::move(sum), number("1")});
  EXPECT_EQ(text(sum).find('('), std::string::npos);
}

}  // namespace
}  // namespace helve::sparql
