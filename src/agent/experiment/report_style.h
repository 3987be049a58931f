// The style of the report: report.css, a text inside of the program.
#pragma once

#include <string_view>

namespace helve::agent {

std::string_view report_style();

}  // namespace helve::agent
