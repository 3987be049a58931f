// Which files a guest may touch, as a ruleset of Landlock: some to run, some to read, one folder to
// write in. What no rule names is closed, and so is making devices, sockets and links anywhere.
#pragma once

#include <filesystem>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace helve::sandbox {

struct FileRules {
  std::vector<std::filesystem::path> run;   // read and run: the interpreter, its loader
  std::vector<std::filesystem::path> read;  // files and folders
  std::vector<std::filesystem::path> use;   // devices: read and write
  std::filesystem::path work;               // folder: all but running, devices, sockets, links
};

// 0 where the kernel has no Landlock, or has it switched off.
int landlock_version();

// The ruleset, to be applied by the process that it is for. Paths that do not exist are passed
// over, but for the work folder. Unavailable without Landlock.
Result<UniqueFd> make_ruleset(const FileRules& rules);

}  // namespace helve::sandbox
