#include "fuzz/reading_check.h"

#include <string>
#include <vector>

#include "base/check.h"
#include "sources/rdf/blank_labels.h"
#include "sources/rdf/reader.h"
#include "tests/support/stepped_source.h"

namespace helve::fuzz {

namespace {

using namespace rdf;

// Small, so that inputs of a few hundred bytes reach them.
OpContext fuzz_context() {
  OpContext context;
  context.limits.term_bytes_max = 2 * kKiB;
  context.limits.line_bytes_max = 8 * kKiB;
  context.limits.nesting_max = 50;
  context.limits.prefixes_max = 20;
  context.limits.window_bytes = 32;
  return context;
}

struct Reading : StatementSink {
  Result<void> statement(const StatementView& statement) override {
    lines.push_back(written(statement));
    return {};
  }
  void prefix(std::string_view name, std::string_view iri) override {
    lines.push_back("@prefix " + std::string(name) + ": " + std::string(iri));
  }

  static std::string written(const StatementView& statement) {
    std::string line;
    for (const TermView* term : {&statement.subject, &statement.predicate, &statement.object}) {
      append_ntriples(line, *term);
      line += ' ';
    }
    if (!statement.in_default_graph()) append_ntriples(line, statement.graph);
    return line + " .\n";
  }

  std::vector<std::string> lines;
  std::string outcome;
  bool failed = false;
};

// An XML error quotes as much of the text as happens to be there: only its place is compared.
std::string shown(Format format, Error error) {
  if (format == Format::RdfXml) error.message = error.hint = {};
  return error.to_string();
}

void finish(Format format, Reading& reading, const Result<ReadReport>& report) {
  reading.failed = !report;
  if (!report) {
    reading.outcome = shown(format, report.error());
    const ErrorCode code = report.error().code;
    HELVE_CHECK(code == ErrorCode::InvalidInput || code == ErrorCode::LimitExceeded);
    return;
  }
  reading.outcome = std::to_string(report->statements) + " " + std::to_string(report->skipped);
  for (const Error& problem : report->problems) {
    HELVE_CHECK(problem.position);
    reading.outcome += "\n" + shown(format, problem);
  }
}

Reading read_whole(Format format, std::string_view text, const ReadOptions& options) {
  Reading reading;
  finish(format, reading, read_document(format, text, options, fuzz_context(), reading));
  return reading;
}

Reading read_stream(Format format, std::string_view text, const ReadOptions& options) {
  Reading reading;
  test::SteppedSource source(text, 7, true);
  finish(format, reading, read_document(format, source, options, fuzz_context(), reading));
  return reading;
}

// Labels that cannot be written as they are get another one, and written labels that look made up
// are renamed on reading: expect both.
struct Rewriting final : StatementSink {
  Result<void> statement(const StatementView& statement) override {
    text += Reading::written(statement);
    StatementView renamed = statement;
    std::string subject;
    std::string object;
    std::string graph;
    rename(renamed.subject, subject);
    rename(renamed.object, object);
    rename(renamed.graph, graph);
    expected.push_back(Reading::written(renamed));
    return {};
  }
  void rename(TermView& term, std::string& label) const {
    if (!term.is_blank()) return;
    std::string written;
    append_blank_label(written, term.value);
    labels.append_written(label, written);
    term.value = label;
  }

  BlankLabels labels{""};
  std::string text;
  std::vector<std::string> expected;
};

void check_rewriting(Format format, std::string_view text, const ReadOptions& options) {
  Rewriting rewriting;
  HELVE_CHECK(read_document(format, text, options, fuzz_context(), rewriting));
  Reading again;
  HELVE_CHECK(read_document(Format::NQuads, rewriting.text, {}, {}, again));
  HELVE_CHECK(again.lines == rewriting.expected);
}

}  // namespace

void check_reading(Format format, std::string_view text) {
  ReadOptions options;
  options.base_iri = "http://example.org/dir/doc";
  const Reading strict = read_whole(format, text, options);
  const Reading streamed = read_stream(format, text, options);
  HELVE_CHECK(strict.outcome == streamed.outcome);
  HELVE_CHECK(strict.lines == streamed.lines);
  if (!strict.failed) check_rewriting(format, text, options);
  options.lenient = true;
  const Reading lenient = read_whole(format, text, options);
  const Reading lenient_streamed = read_stream(format, text, options);
  HELVE_CHECK(lenient.outcome == lenient_streamed.outcome);
  HELVE_CHECK(lenient.lines == lenient_streamed.lines);
  if (!strict.failed) HELVE_CHECK(lenient.outcome == strict.outcome);
  if (!strict.failed) HELVE_CHECK(lenient.lines == strict.lines);
}

}  // namespace helve::fuzz
