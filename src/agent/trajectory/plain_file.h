// Files that the agent commands read and write. A pipe or a socket may hang for ever, and no time
// limit of a run reaches into opening one.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/env.h"
#include "base/result.h"

namespace helve::agent {

// InvalidInput for what is neither a regular file nor a character device; what is not there is for
// whoever opens it to tell. `option` is the word that named it: "--hints".
Result<void> check_readable_file(const std::filesystem::path& path, std::string_view option,
                                 Env& env);
// The same, and for "-": standard output is for the answer.
Result<void> check_writable_file(const std::filesystem::path& path, std::string_view option,
                                 Env& env);

}  // namespace helve::agent
