#include "sources/rdf/turtle_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/stepped_source.h"

namespace helve::rdf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Statements in N-Quads syntax, prefixes as "name=iri".
class Collector final : public StatementSink {
 public:
  Result<void> statement(const StatementView& statement) override {
    std::string line = to_ntriples(statement.subject) + " " + to_ntriples(statement.predicate) +
                       " " + to_ntriples(statement.object);
    if (!statement.in_default_graph()) line += " " + to_ntriples(statement.graph);
    statements.push_back(std::move(line));
    if (statements.size() == fail_at) return Error{ErrorCode::Unavailable, "the sink is full"};
    return {};
  }
  void prefix(std::string_view name, std::string_view iri) override {
    prefixes.push_back(std::string(name) + "=" + std::string(iri));
  }

  std::vector<std::string> statements;
  std::vector<std::string> prefixes;
  std::size_t fail_at = 0;
};

struct TurtleReading {
  std::vector<std::string> statements;
  std::vector<std::string> prefixes;
  std::string error;
  ErrorCode code = ErrorCode::Internal;
  ReadReport report;
};

TurtleReading read_through(InputWindow& window, Format format, const ReadOptions& options,
                           const OpContext& context) {
  Collector sink;
  const Result<ReadReport> report = read_turtle(window, format, options, context, sink);
  TurtleReading reading{std::move(sink.statements), std::move(sink.prefixes), {}, {}, {}};
  if (report) {
    reading.report = *report;
    EXPECT_EQ(report->statements, reading.statements.size());
  } else {
    reading.error = report.error().to_string();
    reading.code = report.error().code;
  }
  return reading;
}

// Reads the text whole, in small pieces and byte by byte; all must agree.
TurtleReading read_text(std::string_view text, Format format = Format::Turtle,
                        ReadOptions options = {}, const OpContext& context = {}) {
  options.document_name = "t";
  InputWindow whole(text);
  TurtleReading reading = read_through(whole, format, options, context);
  for (const std::size_t step : {1, 2, 3, 7}) {
    test::SteppedSource source(text, step);
    InputWindow stream(source, 5, context.limits.term_bytes_max + 64);
    const TurtleReading again = read_through(stream, format, options, context);
    EXPECT_EQ(again.statements, reading.statements) << text;
    EXPECT_EQ(again.error, reading.error) << text;
    EXPECT_EQ(again.report.skipped, reading.report.skipped) << text;
    EXPECT_EQ(again.report.problems.size(), reading.report.problems.size());
    for (std::size_t i = 0; i < reading.report.problems.size(); ++i) {
      EXPECT_EQ(again.report.problems[i].to_string(), reading.report.problems[i].to_string());
    }
  }
  return reading;
}

std::string with_prefix(std::string_view text) {
  return "@prefix : <http://e/> . " + std::string(text);
}

std::vector<std::string> statements_of(std::string_view text, Format format = Format::Turtle) {
  const TurtleReading reading = read_text(with_prefix(text), format);
  EXPECT_EQ(reading.error, "") << text;
  return reading.statements;
}

std::string error_of(std::string_view text, Format format = Format::Turtle) {
  return read_text(text, format).error;
}

TEST(TurtleReader, ReadsSubjectPredicateObjectLists) {
  EXPECT_THAT(
      statements_of(":a :b :c , :d ; a :e ;; :f 'x' ; . <http://e/g><http://e/h>:i."),
      ElementsAre("<http://e/a> <http://e/b> <http://e/c>",
                  "<http://e/a> <http://e/b> <http://e/d>",
                  "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
                  "<http://e/e>",
                  "<http://e/a> <http://e/f> \"x\"", "<http://e/g> <http://e/h> <http://e/i>"));
}

