// Any bytes as results in any of the four formats, whole and in pieces; what was read must survive
// writing and reading again. The first byte says which format.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "sources/sparql/results/result_format.h"
#include "tests/support/stepped_source.h"

namespace {

using namespace helve;
using namespace helve::sparql;

constexpr std::array kFormats = {ResultFormat::Json, ResultFormat::Xml, ResultFormat::Csv,
                                 ResultFormat::Tsv};

// Small, so that inputs of a few hundred bytes reach them.
OpContext fuzz_context() {
  OpContext context;
  context.limits.term_bytes_max = 2 * kKiB;
  context.limits.window_bytes = 32;
  context.limits.json_depth_max = 50;
  context.limits.nesting_max = 50;
  context.limits.query_parts_max = 50;
  return context;
}

// But for the labels of blank nodes, which TSV and CSV may have to write otherwise.
bool is_equivalent(const SolutionTable& a, const SolutionTable& b) {
  CompareOptions options;
  options.is_ordered = true;
  const auto same = are_same_solutions(a, b, options);
  return a.names == b.names && (!same || *same);
}

bool is_same(const SolutionTable& a, const SolutionTable& b) {
  return a.names == b.names && a.rows == b.rows && a.answer == b.answer;
}

// XML cannot hold every character; all that was read as XML, it can.
void check_round_trip(ResultFormat format, const SolutionTable& read) {
  StringSink out;
  const auto writer = make_solution_writer(format, out);
  HELVE_CHECK(read.send(*writer).has_value());
  HELVE_CHECK(writer->finish().has_value());
  SolutionTable again;
  HELVE_CHECK(read_solutions(format, out.text(), OpContext{}, again).has_value());
  HELVE_CHECK(is_equivalent(read, again));
}

void check_table(const SolutionTable& read) {
  StringSink out;
  TableStyle style;
  style.width_max = 40;
  style.rows_measured = 2;
  const auto writer = make_solution_writer(ResultFormat::Table, out, style);
  HELVE_CHECK(read.send(*writer).has_value());
  HELVE_CHECK(writer->finish().has_value());
  HELVE_CHECK(out.text().find('\x1B') == std::string::npos);
}

void check_reading(ResultFormat format, std::string_view text) {
  const OpContext context = fuzz_context();
  SolutionTable whole;
  const auto result = read_solutions(format, text, context, whole);
  test::SteppedSource source(text, 7, true);
  SolutionTable pieces;
  const auto stepped = read_solutions(format, source, context, pieces);
  HELVE_CHECK(result.has_value() == stepped.has_value());
  HELVE_CHECK(is_same(whole, pieces));
  if (!result) {
    HELVE_CHECK(result.error().position == stepped.error().position);
    HELVE_CHECK(result.error().code == stepped.error().code);
    return;
  }
  check_round_trip(format, whole);
  check_table(whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  check_reading(kFormats[data[0] % kFormats.size()], text);
  return 0;
}
