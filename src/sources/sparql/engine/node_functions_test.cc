#include "sources/sparql/engine/node_functions.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "sources/sparql/engine/expression_testing.h"

namespace helve::sparql {
namespace {

using F = Function;

TEST(NodeFunctions, Kinds) {
  check_functions_of({
      {F::IsIri, ":x", "true"},
      {F::IsIri, R"("x")", "false"},
      {F::IsIri, "_:x", "false"},
      {F::IsBlank, "_:x", "true"},
      {F::IsBlank, ":x", "false"},
      {F::IsBlank, "1", "false"},
      {F::IsLiteral, "1", "true"},
      {F::IsLiteral, R"("x"@en)", "true"},
      {F::IsLiteral, R"("x"^^:t)", "true"},
      {F::IsLiteral, ":x", "false"},
      {F::IsNumeric, "12", "true"},
      {F::IsNumeric, R"("12")", "false"},
      {F::IsNumeric, R"("12"^^xsd:nonNegativeInteger)", "true"},
      {F::IsNumeric, R"("1200"^^xsd:byte)", "false"},
      {F::IsNumeric, R"("INF"^^xsd:float)", "true"},
      {F::IsNumeric, ":x", "false"},
      {F::IsNumeric, R"(" 1"^^xsd:integer)", "false"},
  });
}

TEST(NodeFunctions, PartsOfTerms) {
  check_functions_of({
      {F::Str, ":x", R"("http://example.org/x")"},
      {F::Str, R"("x"@en)", R"("x")"},
      {F::Str, R"("01"^^xsd:integer)", R"("01")"},
      {F::Str, "1.50", R"("1.50")"},
      {F::Str, R"("x"^^:t)", R"("x")"},
      {F::Str, "_:x", "error"},
      {F::Lang, R"("x"@en-GB)", R"("en-GB")"},
      {F::Lang, R"("x")", R"("")"},
      {F::Lang, "1", R"("")"},
      {F::Lang, ":x", "error"},
      {F::Lang, "_:x", "error"},
      {F::Datatype, R"("x")", "xsd:string"},
      {F::Datatype, "1", "xsd:integer"},
      {F::Datatype, "1.5", "xsd:decimal"},
      {F::Datatype, R"("x"^^:t)", ":t"},
      {F::Datatype, R"("x"@en)", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"},
      {F::Datatype, ":x", "error"},
      {F::Datatype, "_:x", "error"},
  });
}

TEST(NodeFunctions, SameTermLooksAtSpelling) {
  check_functions_of({
      {F::SameTerm, "1, 1", "true"},
      {F::SameTerm, "1, 1.0", "false"},
      {F::SameTerm, "1, 01", "false"},
      {F::SameTerm, "01, 01", "true"},
      {F::SameTerm, R"("x", "x"^^xsd:string)", "true"},
      {F::SameTerm, R"("x", "x"@en)", "false"},
      {F::SameTerm, ":x, :x", "true"},
      {F::SameTerm, ":x, :y", "false"},
      {F::SameTerm, R"("NaN"^^xsd:double, "NaN"^^xsd:double)", "true"},
  });
}

TEST(NodeFunctions, IrisAreResolved) {
  check_functions_of({
      {F::Iri, ":x", ":x"},
      {F::Iri, R"("http://other.org/")", "<http://other.org/>"},
      {F::Iri, R"("x")", "<http://example.org/base/x>"},
      {F::Iri, R"("../x#y")", "<http://example.org/x#y>"},
      {F::Iri, R"("x y")", "error"},
      {F::Iri, R"("x"@en)", "error"},
      {F::Iri, "1", "error"},
      {F::Iri, "_:x", "error"},
  });
  Evaluation without_base;
  EXPECT_EQ(without_base.call(F::Iri, R"("x")"), "error");
  EXPECT_EQ(without_base.call(F::Iri, R"("urn:x")"), "<urn:x>");
}

TEST(NodeFunctions, LiteralsAreMade) {
  check_functions_of({
      {F::StrDt, R"("123", xsd:integer)", "123"},
      {F::StrDt, R"("x", :t)", R"("x"^^:t)"},
      {F::StrDt, R"("x", xsd:integer)", R"("x"^^xsd:integer)"},
      {F::StrDt, R"("x", xsd:string)", R"("x")"},
      {F::StrDt, R"("x"@en, :t)", "error"},
      {F::StrDt, R"(1, :t)", "error"},
      {F::StrDt, R"("x", "t")", "error"},
      {F::StrDt, R"("x", <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>)", "error"},
      {F::StrLang, R"("chat", "en")", R"("chat"@en)"},
      {F::StrLang, R"("chat", "en-GB-x1")", R"("chat"@en-GB-x1)"},
      {F::StrLang, R"("chat", "")", "error"},
      {F::StrLang, R"("chat", "e n")", "error"},
      {F::StrLang, R"("chat", "1a")", "error"},
      {F::StrLang, R"("chat", "en-")", "error"},
      {F::StrLang, R"("chat"@fr, "en")", "error"},
      {F::StrLang, R"("chat", "en"@en)", "error"},
      {F::StrLang, R"(1, "en")", "error"},
      {F::StrLang, R"(:x, "en")", "error"},
  });
}

TEST(NodeFunctions, Directions) {
  Evaluation evaluation;
  const Expression rtl = operation(F::StrLangDir, R"("x", "he", "rtl")");
  const auto call = [&](F function, const Expression& argument) {
    return evaluation(operation(function, {argument}));
  };
  EXPECT_EQ(call(F::LangDir, rtl), R"("rtl")");
  EXPECT_EQ(call(F::Lang, rtl), R"("he")");
  EXPECT_EQ(call(F::LangDir, constant(R"("x"@he)")), R"("")");
  EXPECT_EQ(call(F::LangDir, constant("1")), R"("")");
  EXPECT_EQ(call(F::LangDir, constant(":x")), "error");
  EXPECT_EQ(call(F::HasLang, rtl), shown("true"));
  EXPECT_EQ(call(F::HasLangDir, rtl), shown("true"));
  EXPECT_EQ(call(F::HasLang, constant(R"("x"@he)")), shown("true"));
  EXPECT_EQ(call(F::HasLangDir, constant(R"("x"@he)")), shown("false"));
  EXPECT_EQ(call(F::HasLang, constant(":x")), shown("false"));
  EXPECT_EQ(call(F::Datatype, rtl), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>");
  EXPECT_EQ(evaluation(operation(F::StrLangDir, R"("x", "he", "up")")), "error");
  EXPECT_EQ(evaluation.truth(operation(F::Equal, {rtl, rtl})), "true");
  EXPECT_EQ(evaluation.truth(operation(F::Equal, {rtl, constant(R"("x"@he)")})), "false");
}

TEST(NodeFunctions, BlankNodesAreNewForEachSolution) {
  Evaluation evaluation;
  EvaluationContext& context = evaluation.context();
  const auto labelled = [&](std::string_view label) {
    return context.to_id(call_function(F::BNode, std::vector<Value>{term(label)}, context));
  };
  const auto fresh = [&] { return context.to_id(call_function(F::BNode, {}, context)); };
  const Id a = labelled(R"("a")");
  EXPECT_EQ(evaluation.terms().kind(a), rdf::TermKind::BlankNode);
  EXPECT_EQ(labelled(R"("a")"), a);
  EXPECT_NE(labelled(R"("b")"), a);
  EXPECT_NE(fresh(), fresh());
  context.begin_solution();
  EXPECT_NE(labelled(R"("a")"), a);
  EXPECT_EQ(evaluation.call(F::BNode, "1"), "error");
  EXPECT_EQ(evaluation.call(F::BNode, R"("a"@en)"), "error");
}

TEST(NodeFunctions, UuidsAreOfVersionFour) {
  Evaluation evaluation;
  const std::regex bare("\"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\"");
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const std::string text = evaluation(operation(F::StrUuid, ""));
    EXPECT_TRUE(std::regex_match(text, bare)) << text;
    EXPECT_TRUE(seen.insert(text).second);
  }
  EXPECT_EQ(evaluation(operation(F::Uuid, "")).substr(0, 10), "<urn:uuid:");
}

}  // namespace
}  // namespace helve::sparql
