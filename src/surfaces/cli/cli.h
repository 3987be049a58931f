// The command line: arguments in, exit status out. main.cc is all that is above it.
#pragma once

namespace helve::cli {

// Exit status: 0, or the value of the ErrorCode.
int run(int argc, const char* const* argv);

}  // namespace helve::cli
