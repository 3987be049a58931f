// CSV and TSV, both ways.
#include "sources/sparql/results/results_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

std::string csv_error(std::string_view document) { return error_of(ResultFormat::Csv, document); }
std::string tsv_error(std::string_view document) { return error_of(ResultFormat::Tsv, document); }

TEST(CsvResults, AreWrittenByTheSpecification) {
  EXPECT_EQ(written(table({"x", "y"}, {{iri("http://a,b"), blank("b0")},
                                       {kUnbound, kUnbound},
                                       {tagged("say \"hi\"", "en"), integer("1")},
                                       {text(""), text("a\nb")},
                                       {blank("a b"), text("'")}}),
                    ResultFormat::Csv),
            "x,y\r\n\"http://a,b\",_:b0\r\n,\r\n\"say \"\"hi\"\"\",1\r\n\"\",\"a\nb\"\r\n"
            "_:x-hex-612062,'\r\n");
  EXPECT_EQ(written(table({}, {{}}), ResultFormat::Csv), "\r\n\r\n");
  EXPECT_EQ(written(answer(true), ResultFormat::Csv), "true\r\n");
}

TEST(CsvResults, AreReadWithEitherLineEnd) {
  const SolutionTable expected = table({"x", "y"}, {{text("a"), kUnbound}, {kUnbound, text("b")}});
  for (const auto* document : {"x,y\r\na,\r\n,b\r\n", "x,y\na,\n,b\n", "?x,?y\na,\n,b"}) {
    const auto found = read(ResultFormat::Csv, document);
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_TRUE(is_identical(*found, expected)) << document;
  }
}

TEST(CsvResults, AMarkAtTheStartOfANameStays) {
  const SolutionTable marked = table({"\xEF\xBB\xBFx"}, {{text("a")}});
  const auto found = read(ResultFormat::Csv, written(marked, ResultFormat::Csv));
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_TRUE(is_identical(*found, marked));
}

TEST(CsvResults, KindsAreGuessed) {
  const auto found = read(
      ResultFormat::Csv,
      "x\nhttp://a\nurn:a\nftp://a b\nmailto:a\n_:b\n_: b\n\"_:b\"\n1\n\"\"\n\n\"a\n\"\"b\"\n");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_TRUE(is_identical(*found, table({"x"}, {{iri("http://a")},
                                                 {iri("urn:a")},
                                                 {text("ftp://a b")},
                                                 {text("mailto:a")},
                                                 {blank("b")},
                                                 {text("_: b")},
                                                 {blank("b")},
                                                 {text("1")},
                                                 {text("")},
                                                 {kUnbound},
                                                 {text("a\n\"b")}})));
}

TEST(CsvResults, ABooleanIsOneLine) {
  EXPECT_EQ(read(ResultFormat::Csv, "true")->answer, true);
  EXPECT_EQ(read(ResultFormat::Csv, "false\r\n")->answer, false);
  const auto column = read(ResultFormat::Csv, "true\nx\n");
  ASSERT_TRUE(column);
  EXPECT_TRUE(is_identical(*column, table({"true"}, {{text("x")}})));
}

TEST(CsvResults, FaultsHaveAPlace) {
  EXPECT_EQ(csv_error(""),
            "results:1:1: the document is empty (the first line of CSV results names the "
            "variables)");
  EXPECT_EQ(csv_error("x,y\n1,2\n3\n"),
            "results:3:2: this row has only 1 field, the first line has 2 (fields with commas or "
            "line ends stand in quotes)");
  EXPECT_EQ(csv_error("x,y\n1,2,3\n"),
            "results:2:6: this row has at least 3 fields, the first line has 2 (fields with commas "
            "or line ends stand in quotes)");
  EXPECT_EQ(csv_error("\n1\n").substr(0, 47), "results:2:2: this row has at least 1 field, the");
  EXPECT_EQ(csv_error("x\n\"a\nb"),
            "results:2:1: a quoted field begins here and is never closed (the file seems to be cut "
            "off, or a quote inside is not doubled)");
  EXPECT_EQ(csv_error("x\n\"a\"b\n"),
            "results:2:4: expected a comma or the end of the line behind the quoted field, found "
            "'b' (double the quotes inside a field)");
  EXPECT_EQ(csv_error("x\na\"b\n"),
            "results:2:2: a quote inside a field that does not begin with one (put the whole field "
            "in quotes and double those inside)");
  EXPECT_EQ(csv_error("x\na\rb\n"),
            "results:2:2: a carriage return without a line feed (put fields with line ends in "
            "quotes)");
  EXPECT_EQ(csv_error("x,x\n"), "results:1:4: the variable x is listed twice");
  EXPECT_EQ(csv_error("a b\n"),
            "results:1:4: \"a b\" is not the name of a variable (names are "
            "letters, digits and \"_\")");
}

