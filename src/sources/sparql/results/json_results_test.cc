#include <array>
#include <random>

#include "sources/sparql/results/results_testing.h"

namespace helve::sparql {
namespace {

using namespace test;

std::string json_error(std::string_view document) { return error_of(ResultFormat::Json, document); }

// A document with one binding of ?x.
std::string with_term(std::string_view term) {
  return R"({"head":{"vars":["x"]},"results":{"bindings":[{"x":)" + std::string(term) + "}]}}";
}

MaybeTerm only_term(std::string_view term) {
  const auto found = read(ResultFormat::Json, with_term(term));
  EXPECT_TRUE(found) << found.error().to_string();
  return found ? found->rows.at(0).at(0) : kUnbound;
}

TEST(JsonResults, AreWrittenOneRowOnALine) {
  EXPECT_EQ(written(table({"x", "y\""}, {{iri("http://a/?b=\"c\""), blank("b0")},
                                         {kUnbound, kUnbound},
                                         {tagged("chat", "fr"), typed("1", "http://t")}}),
                    ResultFormat::Json),
            R"({"head":{"vars":["x","y\""]},"results":{"bindings":[
{"x":{"type":"uri","value":"http://a/?b=\"c\""},"y\"":{"type":"bnode","value":"b0"}},
{},
{"x":{"type":"literal","value":"chat","xml:lang":"fr"},"y\"":{"type":"literal","value":"1","datatype":"http://t"}}
]}}
)");
  EXPECT_EQ(written(table({"x"}), ResultFormat::Json),
            "{\"head\":{\"vars\":[\"x\"]},\"results\":{\"bindings\":[\n]}}\n");
  EXPECT_EQ(written(answer(true), ResultFormat::Json), "{\"head\":{},\"boolean\":true}\n");
}

TEST(JsonResults, TermsOfEveryKindAreRead) {
  EXPECT_EQ(only_term(R"({"type":"uri","value":"http://a"})"), iri("http://a"));
  EXPECT_EQ(only_term(R"({"value":"b","type":"bnode"})"), blank("b"));
  EXPECT_EQ(only_term(R"({"type":"literal","value":""})"), text(""));
  EXPECT_EQ(only_term(R"({"type":"typed-literal","value":"1","datatype":"http://t"})"),
            typed("1", "http://t"));
  EXPECT_EQ(only_term(R"({"type":"literal","value":"a","xml:lang":"en-GB"})"),
            tagged("a", "en-GB"));
}

TEST(JsonResults, StringsHaveNoDatatype) {
  EXPECT_EQ(only_term(R"({"type":"literal","value":"a",
      "datatype":"http://www.w3.org/2001/XMLSchema#string"})"),
            text("a"));
  EXPECT_EQ(only_term(R"({"type":"literal","value":"a","xml:lang":"en",
      "datatype":"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"})"),
            tagged("a", "en"));
  EXPECT_EQ(only_term(R"({"type":"literal","value":"a","datatype":null,"xml:lang":""})"),
            text("a"));
}

TEST(JsonResults, EscapesAreResolved) {
  EXPECT_EQ(only_term(R"({"type":"literal","value":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"})"),
            text("\"\\/\b\f\n\r\té😀"));
  EXPECT_EQ(only_term(R"({"\u0074ype":"literal","value":"x"})"), text("x"));
}

TEST(JsonResults, UnknownKeysAreSkipped) {
  const auto found = read(ResultFormat::Json, R"( {
    "meta": [1, -0.5e+10, true, false, null, {"a": {"b": []}}, "x", {}],
    "head": {"link": ["http://a"], "vars": ["x"]},
    "results": {"distinct": false, "ordered": true,
                "bindings": [{"x": {"type": "uri", "value": "http://a", "more": {"y": [1]}}},
                             {"x": null}]}
  } )");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_TRUE(is_identical(*found, table({"x"}, {{iri("http://a")}, {kUnbound}})));
}

