// The texts of built_in/, which CMakeLists.txt puts into the program.
#pragma once

#include <string_view>

namespace helve::toolkit::built_in {

std::string_view explore_a_graph();
std::string_view write_sparql();
std::string_view debug_empty_results();
std::string_view federate_endpoints();
std::string_view analyse_a_database();
std::string_view tune_a_query();
std::string_view join_across_sources();

}  // namespace helve::toolkit::built_in