TEST(TurtleReader, ReadsLiterals) {
  const std::string s = "<http://e/a> <http://e/b> ";
  const std::string xsd = "^^<http://www.w3.org/2001/XMLSchema#";
  EXPECT_THAT(statements_of(
                  ":a :b 'x', \"y\"@en-GB , '''a'b''c\"\n''' , \"\"\"\"q\"\"\\t\"\"\" , 1 , -1.5 , "
                  "+2e-3 , .5 , 1.e4, true,false, '\\u00e9\\U0001F600\\n'^^:d , ''^^"
                  "<http://www.w3.org/2001/XMLSchema#string> , 'x' # c\n @fr , 1."),
              ElementsAre(s + "\"x\"", s + "\"y\"@en-GB", s + "\"a'b''c\\\"\\n\"",
                          s + "\"\\\"q\\\"\\\"\t\"", s + "\"1\"" + xsd + "integer>",
                          s + "\"-1.5\"" + xsd + "decimal>", s + "\"+2e-3\"" + xsd + "double>",
                          s + "\".5\"" + xsd + "decimal>", s + "\"1.e4\"" + xsd + "double>",
                          s + "\"true\"" + xsd + "boolean>", s + "\"false\"" + xsd + "boolean>",
                          s + "\"\u00e9\U0001F600\\n\"^^<http://e/d>", s + "\"\"", s + "\"x\"@fr",
                          s + "\"1\"" + xsd + "integer>"));
}

TEST(TurtleReader, ReadsNames) {
  const std::string s = "<http://e/a> <http://e/b> ";
  EXPECT_THAT(
      statements_of("@prefix a.b-\u00e9: <http://f#> . :a :b :a.b , :1 , ::: , :%41\\~\\. , "
                    "a.b-\u00e9:\u00e9\u00b7 , : , _:x.y , _:genid1 , _:1."),
      ElementsAre(s + "<http://e/a.b>", s + "<http://e/1>", s + "<http://e/::>",
                  s + "<http://e/%41~.>", s + "<http://f#\u00e9\u00b7>", s + "<http://e/>",
                  s + "_:x.y", s + "_:ugenid1", s + "_:1"));
}

TEST(TurtleReader, NestsBlankNodesAndCollections) {
  const std::string rdf = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#";
  EXPECT_THAT(
      statements_of("[ :p [ :q 1 ] ; :r () ] . ( :a [] ) :p [] . [] :p ( ( :x ) )."),
      ElementsAre(
          "_:genid1 <http://e/p> _:genid2",
          "_:genid2 <http://e/q> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
          "_:genid1 <http://e/r> " + rdf + "nil>", "_:genid3 " + rdf + "first> <http://e/a>",
          "_:genid3 " + rdf + "rest> _:genid4", "_:genid4 " + rdf + "first> _:genid5",
          "_:genid4 " + rdf + "rest> " + rdf + "nil>", "_:genid3 <http://e/p> _:genid6",
          "_:genid7 <http://e/p> _:genid8", "_:genid8 " + rdf + "first> _:genid9",
          "_:genid9 " + rdf + "first> <http://e/x>", "_:genid9 " + rdf + "rest> " + rdf + "nil>",
          "_:genid8 " + rdf + "rest> " + rdf + "nil>"));
}

TEST(TurtleReader, ResolvesAgainstTheBase) {
  ReadOptions options;
  options.base_iri = "http://e/dir/doc";
  const TurtleReading reading = read_text(
      "<> <#p> <../x>. BASE <sub/> prefix y: <z#> <a> y:b <\\u0061>. @base <http://f/> . <a>a<b>.",
      Format::Turtle, options);
  EXPECT_EQ(reading.error, "");
  EXPECT_THAT(reading.statements,
              ElementsAre("<http://e/dir/doc> <http://e/dir/doc#p> <http://e/x>",
                          "<http://e/dir/sub/a> <http://e/dir/sub/z#b> <http://e/dir/sub/a>",
                          "<http://f/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
                          "<http://f/b>"));
  EXPECT_THAT(reading.prefixes, ElementsAre("y=http://e/dir/sub/z#"));
}