TEST(JsonResults, TheHeadMayComeLast) {
  const auto found = read(ResultFormat::Json, R"({"results": {"bindings": [
      {"b": {"type": "bnode", "value": "1"}},
      {"c": {"type": "bnode", "value": "2"}, "b": {"type": "bnode", "value": "3"}}, {}]},
      "head": {"vars": ["a", "c", "b"]}})");
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_TRUE(is_identical(*found, table({"a", "c", "b"}, {{kUnbound, kUnbound, blank("1")},
                                                           {kUnbound, blank("2"), blank("3")},
                                                           {kUnbound, kUnbound, kUnbound}})));
  const auto wide = read(ResultFormat::Json, R"({"results": {"bindings": [
      {"a": {"type": "bnode", "value": "1"}, "b": {"type": "bnode", "value": "2"},
       "c": {"type": "bnode", "value": "3"}}]}, "head": {"vars": ["c", "b", "a"]}})");
  ASSERT_TRUE(wide) << wide.error().to_string();
  EXPECT_TRUE(is_identical(*wide, table({"c", "b", "a"}, {{blank("3"), blank("2"), blank("1")}})));
  EXPECT_EQ(json_error(R"({"results": {"bindings": [{"b": {"type": "bnode", "value": "1"}}]},
"head": {"vars": ["a"]}})"),
            "results:2:23: the variable b is not declared (list every variable of the results in "
            "their head)");
  EXPECT_EQ(json_error(R"({"results": {"bindings": []}})"),
            "results:1:30: the results have no head.vars (\"head\": {\"vars\": [...]} lists the "
            "variables)");
}

TEST(JsonResults, RowsBeforeTheHeadAreTakenFromTheBudget) {
  MemoryBudget budget("test", kMiB);
  OpContext context;
  context.memory = &budget;
  std::string document = R"({"results":{"bindings":[)";
  for (int i = 0; i < 20'000; ++i) {
    document += R"({"x":{"type":"bnode","value":"b"}},)";
  }
  document += R"({}]},"head":{"vars":["x"]}})";
  const auto found = read(ResultFormat::Json, document, context);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(budget.bytes_used(), 0U);
}

