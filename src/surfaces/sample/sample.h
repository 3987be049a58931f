// The bundled samples (examples/), part of program and library so that neither needs a file for
// them.
#pragma once

#include <string_view>

namespace helve {

// The graph.
std::string_view sample_trig();
// The statements that make a SQLite database of the same tables.
std::string_view sample_sql();

}  // namespace helve
