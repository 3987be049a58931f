// The process that is killed: it changes, compacts and loads without end, and tells its parent,
// line by line, what it begins and what was done. crash_test.cc is the parent.
#pragma once

#include <filesystem>
#include <string>

#include "tests/store/crash_ledger.h"

namespace helve {

// Ends by being killed, or with a line "E why". Lines go to `out`, a pipe.
int run_crash_worker(const std::filesystem::path& root, const std::filesystem::path& journal,
                     const std::string& run, int out);

}  // namespace helve