TEST(JsonResults, BooleansAreRead) {
  const auto found = read(ResultFormat::Json, R"({"boolean": false, "head": {}})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->answer, false);
  EXPECT_EQ(json_error(R"({"boolean": 1})"), "results:1:13: expected true or false, found '1}'");
}

TEST(JsonResults, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(json_error(""),
            "results:1:1: the document is empty; results in JSON are an object in { }");
  EXPECT_EQ(json_error("[]"), "results:1:1: expected an object in { }, found '['");
  EXPECT_EQ(json_error("<html>"), "results:1:1: expected an object in { }, found '<html>'");
  EXPECT_EQ(json_error("{\"head\":{},\n \"boolean\":true,}"),
            "results:2:17: expected a string in \"\", found '}'");
  EXPECT_EQ(json_error("{\"boolean\":true} x"),
            "results:1:18: expected nothing behind the end of the results, found 'x'");
  EXPECT_EQ(json_error("{\"boolean\" true}"),
            "results:1:12: expected ':' after the key, found 'true}'");
  EXPECT_EQ(json_error("{\"a\":tru}"), "results:1:6: expected a value, found 'tru}'");
  EXPECT_EQ(json_error("{\"a\":01}"), "results:1:7: expected ',' or '}', found '1}'");
  EXPECT_EQ(json_error("{\"a\":1.}"), "results:1:8: expected a digit, found '}'");
  EXPECT_EQ(json_error("{\"a\":NaN}"), "results:1:6: expected a value, found 'NaN}'");
  EXPECT_EQ(json_error("{\"a\":[1}"), "results:1:8: expected ',' or ']', found '}'");
  EXPECT_EQ(json_error("{\"a\":[1,]}"), "results:1:9: expected a value, found ']'");
  EXPECT_EQ(json_error("{\"é\n\":1}"),
            "results:1:4: the control character U+000A in a string (write it as an escape: \\n, "
            "\\t or \\u00XX)");
  EXPECT_EQ(json_error(R"({"a":"\x"})"),
            R"(results:1:7: unknown escape: expected \" \\ \/ \b \f \n \r \t or \uXXXX )"
            R"((write a backslash itself as \\))");
  EXPECT_EQ(json_error(R"({"a":"\u12G4"})"),
            "results:1:11: expected four hexadecimal digits after \\u, found 'G4\"}'");
  for (const auto* half : {R"("\uD83D")", R"("\uDE00")", R"("\uD83Dx")", R"("\uD83D\n")",
                           R"("\uD83D\uD83D")", R"("\uD83D\u0041")"}) {
    EXPECT_NE(json_error("{\"a\":" + std::string(half) + "}").find("is half of a character"),
              std::string::npos)
        << half;
  }
}

TEST(JsonResults, FaultsOfTheFormatHaveAPlace) {
  EXPECT_EQ(json_error("{}"),
            "results:1:3: the document has neither \"results\" nor \"boolean\" (is this another "
            "JSON document, such as an error of the server?)");
  EXPECT_EQ(json_error(R"({"head":{},"results":{"bindings":[]}})"),
            "results:1:34: the results have no head.vars (\"head\": {\"vars\": [...]} lists the "
            "variables)");
  EXPECT_EQ(json_error(R"({"head":{"vars":["x"]},"results":{}})"),
            "results:1:36: the results have no \"bindings\" (a result without rows has "
            "\"bindings\": [])");
  EXPECT_EQ(json_error(R"({"head":{"vars":["x","x"]}})"),
            "results:1:22: the variable x is listed twice");
  EXPECT_EQ(json_error(R"({"head":{"vars":["a b"]}})"),
            "results:1:18: \"a b\" is not the name of a variable (names are letters, digits and "
            "\"_\")");
  EXPECT_EQ(json_error(R"({"boolean":true,"boolean":true})"),
            "results:1:27: a second answer: there is one \"results\" or one \"boolean\"");
  EXPECT_EQ(json_error(R"({"head":{"vars":["x"]},"results":{"bindings":[
{"y":{"type":"uri","value":"http://a"}}]}})"),
            "results:2:6: the variable y is not declared (list every variable of the results in "
            "their head)");
}

TEST(JsonResults, FaultsOfTermsAreExplained) {
  const auto message = [](std::string_view term) {
    const std::string error = json_error(with_term(term));
    return error.substr(error.find(": ") + 2);
  };
  EXPECT_EQ(message(R"({"type":"url","value":"a"})"),
            "the type of a term is \"url\" (types are \"uri\", \"literal\" and \"bnode\")");
  EXPECT_EQ(message(R"({"type":"triple","value":{}})"),
            "a term is a triple (terms that are triples (RDF 1.2) are not supported)");
  EXPECT_EQ(message(R"({"value":{"subject":1},"type":"triple"})"),
            "a term is a triple (terms that are triples (RDF 1.2) are not supported)");
  EXPECT_EQ(message(R"({"value":"a"})"), "this term has no \"type\"");
  EXPECT_EQ(message(R"({"type":"uri"})"), "this term has no \"value\"");
  EXPECT_EQ(message(R"({"type":"uri","value":1})"), "expected a string in \"\", found '1}}]}}'");
  EXPECT_EQ(message(R"({"type":"uri","value":""})"),
            "an IRI is empty (leave out variables that are unbound)");
  EXPECT_EQ(message(R"({"type":"bnode","value":""})"), "the label of a blank node is empty");
  EXPECT_EQ(message(R"({"type":"uri","value":"a","datatype":"b"})"),
            "only a literal has a datatype or a language");
  EXPECT_EQ(message(R"({"type":"literal","value":"a","xml:lang":"en","datatype":"http://t"})"),
            "a literal has the language \"en\" and the datatype <http://t> (a literal has one or "
            "the other)");
  EXPECT_EQ(message(R"({"type":"literal","value":"a","xml:lang":"en_US"})"),
            "\"en_US\" is not a language tag (tags look like \"en\" or \"pt-BR\")");
  EXPECT_EQ(message(R"({"type":"literal","value":"a",
      "datatype":"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"})"),
            "a literal of type rdf:langString has no language (give it with xml:lang)");
  EXPECT_EQ(message(R"({"type":"uri","value":"a"},"x":{"type":"uri","value":"a"})"),
            "the variable x is bound twice in this row");
}

