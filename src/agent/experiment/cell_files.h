// The files of an experiment: written whole or not at all. runner.h shows where they are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/json.h"
#include "base/op_context.h"

namespace helve::agent {

// A name as a folder of its own: letters, digits, '.', '_' and '-' stay, and it begins with none of
// the last three.
std::string folder_name(std::string_view name);

bool is_there(const std::filesystem::path& path, Env& env);
Result<std::string> read_whole(const std::filesystem::path& path, Env& env);
// nullopt: there is none. InvalidInput where it is no JSON.
Result<std::optional<JsonValue>> read_json_file(const std::filesystem::path& path, Env& env);
Result<void> write_json_file(const std::filesystem::path& path, const JsonValue& value, Env& env);
Result<void> copy_file(const std::filesystem::path& from, const std::filesystem::path& to,
                       Env& env);
// With all that is in it; links are removed, never followed. Nothing to do where it is not there.
Result<void> remove_tree(const std::filesystem::path& path, Env& env);

}  // namespace helve::agent
