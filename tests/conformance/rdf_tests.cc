// Syntax and evaluation tests of the RDF formats. Every document is read twice, as a whole and in
// steps of one to seven bytes; both must say the same.
#include <fmt/format.h>

#include <array>

#include "sources/rdf/format.h"
#include "sources/rdf/isomorphism.h"
#include "sources/rdf/reader.h"
#include "tests/conformance/test_types.h"
#include "tests/support/stepped_source.h"

namespace helve::conformance {

namespace {

constexpr std::string_view kRdfTest = "http://www.w3.org/ns/rdftest#";
constexpr std::size_t kStepMax = 7;

struct Reading {
  rdf::QuadSet quads;
  std::optional<Error> error;
};

bool are_equal(const rdf::QuadSet& a, const rdf::QuadSet& b) {
  if (a.quads().size() != b.quads().size()) return false;
  for (std::size_t i = 0; i < a.quads().size(); ++i) {
    if (a.view(a.quads()[i]) != b.view(b.quads()[i])) return false;
  }
  return true;
}

// The outcome of reading a document; an error of this function is a failed test.
Result<Reading> read_both_ways(rdf::Format format, const std::string& text, std::string base) {
  rdf::ReadOptions options;
  options.base_iri = std::move(base);
  Reading whole;
  if (auto read = rdf::read_document(format, text, options, {}, whole.quads); !read) {
    whole.error = std::move(read).error();
  }
  test::SteppedSource source(text, kStepMax, true);
  Reading streamed;
  if (auto read = rdf::read_document(format, source, options, {}, streamed.quads); !read) {
    streamed.error = std::move(read).error();
  }
  const auto error_text = [](const Reading& reading) {
    return reading.error ? reading.error->to_string() : std::string("no error");
  };
  if (error_text(whole) != error_text(streamed)) {
    return Error{ErrorCode::Internal, fmt::format("read as a whole: {}; read as a stream: {}",
                                                  error_text(whole), error_text(streamed))};
  }
  if (!are_equal(whole.quads, streamed.quads)) {
    return Error{ErrorCode::Internal, "a stream gives other statements than the whole document"};
  }
  return whole;
}

Result<Reading> read_iri(const Manifest& manifest, const std::string& iri, rdf::Format format) {
  HELVE_ASSIGN(const auto path, manifest.path_of(iri));
  HELVE_ASSIGN(const std::string text, read_file(path));
  return read_both_ways(format, text, manifest.base_of(iri));
}

Result<void> positive_syntax(const Manifest& manifest, const TestCase& test, rdf::Format format) {
  HELVE_ASSIGN(const Reading reading, read_iri(manifest, test.action.value, format));
  if (reading.error) return *reading.error;
  return {};
}

// Negative syntax and negative evaluation: a strict reader finds both.
Result<void> run_negative_reading(const Manifest& manifest, const TestCase& test,
                                  rdf::Format format) {
  HELVE_ASSIGN(const Reading reading, read_iri(manifest, test.action.value, format));
  if (!reading.error) {
    return Error{ErrorCode::InvalidInput, "a bad document was accepted"};
  }
  if (!reading.error->position) {
    return Error{ErrorCode::InvalidInput,
                 "the error has no position: " + reading.error->to_string()};
  }
  return {};
}

Result<void> run_rdf_evaluation(const Manifest& manifest, const TestCase& test,
                                rdf::Format format) {
  HELVE_ASSIGN(const Reading reading, read_iri(manifest, test.action.value, format));
  if (reading.error) return *reading.error;
  const auto result_format = rdf::format_of_path(test.result.value);
  if (!result_format) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the format of <{}> is unknown", test.result.value)};
  }
  HELVE_ASSIGN(const Reading expected, read_iri(manifest, test.result.value, *result_format));
  if (expected.error) return *expected.error;
  HELVE_ASSIGN(const bool is_same, rdf::are_isomorphic(reading.quads, expected.quads));
  if (is_same) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("{} statements were read that are not those expected ({})",
                           reading.quads.quads().size(), expected.quads.quads().size())};
}

}  // namespace

void add_rdf_tests(TestTypes& types) {
  constexpr std::array<std::pair<std::string_view, rdf::Format>, 5> kFamilies{{
      {"NTriples", rdf::Format::NTriples},
      {"NQuads", rdf::Format::NQuads},
      {"Turtle", rdf::Format::Turtle},
      {"Trig", rdf::Format::TriG},
      {"XML", rdf::Format::RdfXml},
  }};
  for (const auto& [family, format] : kFamilies) {
    const auto add = [&types, family = family, format = format](std::string_view kind, auto run) {
      types[fmt::format("{}Test{}{}", kRdfTest, family, kind)] =
          [run, format](const Manifest& manifest, const TestCase& test) {
            return run(manifest, test, format);
          };
    };
    add("PositiveSyntax", positive_syntax);
    add("NegativeSyntax", run_negative_reading);
    add("NegativeEval", run_negative_reading);
    add("Eval", run_rdf_evaluation);
  }
}

}  // namespace helve::conformance