TEST(TsvResults, AreWrittenByTheSpecification) {
  EXPECT_EQ(written(table({"x", "y"}, {{iri("http://a"), blank("b0")},
                                       {kUnbound, kUnbound},
                                       {tagged("a\tb\n\"c\"", "en"), integer("1")},
                                       {typed("1.5", rdf::kXsdDecimal), integer("one")},
                                       {typed("true", rdf::kXsdBoolean), text("")}}),
                    ResultFormat::Tsv),
            "?x\t?y\n<http://a>\t_:b0\n\t\n\"a\\tb\\n\\\"c\\\"\"@en\t1\n"
            "1.5\t\"one\"^^<http://www.w3.org/2001/XMLSchema#integer>\ntrue\t\"\"\n");
  EXPECT_EQ(written(table({}, {{}}), ResultFormat::Tsv), "\n\n");
  EXPECT_EQ(written(answer(false), ResultFormat::Tsv), "false\n");
}

TEST(TsvResults, TermsOfEveryKindAreRead) {
  const auto found = read(ResultFormat::Tsv, "?x\t?y\r\n<http://a>\t_:b.c\r\n'it''\t\r\n");
  EXPECT_FALSE(found);
  const auto good =
      read(ResultFormat::Tsv,
           "?x\t?y\r\n<http://a>\t_:b.c\r\n'a'@en-GB\t\"\\u00e9\\n\"\r\n-1\t+1.5\n.5e-3\tfalse\n"
           "\"a\"^^<http://www.w3.org/2001/XMLSchema#string>\t\"\"\"a\n\tb\"\"\"\n\t");
  ASSERT_TRUE(good) << good.error().to_string();
  EXPECT_TRUE(is_identical(
      *good, table({"x", "y"}, {{iri("http://a"), blank("b.c")},
                                {tagged("a", "en-GB"), text("é\n")},
                                {integer("-1"), typed("+1.5", rdf::kXsdDecimal)},
                                {typed(".5e-3", rdf::kXsdDouble), typed("false", rdf::kXsdBoolean)},
                                {text("a"), text("a\n\tb")},
                                {kUnbound, kUnbound}})));
}

TEST(TsvResults, ABooleanIsOneLine) {
  EXPECT_EQ(read(ResultFormat::Tsv, "true")->answer, true);
  EXPECT_EQ(read(ResultFormat::Tsv, "false\r\n")->answer, false);
  EXPECT_EQ(tsv_error("true\n1\n"),
            "results:2:1: met a second line behind an answer of true or false (names of variables "
            "begin with '?')");
}

TEST(TsvResults, FaultsHaveAPlace) {
  EXPECT_EQ(tsv_error(""),
            "results:1:1: the document is empty (the first line of TSV results names the "
            "variables: ?x, tab, ?y)");
  EXPECT_EQ(tsv_error("x\ty\n"),
            "results:1:2: the name of a variable does not begin with '?' (the first line of TSV "
            "results names the variables: ?x, tab, ?y)");
  EXPECT_EQ(tsv_error("?x\t?x\n"), "results:1:6: the variable x is listed twice");
  EXPECT_EQ(tsv_error("?x\t?y\n1\t2\n3\n"),
            "results:3:2: this row has only 1 field, the first line has 2 (an unbound variable is "
            "an empty field between its tabs)");
  EXPECT_EQ(tsv_error("?x\n1\t2\n"),
            "results:2:3: this row has at least 2 fields, the first line has 1 (an unbound "
            "variable is an empty field between its tabs)");
  EXPECT_EQ(tsv_error("?x\n1 2\n"),
            "results:2:2: expected a tab or the end of the line, found a space (tabs and line ends "
            "in a literal are written \\t and \\n)");
  EXPECT_EQ(tsv_error("?x\n1.\n").substr(0, 53),
            "results:2:2: expected a tab or the end of the line, f");
  EXPECT_EQ(tsv_error("?x\nex:a\n"),
            "results:2:1: expected an IRI, a blank node or a literal, found 'ex:a' (IRIs stand in "
            "<...>, texts in \"...\"; TSV knows no prefixes)");
  EXPECT_EQ(tsv_error("?x\n\"a\"^^xsd:date\n"),
            "results:2:6: expected a datatype IRI in <...> after '^^', found 'xsd:date' (TSV knows "
            "no prefixes)");
  EXPECT_EQ(tsv_error("?x\n\"a\n").substr(0, 60),
            "results:2:3: a string in '\"' must end on its line: expected ");
  EXPECT_EQ(tsv_error("?x\n<a b>\n").substr(0, 63),
            "results:2:3: expected '>' or a character that an IRI may contai");
  EXPECT_EQ(tsv_error("?x\n\"a\"@\n"),
            "results:2:5: expected a language tag after '@', found the end of the line");
}

}  // namespace
}  // namespace helve::sparql
