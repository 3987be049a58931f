#include "sources/rdf/ntriples_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.h"

namespace helve::rdf {
namespace {

class LineCollector final : public StatementSink {
 public:
  Result<void> statement(const StatementView& s) override {
    std::string line =
        to_ntriples(s.subject) + " " + to_ntriples(s.predicate) + " " + to_ntriples(s.object);
    if (!s.in_default_graph()) line += " " + to_ntriples(s.graph);
    all.push_back(line);
    return {};
  }
  std::vector<std::string> all;
};

// Gives a few bytes at a time.
class Trickle final : public ByteSource {
 public:
  Trickle(std::string_view text, std::size_t step) : text_(text), step_(step) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t n = std::min({step_, into.size(), text_.size()});
    std::copy_n(text_.begin(), n, into.begin());
    text_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view text_;
  std::size_t step_;
};

struct Outcome {
  std::vector<std::string> statements;
  std::string error;
  ReadReport report;
};

Outcome read_window(InputWindow& window, Format format, bool lenient, const OpContext& context) {
  LineCollector sink;
  const ReadOptions options{.document_name = "t", .lenient = lenient};
  auto report = read_ntriples(window, format, options, context, sink);
  Outcome outcome{sink.all, "", {}};
  if (report) {
    outcome.report = *report;
  } else {
    outcome.error = report.error().to_string();
  }
  return outcome;
}

// Reads whole and in trickles, which must agree.
Outcome read_lines(std::string_view text, Format format = Format::NTriples, bool lenient = false) {
  const OpContext context;
  InputWindow whole(text);
  Outcome outcome = read_window(whole, format, lenient, context);
  for (const std::size_t step : {1u, 3u, 64u}) {
    Trickle source(text, step);
    InputWindow sliding(source, 16, 4096);
    const Outcome streamed = read_window(sliding, format, lenient, context);
    EXPECT_EQ(streamed.statements, outcome.statements) << step;
    EXPECT_EQ(streamed.error, outcome.error) << step;
    EXPECT_EQ(streamed.report.skipped, outcome.report.skipped) << step;
  }
  return outcome;
}

TEST(NTriplesReader, ReadsTermsOfEveryKind) {
  const auto outcome = read_lines(
      "# a comment\n"
      "<http://a/s> <http://a/p> <http://a/o> . # behind\n"
      "\t_:b1.x <http://a/p> \"plain\"  .\r\n"
      "\n"
      "<http://a/s><http://a/p>\"en\"@en-GB.\n"
      "<http://a/s> <http://a/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
      "<http://a/s> <http://a/p> \"s\"^^<http://www.w3.org/2001/XMLSchema#string> .\n"
      "<http://a/s> <http://a/p> _:b1.");
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.statements,
            (std::vector<std::string>{
                "<http://a/s> <http://a/p> <http://a/o>", "_:b1.x <http://a/p> \"plain\"",
                "<http://a/s> <http://a/p> \"en\"@en-GB",
                "<http://a/s> <http://a/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
                "<http://a/s> <http://a/p> \"s\"", "<http://a/s> <http://a/p> _:b1"}));
}

TEST(NTriplesReader, UnescapesEverywhere) {
  const auto outcome =
      read_lines("<http://a/\\u00E9\\U0001F600> <http://a/p> \"t\\tq\\\"b\\\\ \\u00e9\\n\" .\n");
  ASSERT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.statements[0], "<http://a/é😀> <http://a/p> \"t\tq\\\"b\\\\ é\\n\"");
}

TEST(NTriplesReader, QuadsHaveAGraph) {
  const auto outcome = read_lines(
      "<http://a/s> <http://a/p> \"o\" <http://a/g> .\n"
      "<http://a/s> <http://a/p> \"o\" _:g .\n"
      "<http://a/s> <http://a/p> \"o\" .\n",
      Format::NQuads);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.statements.size(), 3u);
  EXPECT_EQ(outcome.statements[1], "<http://a/s> <http://a/p> \"o\" _:g");
}

struct Bad {
  std::string_view text;
  std::string_view starts;
};

