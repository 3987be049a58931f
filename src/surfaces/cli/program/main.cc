// The program: what escapes the command line, which should be nothing, still ends in words.
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/result.h"
#include "surfaces/cli/cli.h"
#include "surfaces/cli/program/extras.h"

namespace {

// Memory has passwords and data of users in it: a crash leaves no copy of it on the disk.
void leave_no_core() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
  limit.rlim_cur = 0;
  static_cast<void>(::setrlimit(RLIMIT_CORE, &limit));
}

// Who runs the program and waits for it (the Python package) may be killed: it is not left alone
// then. Programs that this one starts have other parents, and are not told.
void end_with_parent() {
  constexpr const char* kVariable = "HELVE_ENDS_WITH_PARENT";
  if (std::getenv(kVariable) == nullptr) return;
  static_cast<void>(::prctl(PR_SET_PDEATHSIG, SIGTERM));
  static_cast<void>(::unsetenv(kVariable));
}

}  // namespace

int main(int argc, char** argv) {
  leave_no_core();
  end_with_parent();
  try {
    return helve::cli::run(argc, argv, helve::cli::extras());
  } catch (const std::bad_alloc&) {
    std::fputs("helve: error: the machine has no memory left\n", stderr);
    return static_cast<int>(helve::ErrorCode::LimitExceeded);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "helve: internal error: %s\n", failure.what());
    return static_cast<int>(helve::ErrorCode::Internal);
  }
}