TEST(TurtleReader, ReadsTrigGraphs) {
  EXPECT_THAT(
      statements_of("{ :a :b :c } :g { :a :b :c . :d :e :f . } GRAPH _:x { [] :p 1.0 } "
                    "graph [] {} :a :b :c . [] { :a :b :d }",
                    Format::TriG),
      ElementsAre("<http://e/a> <http://e/b> <http://e/c>",
                  "<http://e/a> <http://e/b> <http://e/c> <http://e/g>",
                  "<http://e/d> <http://e/e> <http://e/f> <http://e/g>",
                  "_:genid1 <http://e/p> \"1.0\"^^<http://www.w3.org/2001/XMLSchema#decimal>"
                  " _:x",
                  "<http://e/a> <http://e/b> <http://e/c>",
                  "<http://e/a> <http://e/b> <http://e/d> _:genid3"));
}

TEST(TurtleReader, EmptyDocuments) {
  EXPECT_TRUE(read_text("").statements.empty());
  EXPECT_EQ(read_text(" # only a comment").error, "");
  EXPECT_EQ(read_text("\xEF\xBB\xBF<http://a><http://b><http://c>.").statements.size(), 1U);
}

TEST(TurtleReader, SaysWhatWasExpectedAndWhere) {
  EXPECT_EQ(error_of("<http://a> <http://b> <http://c> }"),
            "t:1:34: expected '.', ';' or ',' after the object, found '}'");
  EXPECT_EQ(error_of("<http://a> <http://b> \"\u00e9\u00e9\"\n<http://d> <http://e> 1 ."),
            "t:2:1: expected '.', ';' or ',' after the object, found '<http://d>' "
            "(is a '.' missing before it?)");
  EXPECT_EQ(error_of("\n\n \u00e9:x <p> <o>."),
            "t:3:2: the prefix '\u00e9:' is not declared (declare it: @prefix NAME: <...> .)");
  EXPECT_EQ(error_of("<http://a> rdfs:label 'x'."),
            "t:1:12: the prefix 'rdfs:' is not declared (declare it: @prefix rdfs: "
            "<http://www.w3.org/2000/01/rdf-schema#> .)");
  EXPECT_EQ(error_of("<http://a> <http://b> True ."),
            "t:1:23: expected an object (an IRI, a blank node or a literal), found 'True' "
            "(booleans are written true and false)");
  EXPECT_EQ(
      error_of("@PREFIX a: <http://a> ."),
      "t:1:1: expected @prefix, @base or a statement, found '@PREFIX' (write it in lower case, "
      "or without '@' and without the final '.')");
  EXPECT_EQ(error_of("<a> <http://b> 1 ."),
            "t:1:1: the relative IRI <a> has no base (declare one with @base, or give the base of "
            "the document)");
  EXPECT_EQ(
      error_of("<http://a b> <http://b> 1 ."),
      "t:1:10: expected '>' or a character that an IRI may contain, found a space (a space in "
      "an IRI is written %20; is a '>' missing?)");
  EXPECT_EQ(error_of("<http://a> <http://b> 'x\n' ."),
            "t:1:25: a string in \"'\" must end on its line: expected \"'\", found the end of the "
            "line (text over several lines goes between three quotes)");
  EXPECT_EQ(error_of("<http://a> <http://b> '''x\n"),
            "t:1:23: a string begins here and is never closed: expected \"'''\" before the end of "
            "the document");
  EXPECT_EQ(error_of("<http://a> <http://b"),
            "t:1:12: an IRI begins here and is never closed: expected '>' before the end of the "
            "document");
  EXPECT_EQ(error_of("<http://a> <http://b> ."),
            "t:1:23: expected an object (an IRI, a blank node or a literal), found '.'");
  EXPECT_EQ(error_of("<http://a> { <http://b> <http://c> <http://d> }"),
            "t:1:12: expected a predicate (an IRI, a prefixed name or 'a'), found '{' (this looks "
            "like TriG: read it as TriG)");
  EXPECT_EQ(error_of("<< <http://a> <http://b> <http://c> >> <http://b> 1 ."),
            "t:1:1: quoted triples ('<<') are not part of RDF 1.1");
  EXPECT_EQ(
      error_of("<http://a> <http://b> '\\uD83D\\uDE00' ."),
      "t:1:24: U+D83D is not a character (characters beyond U+FFFF are one \\U escape, not two "
      "surrogates)");
  EXPECT_EQ(error_of("<http://a> <http://b> \"a\xE9\" ."),
            "t:1:25: invalid UTF-8 (byte 0xE9) (RDF documents are UTF-8: convert others, e.g. with "
            "iconv -f LATIN1 -t UTF-8)");
  EXPECT_EQ(
      error_of("{ <http://a> <http://b> 1", Format::TriG),
      "t:1:26: expected '.', ';', ',' or '}' after the object, found the end of the document");
}

