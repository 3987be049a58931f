// docs/conformance.md: written by the runner, and read back as the number that may only rise.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/suites.h"

namespace helve::conformance {

// The same outcomes give the same text.
std::string write_report(const std::vector<SuiteOutcome>& outcomes);

// Passed tests by suite.
std::map<std::string, std::size_t> passed_in_report(std::string_view report);

}  // namespace helve::conformance
