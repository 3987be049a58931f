#include "tests/conformance/report.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace helve::conformance {

namespace {

constexpr std::string_view kIntroduction =
    R"(# Conformance

Written by `make conformance`; do not edit. The W3C suites are those of
<https://github.com/w3c/rdf-tests>; our own are in `tests/conformance/own`.

Every document is read twice, as a whole and as a stream of one to seven bytes at a time, and both
must agree. Every query that is accepted must come back unchanged from being printed and parsed
again. Every query that is evaluated runs on the store and on a list of quads; what it gives is
written and read in the format of the expected result before it is compared. Where a query computes
values, numbers are compared by value, since nothing says how they are spelt. SERVICE is answered by
endpoints within the test. Updates run on a store that changes, over data that lies in its base. The
tests of protocols and service descriptions ask a server over a socket; those of the Graph Store
Protocol are the current ones and, as one session, the deprecated ones that they took the place of.

Not among the suites: entailment regimes; of SPARQL 1.2, triple terms. `tests/serve` has protocol
tests of our own.

| suite | passed | total | skipped |
|---|---|---|---|
)";

void append_list(std::string& out, std::string_view title,
                 const std::vector<SuiteOutcome>& outcomes,
                 std::vector<Failure> SuiteOutcome::*list) {
  out += fmt::format("\n## {}\n\n", title);
  bool any = false;
  for (const SuiteOutcome& outcome : outcomes) {
    for (const Failure& failure : outcome.*list) {
      out += fmt::format("- <{}>: {}\n", failure.test, failure.reason);
      any = true;
    }
  }
  if (!any) out += "None.\n";
}

std::string_view cell(std::string_view row, std::size_t index) {
  for (std::size_t i = 0; i <= index; ++i) {
    row.remove_prefix(std::min(row.find('|') + 1, row.size()));
  }
  std::string_view text = row.substr(0, row.find('|'));
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string write_report(const std::vector<SuiteOutcome>& outcomes) {
  std::string out(kIntroduction);
  SuiteOutcome sum;
  for (const SuiteOutcome& outcome : outcomes) {
    out += fmt::format("| {} | {} | {} | {} |\n", outcome.name, outcome.passed, outcome.total,
                       outcome.skips.size());
    sum.passed += outcome.passed;
    sum.total += outcome.total;
  }
  out += fmt::format("\n{} of {} tests pass.\n", sum.passed, sum.total);
  append_list(out, "Failures", outcomes, &SuiteOutcome::failures);
  append_list(out, "Skipped, and why", outcomes, &SuiteOutcome::skips);
  return out;
}

std::map<std::string, std::size_t> passed_in_report(std::string_view report) {
  std::map<std::string, std::size_t> passed;
  while (!report.empty()) {
    const std::size_t end = std::min(report.find('\n'), report.size());
    const std::string_view row = report.substr(0, end);
    report.remove_prefix(std::min(end + 1, report.size()));
    if (!row.starts_with('|')) continue;
    const std::string_view number = cell(row, 1);
    std::size_t count = 0;
    const auto [stop, status] = std::from_chars(number.begin(), number.end(), count);
    if (status == std::errc() && stop == number.end()) passed.emplace(cell(row, 0), count);
  }
  return passed;
}

}  // namespace helve::conformance
