// The program that is running, as the worker of result_sql.
#pragma once

#include <string>
#include <vector>

namespace helve::cli {

std::vector<std::string> worker_program();

}  // namespace helve::cli