TEST(TurtleReader, RejectsWhatIsNotTurtle) {
  for (const char* text : {":a :b :c",
                           ":a :b :c ; .;",
                           "[] .",
                           "()  .",
                           ":a 'x' :c .",
                           "'x' :a :b .",
                           ":a _:b :c .",
                           ":a :b :c : .",
                           ":a :b 'x'@ .",
                           ":a :b 'x'@en- .",
                           ":a :b 'x'@1 .",
                           ":a :b 1e .",
                           ":a :b 'x'^:c .",
                           ":a :b '\\q' .",
                           ":a :b '\\u12' .",
                           ":a :b <http://\\u0020> .",
                           ":a :b <http://\\n> .",
                           ":a :b :x%4 .",
                           ":a :b :x\\q .",
                           ":a :b :-x .",
                           ":a :b _:.x .",
                           ":a :b _:-x .",
                           "@prefix x <http://x> .",
                           "@prefix x:y <http://x> .",
                           "@prefix x: y: .",
                           "@prefix x: <http://x>",
                           "PREFIX x: <http://x> .",
                           "@base x: .",
                           ":a :b (:c .",
                           ":a :b [:c] .",
                           ":a :b [:c :d .",
                           ": a : . a",
                           ":a :b 'x'^^'y' .",
                           "{ :a :b :c }",
                           ":a :b 'x'^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .",
                           ":a :b ''''''' .",
                           ":a . ",
                           ":a :b :c :d .",
                           "x:y :b :c .",
                           ":a :b \\ .",
                           "GRAPH :a { :a :b :c }"}) {
    EXPECT_NE(error_of(with_prefix(text)), "") << text;
  }
  for (const char* text :
       {":g { . }", ":g { :a :b :c . . }", ":g { :a :b :c ", "( :a ) { :a :b :c }",
        "[ :a :b ] { :a :b :c }", "GRAPH { :a :b :c }", "GRAPH () { :a :b :c }", "{ { :a :b :c } }",
        "{ :a :b :c } .", ":g { @prefix x: <http://x> . }", ":g { PREFIX x: <http://x> }",
        ":g :h { }", "}", ":g { :h { :a :b :c } }", "GRAPH :g :a :b :c ."}) {
    EXPECT_NE(error_of(with_prefix(text), Format::TriG), "") << text;
  }
}

