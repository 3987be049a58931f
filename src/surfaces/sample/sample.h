// The bundled sample (examples/), part of program and library so that neither needs a file for it.
#pragma once

#include <string_view>

namespace helve {

std::string_view sample_trig();

}  // namespace helve
