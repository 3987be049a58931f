// What runs in the interpreter: guest.py, as the build puts it into the program.
#pragma once

#include <string_view>

namespace helve::sandbox {

std::string_view guest_program();

}  // namespace helve::sandbox
