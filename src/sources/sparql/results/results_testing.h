// Tables of terms, reading and writing in a line, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/rdf/vocabulary.h"
#include "sources/sparql/results/result_format.h"
#include "tests/support/stepped_source.h"

namespace helve::sparql::test {

using MaybeTerm = std::optional<rdf::Term>;

inline MaybeTerm iri(std::string_view value) { return rdf::Term(rdf::TermView::iri(value)); }
inline MaybeTerm blank(std::string_view label) { return rdf::Term(rdf::TermView::blank(label)); }
inline MaybeTerm text(std::string_view value) { return rdf::Term(rdf::TermView::literal(value)); }
inline MaybeTerm typed(std::string_view value, std::string_view datatype) {
  return rdf::Term(rdf::TermView::literal(value, datatype));
}
inline MaybeTerm tagged(std::string_view value, std::string_view language) {
  return rdf::Term(rdf::TermView::lang_literal(value, language));
}
inline MaybeTerm integer(std::string_view value) { return typed(value, rdf::kXsdInteger); }
inline constexpr std::nullopt_t kUnbound = std::nullopt;

inline SolutionTable table(std::vector<std::string> names,
                           std::vector<std::vector<MaybeTerm>> rows = {}) {
  SolutionTable made;
  made.names = std::move(names);
  made.rows = std::move(rows);
  return made;
}
inline SolutionTable answer(bool value) {
  SolutionTable made;
  made.answer = value;
  return made;
}

inline bool is_identical(const SolutionTable& a, const SolutionTable& b) {
  return a.names == b.names && a.rows == b.rows && a.answer == b.answer;
}

// Every kind of term, and texts that need every kind of escape.
inline SolutionTable all_kinds() {
  return table({"a", "b", "long_name"},
               {{iri("http://example.org/a"), blank("b0"), text("plain")},
                {kUnbound, kUnbound, kUnbound},
                {iri("http://example.org/ü?x=1&y=(2)"), kUnbound, tagged("chat", "fr-CA")},
                {text(""), integer("42"), typed("4.5", rdf::kXsdDecimal)},
                {typed("1e0", rdf::kXsdDouble), typed("true", rdf::kXsdBoolean), integer("x")},
                {text("tab\tquote\" comma, line\nfeed\r\nback\\slash 'single' <&>]]>"),
                 text(" spaces around "), tagged("\n", "en")},
                {typed("2020-02-29", rdf::kXsdDate), blank("b0"), blank("b1")},
                {text("😀é\u2028\u202E"), text("?x"), text("_:no")}});
}

inline std::string written(const SolutionTable& solutions, ResultFormat format,
                           const TableStyle& style = {}) {
  StringSink out;
  const auto writer = make_solution_writer(format, out, style);
  EXPECT_TRUE(solutions.send(*writer));
  EXPECT_TRUE(writer->finish());
  return out.take();
}

inline Result<SolutionTable> read(ResultFormat format, std::string_view document,
                                  const OpContext& context = {}) {
  SolutionTable found;
  HELVE_TRY(read_solutions(format, document, context, found));
  return found;
}

// The same in small pieces and a small window.
inline Result<SolutionTable> read_stepped(ResultFormat format, std::string_view document,
                                          std::size_t step) {
  OpContext context;
  context.limits.window_bytes = 16;
  helve::test::SteppedSource source(document, step);
  SolutionTable found;
  HELVE_TRY(read_solutions(format, source, context, found));
  return found;
}

// The error with its place, or "no error".
inline std::string error_of(ResultFormat format, std::string_view document,
                            const OpContext& context = {}) {
  const auto found = read(format, document, context);
  return found ? "no error" : found.error().to_string();
}

}  // namespace helve::sparql::test
