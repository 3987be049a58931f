// The system calls that a guest may make, as the kernel's filter program: a list of what an
// interpreter needs to compute, to use its own folder and to talk on descriptors that it has.
// Everything else answers EPERM.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace helve::sandbox {

// The interpreter's program stands at this descriptor when the filter is set. A guest cannot have a
// descriptor of this number, for its limit is lower; so the one exec that the filter lets pass is
// the first. A path that is absolute would make the descriptor count for nothing: the filter wants
// an address for it that only the host knows, and that has the empty path.
inline constexpr int kProgramFd = 130;

struct SyscallFilter {
  std::vector<sock_filter> program;
  const char* empty_path = nullptr;
};

// Made once for the process. Unavailable where libseccomp cannot make it.
const Result<SyscallFilter>& syscall_filter();

}  // namespace helve::sandbox
