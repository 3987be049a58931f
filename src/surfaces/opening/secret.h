// Secrets of configurations and command lines: named, never written in them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"

namespace helve::opening {

// Asks for a variable of the environment; null where there is none.
using Environment = std::function<const char*(const char* name)>;

// What "env:NAME" or "file:PATH" leads to, without blanks around it; paths are relative to
// `folder`. InvalidInput for anything else, which may be the secret itself and is not repeated, and
// for secrets shorter than 16 characters; NotFound for variables that are not set.
Result<std::string> read_secret(std::string_view reference, const std::filesystem::path& folder,
                                Env& env, const Environment& environment);

// The same for what somebody else has chosen: a password or a token of a server, of any length,
// without control characters.
Result<std::string> read_credential(std::string_view reference, const std::filesystem::path& folder,
                                    Env& env, const Environment& environment);
// "env:NAME" or "file:PATH".
bool is_secret_reference(std::string_view text);

}  // namespace helve::opening
