// The program: what escapes the command line, which should be nothing, still ends in words.
#include <cstdio>
#include <exception>
#include <new>

#include "base/result.h"
#include "surfaces/cli/cli.h"

int main(int argc, char** argv) {
  try {
    return helve::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("helve: error: the machine has no memory left\n", stderr);
    return static_cast<int>(helve::ErrorCode::LimitExceeded);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "helve: internal error: %s\n", failure.what());
    return static_cast<int>(helve::ErrorCode::Internal);
  }
}
