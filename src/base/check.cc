// A failed CHECK says where and stops the process: continuing could serve wrong data.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace helve {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "helve: internal check failed: %s (%s:%d); please report this\n", condition,
               file, line);
  std::abort();
}

}  // namespace helve