TEST(TurtleReader, BoundsNesting) {
  OpContext context;
  context.limits.nesting_max = 10;
  const auto nested = [](std::size_t depth, std::string_view open, std::string_view close) {
    std::string text = "<http://a> <http://b> ";
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text + " .";
  };
  EXPECT_EQ(read_text(nested(10, "(", ")"), Format::Turtle, {}, context).error, "");
  EXPECT_EQ(read_text(nested(10, "[<http://p> ", "]"), Format::Turtle, {}, context).error, "");
  const TurtleReading deep = read_text(nested(11, "(", ")"), Format::Turtle, {}, context);
  EXPECT_EQ(deep.error, "t:1:33: brackets are nested more than 10 deep");
  EXPECT_EQ(deep.code, ErrorCode::LimitExceeded);
  InputWindow window("");
  const std::string huge = nested(100'000, "[<http://p> ", "]");
  InputWindow whole(huge);
  EXPECT_EQ(read_through(whole, Format::Turtle, {}, {}).code, ErrorCode::LimitExceeded);
}

TEST(TurtleReader, BoundsTerms) {
  OpContext context;
  context.limits.term_bytes_max = 20;
  const auto code_of = [&context](const std::string& text) {
    return read_text(text, Format::Turtle, {}, context).code;
  };
  const std::string x(30, 'x');
  EXPECT_EQ(read_text("<http://a> <http://b> '0123456789' .", Format::Turtle, {}, context).error,
            "");
  EXPECT_EQ(code_of("<http://a> <http://b> '" + x + "' ."), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of("<http://a> <http://b> '''" + x), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of("<http://a> <http://b> <h:" + x + "> ."), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of("<http://a> <http://b> _:" + x + " ."), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of("<http://a> <http://b> 'a'@" + x + " ."), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of("<http://a> <http://b> 1" + std::string(30, '0') + " ."),
            ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of("@prefix x: <http://0123456> . x:0123456 <http://a> 1 ."),
            ErrorCode::LimitExceeded);
  EXPECT_EQ(
      read_text("# " + x + x + "\n  <http://a> <http://b> 1 . # " + x, Format::Turtle, {}, context)
          .error,
      "");
}

TEST(TurtleReader, BoundsPrefixes) {
  OpContext context;
  context.limits.prefixes_max = 2;
  EXPECT_EQ(read_text("PREFIX a: <http://a> PREFIX b: <http://b> PREFIX a: <http://c>",
                      Format::Turtle, {}, context)
                .error,
            "");
  EXPECT_EQ(read_text("PREFIX a: <http://a> PREFIX b: <http://b> PREFIX c: <http://c>",
                      Format::Turtle, {}, context)
                .code,
            ErrorCode::LimitExceeded);
}

TEST(TurtleReader, StopsWhenTheSinkFails) {
  const std::string text = with_prefix(":a :b 1,2,3 .");
  InputWindow window(text);
  Collector sink;
  sink.fail_at = 2;
  ReadOptions options;
  options.lenient = true;
  const auto report = read_turtle(window, Format::Turtle, options, {}, sink);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "the sink is full");
  EXPECT_EQ(sink.statements.size(), 2U);
}

TEST(TurtleReader, StopsWhenCancelled) {
  OpContext context;
  context.cancel.cancel();
  EXPECT_EQ(read_text("<http://a> <http://b> 1 .", Format::Turtle, {}, context).code,
            ErrorCode::Cancelled);
}

TEST(TurtleReader, KeepsLongStreamsApart) {
  // Subjects and predicates must survive any number of slides.
  std::string text = "@prefix : <http://e/> .\n<http://e/subject> <http://e/predicate> 0";
  for (int i = 1; i < 300; ++i)
    text += (i % 3 == 0 ? " , [ :n " : " , ( ") + std::to_string(i) + (i % 3 == 0 ? " ]" : " )");
  text += " ; a <http://e/last> .";
  const TurtleReading reading = read_text(text);
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.statements.size(), 1U + 99 * 2 + 200 * 3 + 1);
  EXPECT_EQ(reading.statements.back(),
            "<http://e/subject> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/last>");
}

class LenientTurtle : public ::testing::Test {
 protected:
  static TurtleReading read_leniently(std::string_view text, Format format = Format::Turtle,
                                      const OpContext& context = {}) {
    ReadOptions options;
    options.lenient = true;
    return read_text(with_prefix("\n" + std::string(text)), format, options, context);
  }
  static std::vector<std::string> objects_of(const TurtleReading& reading) {
    std::vector<std::string> objects;
    for (const std::string& statement : reading.statements) {
      objects.push_back(statement.substr(statement.rfind(' ') + 1));
    }
    return objects;
  }
};

TEST_F(LenientTurtle, SkipsBadStatements) {
  const TurtleReading reading = read_leniently(
      ":a :b :c1 .\n:a :b bad .\n:a :b :c2 . :a 'x. y' :c . :a :b :c3 .\n"
      "x:y :b :c .\n:a :b 'un\n:a :b :c4 .\n:a :b '\\q . ' . :a :b :c5 .\n");
  EXPECT_THAT(objects_of(reading), ElementsAre("<http://e/c1>", "<http://e/c2>", "<http://e/c3>",
                                               "<http://e/c4>", "<http://e/c5>"));
  EXPECT_EQ(reading.report.skipped, 5U);
  ASSERT_EQ(reading.report.problems.size(), 5U);
  EXPECT_EQ(reading.report.problems[0].position, (TextPosition{3, 7}));
  EXPECT_EQ(reading.report.problems[3].position, (TextPosition{6, 10}));
}

