// What `helve sandbox run` reads: the code and the variables of its command line.
#pragma once

#include <string>
#include <vector>

#include "agent/sandbox/sandbox.h"
#include "surfaces/cli/agent/sandbox_command.h"

namespace helve::cli {

inline constexpr std::size_t kScriptBytesMax = 4 * kMiB;
inline constexpr std::size_t kVariableBytesMax = 32 * kMiB;  // of a file that is a variable

// InvalidInput for a folder and for what is not UTF-8, LimitExceeded beyond `bytes_max`.
Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max,
                                   CommandContext& context);

// InvalidInput for what is not UTF-8, with the line.
Result<void> check_text(const std::string& text, const std::string& name);

// Those of --var and --var-file, in this order. InvalidInput says which is wrong, and why.
Result<std::vector<sandbox::Variable>> read_variables(const SandboxRunOptions& options,
                                                      CommandContext& context);

}  // namespace helve::cli
