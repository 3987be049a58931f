// What tools that read files have in common: which files a call may read.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "toolkit/policy/policy.h"

namespace helve::toolkit {

// The file or folder to open for `path`, as check_path() (policy/gate.h) says. Denied also under a
// policy that hides graphs and names no folders: the graphs could be read from their files.
Result<std::filesystem::path> readable_path(const Policy& policy, const std::string& path);

// What is behind the last slash, or the slash before it.
std::string name_of_path(std::string_view path);

}  // namespace helve::toolkit