TEST_F(LenientTurtle, GoesOnAtALineThatBeginsAStatement) {
  const TurtleReading reading = read_leniently(
      ":a :b :c1\n:a :b :c2 .\n:a :b [\n@prefix x: <http://x/> .\n"
      "x:a :b :c3 .");
  EXPECT_THAT(objects_of(reading),
              ElementsAre("<http://e/c1>", "<http://e/c2>", "_:genid1", "<http://e/c3>"));
  EXPECT_EQ(reading.report.skipped, 2U);
}

TEST_F(LenientTurtle, PassesOverBadUtf8) {
  const TurtleReading reading =
      read_leniently(":a :b \"x\xE9. y\" .\n:a :b :c1 .\n\xFF\xFE :a :b :c .\n:a :b :c2 .");
  EXPECT_THAT(objects_of(reading), ElementsAre("<http://e/c1>", "<http://e/c2>"));
  EXPECT_EQ(reading.report.skipped, 2U);
  // A bad byte takes a column: what follows is not at the start of its line.
  const TurtleReading indented = read_leniently("{ }\n\xA9:a :b :c .\n bad bad .");
  EXPECT_TRUE(indented.statements.empty());
  EXPECT_EQ(indented.report.problems.back().position, (TextPosition{4, 2}));
}

TEST_F(LenientTurtle, GoesOnBehindAComment) {
  const TurtleReading reading = read_leniently("{ x:a #b. }. }\n:g { } } :a :b :c .", Format::TriG);
  EXPECT_EQ(reading.report.skipped, 3U);
}

TEST_F(LenientTurtle, StaysInTheGraph) {
  const TurtleReading reading = read_leniently(
      ":g { :a :b bad . :a :b :c1 . :a :b } :a :b :c2 . bad { :a :b :c . } :a :b :c3 . "
      ":g { :a :b :c4 :h { :a :b :c } :a :b :c5 .",
      Format::TriG);
  EXPECT_THAT(reading.statements,
              ElementsAre("<http://e/a> <http://e/b> <http://e/c1> <http://e/g>",
                          "<http://e/a> <http://e/b> <http://e/c2>",
                          "<http://e/a> <http://e/b> <http://e/c3>",
                          "<http://e/a> <http://e/b> <http://e/c4> <http://e/g>",
                          "<http://e/a> <http://e/b> <http://e/c5>"));
  EXPECT_EQ(reading.report.skipped, 4U);
}

TEST_F(LenientTurtle, AlwaysMakesProgress) {
  for (const char* text : {"]",
                           "}",
                           "}}}}",
                           ".",
                           ". . .",
                           ")",
                           "\"",
                           "'''",
                           "<",
                           "<<<<",
                           "@",
                           "\\",
                           "{",
                           "{{{",
                           "[",
                           "(((",
                           "^",
                           "\x01",
                           "é",
                           ";;;;",
                           "@prefix\xBB\xBB",
                           "<http://a\xFF",
                           "_",
                           "_:",
                           "%",
                           "&"}) {
    for (const Format format : {Format::Turtle, Format::TriG}) {
      const TurtleReading reading = read_leniently(text, format);
      EXPECT_EQ(reading.error, "") << text;
      EXPECT_LE(reading.report.skipped, std::string_view(text).size()) << text;
    }
  }
}

TEST_F(LenientTurtle, KeepsTheFirstProblems) {
  OpContext context;
  context.limits.problems_kept = 3;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "bad .\n";
  const TurtleReading reading = read_leniently(text, Format::Turtle, context);
  EXPECT_EQ(reading.report.skipped, 100U);
  EXPECT_EQ(reading.report.problems.size(), 3U);
}

}  // namespace
}  // namespace helve::rdf