TEST(JsonResults, NestingIsBounded) {
  const std::string deep = "{\"a\":" + std::string(100'000, '[');
  EXPECT_EQ(json_error(deep), "results:1:518: values are nested more than 512 deep");
  const std::string allowed =
      "{\"a\":" + std::string(512, '[') + std::string(512, ']') + ",\"boolean\":true}";
  EXPECT_EQ(json_error(allowed), "no error");
}

TEST(JsonResults, HugeNumbersAreOnlySkipped) {
  const std::string digits(100'000, '9');
  EXPECT_EQ(json_error("{\"a\":" + digits + "." + digits + "e" + digits + ",\"boolean\":true}"),
            "no error");
}

// Rows as servers write them: in one style throughout, with what differs from row to row in
// between.
class ManyRows {
 public:
  explicit ManyRows(unsigned seed) : random_(seed) {}

  SolutionTable solutions(std::size_t rows) {
    SolutionTable made = table({"a", "b", "c"});
    for (std::size_t i = 0; i < rows; ++i) made.rows.push_back({term(), term(), term()});
    return made;
  }

  std::string document(const SolutionTable& solutions) {
    static constexpr std::array<const char*, 4> kSpaces = {"", " ", "\n    ", "\t"};
    space_ = kSpaces[random_() % kSpaces.size()];
    const bool is_value_first = random_() % 2 == 0;
    const bool is_backwards = random_() % 4 == 0;
    std::string out = R"({"head":{"vars":["a","b","c"]},"results":{"bindings":[)";
    for (std::size_t i = 0; i < solutions.rows.size(); ++i) {
      out += i == 0 ? space_ + "{" : "," + space_ + "{";
      const char* separator = "";
      for (std::size_t at = 0; at < solutions.names.size(); ++at) {
        const std::size_t column = is_backwards ? solutions.names.size() - 1 - at : at;
        const MaybeTerm& one = solutions.rows[i][column];
        if (!one) continue;
        out += separator + space_ + "\"" + solutions.names[column] + "\":" + space_;
        out += written_term(*one, is_value_first);
        separator = ",";
      }
      out += space_ + "}";
    }
    return out + "]}}";
  }

 private:
  MaybeTerm term() {
    static constexpr std::array<const char*, 7> kTexts = {"http://e.org/a",
                                                          "x",
                                                          "with \"quotes\" and \\",
                                                          "é😀",
                                                          "a\nb",
                                                          "longer than a word of it is",
                                                          "}],{\"a\":"};
    const char* const value = kTexts[random_() % kTexts.size()];
    switch (random_() % 12) {
      case 0:
        return kUnbound;
      case 1:
        return blank(value);
      case 2:
        return text("");
      case 3:
        return tagged(value, random_() % 2 == 0 ? "en" : "pt-BR");
      case 4:
        return typed(value, "http://t/" + std::to_string(random_() % 7));
      case 5:
        return integer("42");
      default:
        return iri(value);
    }
  }

  std::string written_term(const rdf::Term& one, bool is_value_first) const {
    const rdf::TermView view = one.view();
    const std::string type = view.is_iri() ? "uri" : view.is_blank() ? "bnode" : "literal";
    std::string kind = member("type", type);
    if (!view.datatype.empty()) kind += "," + space_ + member("datatype", view.datatype);
    if (!view.language.empty()) kind += "," + space_ + member("xml:lang", view.language);
    const std::string value = member("value", view.value);
    return "{" + space_ + (is_value_first ? value : kind) + "," + space_ +
           (is_value_first ? kind : value) + space_ + "}";
  }

  std::string member(std::string_view key, std::string_view text) const {
    std::string out = "\"" + std::string(key) + "\":" + space_ + "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c == '\n' ? std::string("\\u000A") : std::string(1, c);
    }
    return out + "\"";
  }

  std::mt19937 random_;
  std::string space_;
};

TEST(JsonResults, RowsAreTheSameHoweverTheyAreWritten) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    ManyRows rows(seed);
    const SolutionTable expected = rows.solutions(60);
    const std::string document = rows.document(expected);
    const auto whole = read(ResultFormat::Json, document);
    ASSERT_TRUE(whole) << whole.error().to_string() << "\n" << document;
    EXPECT_TRUE(is_identical(*whole, expected)) << document;
    // Windows that end anywhere in a row.
    for (const std::size_t step : {1, 7, 100}) {
      const auto stepped = read_stepped(ResultFormat::Json, document, step);
      ASSERT_TRUE(stepped) << stepped.error().to_string() << "\n" << document;
      EXPECT_TRUE(is_identical(*stepped, expected)) << step << "\n" << document;
    }
    OpContext context;
    context.limits.window_bytes = 500 + seed;
    helve::test::SteppedSource source(document, 10'000);
    SolutionTable slid;
    ASSERT_TRUE(read_solutions(ResultFormat::Json, source, context, slid));
    EXPECT_TRUE(is_identical(slid, expected)) << document;
  }
}

// A row that begins like the one before is held to the same rules.
TEST(JsonResults, FaultsOfLaterRowsAreFoundToo) {
  const auto after_a_good_row = [](std::string_view row) {
    return json_error(R"({"head":{"vars":["x","y"]},"results":{"bindings":[
{"x":{"type":"uri","value":"a"},"y":{"type":"literal","value":"b","xml:lang":"en"}},
)" + std::string(row) +
                      "]}}");
  };
  EXPECT_EQ(after_a_good_row(R"({"x":{"type":"uri","value":"c"}})"), "no error");
  EXPECT_EQ(after_a_good_row(R"({"x":{"type":"uri","value":""}})"),
            "results:3:31: an IRI is empty (leave out variables that are unbound)");
  EXPECT_EQ(after_a_good_row(R"({"x":{"type":"uri","value":"c"},"x":{"type":"uri","value":"d"}})"),
            "results:3:37: the variable x is bound twice in this row");
  EXPECT_EQ(after_a_good_row(R"({"x":{"type":"uri","value":"\x"}})"),
            R"(results:3:29: unknown escape: expected \" \\ \/ \b \f \n \r \t or \uXXXX )"
            R"((write a backslash itself as \\))");
  EXPECT_EQ(after_a_good_row(R"({"x":{"type":"uri","value":"c"};)"),
            "results:3:32: expected ',' or '}', found ';'");
  EXPECT_EQ(after_a_good_row(R"({"x":{"type":"uri","value":"c"},})"),
            "results:3:33: expected a string in \"\", found '}'");
  EXPECT_EQ(after_a_good_row(R"({"x":{"type":"uri","value":"c"},"z":{"type":"uri","value":"d"}})"),
            "results:3:37: the variable z is not declared (list every variable of the results in "
            "their head)");
  EXPECT_EQ(after_a_good_row("{\"x\":{\"type\":\"uri\",\"value\":\"c\n\"}}"),
            "results:3:30: the control character U+000A in a string (write it as an escape: \\n, "
            "\\t or \\u00XX)");
  OpContext context;
  context.limits.term_bytes_max = 100;
  EXPECT_NE(error_of(ResultFormat::Json,
                     R"({"head":{"vars":["x"]},"results":{"bindings":[
{"x":{"type":"uri","value":"a"}},{"x":{"type":"uri","value":")" +
                         std::string(100, 'a') + R"("}}]}})",
                     context)
                .find("a term is longer than 100 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace helve::sparql
