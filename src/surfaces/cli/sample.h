// The bundled sample (examples/), part of the binary so that the demo needs no file.
#pragma once

#include <string_view>

namespace helve::cli {

std::string_view sample_trig();

}  // namespace helve::cli
