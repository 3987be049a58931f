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
// the first.
inline constexpr int kProgramFd = 130;

// Made once for the process. Unavailable where libseccomp cannot make it.
const Result<std::vector<sock_filter>>& syscall_filter();

}  // namespace helve::sandbox
