// The results of an experiment as one HTML file that needs nothing else: no script, no request, no
// font. For screens of any size, light and dark, and for paper.
#pragma once

#include <string>

#include "agent/experiment/results.h"

namespace helve::agent {

struct ReportFacts {
  std::string date;       // of the report; empty: none is told
  std::string command;    // that made it
  bool has_links = true;  // to the trajectories, which are in the folder of the report
};

// Whatever tasks and models wrote is text in it and nothing else.
std::string report_html(const ExperimentResult& result, const ReportFacts& facts);

}  // namespace helve::agent