TEST(NTriplesReader, ErrorsSayWhereAndWhatWasExpected) {
  const Bad cases[] = {
      {"<http://a/s> <http://a/p> <http://a/o>\n",
       "t:1:39: expected '.' after the object, found the end"},
      {"\n<http://a/s> <http://a/p> 1 .\n", "t:2:27: expected an IRI, a blank node or a literal"},
      {"<s> <http://a/p> <http://a/o> .\n", "t:1:2: <s> is not an absolute IRI"},
      {"<http://a/é s> <http://a/p> <http://a/o> .\n",
       "t:1:12: expected '>' at the end of the IRI"},
      {"<http://a/s> \"p\" <http://a/o> .\n", "t:1:14: expected an IRI in <...> as predicate"},
      {"<http://a/s> <http://a/p> \"o\n\" .\n", "t:1:29: expected '\"' at the end of the literal"},
      {"<http://a/s> <http://a/p> \"\\x\" .\n", "t:1:28: this escape is unknown"},
      {"<http://a/s> <http://a/p> \"\\uD800\" .\n",
       "t:1:28: this escape is not a Unicode character"},
      {"<http://a/\\u0020> <http://a/p> \"\" .\n", "t:1:11: this escape stands for a character"},
      {"<http://a/s> <http://a/p> \"\\u00G0\" .\n",
       "t:1:32: expected a hexadecimal digit, found 'G'"},
      {"<http://a/s> <http://a/p> \"\\u\n<http://a/s>\n", "t:1:30: expected a hexadecimal digit"},
      {"<http://a/s> <http://a/p> \"x\"@1 .\n", "t:1:31: expected a language tag"},
      {"<http://a/s> <http://a/p> \"x\"@en- .\n", "t:1:34: expected letters or digits"},
      {"_: <http://a/p> \"x\" .\n", "t:1:3: expected a letter, digit or '_' after _:"},
      {"_:a:b <http://a/p> \"x\" .\n", "t:1:4: expected an IRI in <...> as predicate"},
      {"<http://a/s> <http://a/p> \"x\" . <http://a/s>\n", "t:1:33: expected the end of the line"},
      {"<http://a/s> <http://a/p> \"x\" <http://a/g> .\n", "t:1:31: expected '.' after the object"},
      {"@prefix a: <http://a/> .\n", "t:1:1: expected an IRI in <...> or a blank node"},
      {"<http://a/s> <http://a/p> \"\xff\" .\n", "t:1:28: "},
      {"<http://a/s", "t:1:12: expected '>'"},
  };
  for (const Bad& bad : cases) {
    const auto outcome = read_lines(bad.text);
    EXPECT_EQ(outcome.error.substr(0, bad.starts.size()), bad.starts) << outcome.error;
  }
}

TEST(NTriplesReader, LenientSkipsBadLinesAndShowsTheFirstTen) {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += i % 2 == 0 ? "bad line\n" : "<http://a/s> <http://a/p> \"o\" .\n";
  const auto outcome = read_lines(text, Format::NTriples, true);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.report.statements, 15u);
  EXPECT_EQ(outcome.report.skipped, 15u);
  ASSERT_EQ(outcome.report.problems.size(), 10u);
  EXPECT_EQ(outcome.report.problems[9].position->line, 19u);
}

TEST(NTriplesReader, LenientSkipsLinesThatAreNotUtf8) {
  const auto outcome = read_lines(
      "<http://a/s> <http://a/p> \"\xff\xfe and more \xff\" .\n"
      "<http://a/s> <http://a/p> \"good\" .\n"
      "<http://a/s> <http://a/p> \"\xc3",
      Format::NTriples, true);
  EXPECT_EQ(outcome.statements, std::vector<std::string>{"<http://a/s> <http://a/p> \"good\""});
  ASSERT_EQ(outcome.report.skipped, 2u);
  EXPECT_EQ(*outcome.report.problems[0].position, (TextPosition{1, 28}));
  EXPECT_EQ(outcome.report.problems[1].position->line, 3u);
}

TEST(NTriplesReader, LongLinesMeetALimitInMemoryToo) {
  OpContext context;
  context.limits.line_bytes_max = 1'000;
  const std::string text = "<http://a/s> <http://a/p> \"o\" .\n# " + std::string(1 << 20, 'x');
  InputWindow window(text);
  const auto outcome = read_window(window, Format::NTriples, false, context);
  EXPECT_TRUE(outcome.error.starts_with("t:2:1: a line is longer than 1000 bytes"))
      << outcome.error;
  EXPECT_EQ(outcome.statements.size(), 1u);
}

TEST(NTriplesReader, CarriageReturnsAloneEndLinesToo) {
  const auto outcome =
      read_lines("<http://a/s> <http://a/p> \"1\" .\r\r<http://a/s> <http://a/p> \"2\" .\rbad\r");
  EXPECT_EQ(outcome.statements.size(), 2u);
  EXPECT_EQ(outcome.error.substr(0, 6), "t:4:1:");
}

TEST(NTriplesReader, LongTermsMeetALimit) {
  OpContext context;
  context.limits.term_bytes_max = 100;
  const std::string text = "<http://a/s> <http://a/p> \"" + std::string(200, 'x') + "\" .\n";
  InputWindow window(text);
  EXPECT_NE(read_window(window, Format::NTriples, false, context).error.find("longer than 100"),
            std::string::npos);
}

TEST(NTriplesReader, CancellationStopsTheReader) {
  OpContext context;
  context.cancel.cancel();
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "<http://a/s> <http://a/p> \"o\" .\n";
  InputWindow window(text);
  const auto outcome = read_window(window, Format::NTriples, false, context);
  EXPECT_EQ(outcome.error, "the operation was cancelled");
  EXPECT_LE(outcome.statements.size(), 4096u);
}

}  // namespace
}  // namespace helve::rdf
