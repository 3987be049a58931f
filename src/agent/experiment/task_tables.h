// The tables of a report that show every run: tasks by level, and a mark for each run of a cell.
#pragma once

#include <string>

#include "agent/experiment/figures.h"

namespace helve::agent {

// `has_links`: each mark leads to the trajectory of its run, relative to the report.
std::string task_tables(const SetResult& set, bool has_links);

}  // namespace helve::agent
