// Small files that a configuration names: keys, prices, scripts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"

namespace helve::llm {

// The whole of a regular file. LimitExceeded beyond `bytes_max`; InvalidInput for what is no file.
Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t bytes_max,
                                   Env& env);

// A variable of the environment; empty where it is not set.
std::string variable(const char* name);

// "env:NAME" or "file:PATH".
bool is_reference(std::string_view text);

// What a reference leads to: one word, without blanks around it, which no log will show from now
// on. InvalidInput for anything else, which may be the key itself and is not repeated; NotFound for
// variables that are not set and files that are not there.
Result<std::string> read_key(std::string_view reference, Env& env);
// The same of a header, which may have blanks in it: "Bearer ...".
Result<std::string> read_header_value(std::string_view reference, Env& env);

}  // namespace helve::llm
