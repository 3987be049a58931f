// Policies as users write them: files of TOML or JSON, and tables of a configuration.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/env.h"
#include "base/result.h"
#include "base/toml.h"
#include "toolkit/policy/policy.h"

namespace helve::opening {

inline constexpr std::size_t kSettingsBytesMax = kMiB;

// A whole small file. LimitExceeded beyond the limit; errors name the path.
Result<std::string> read_small_file(const std::filesystem::path& path, Env& env,
                                    std::size_t bytes_max = kSettingsBytesMax);

// JSON, or TOML where the name ends in .toml; places are known of TOML alone.
Result<TomlDocument> read_policy_document(const std::filesystem::path& path, Env& env);

// One policy: the words of policy_from_json, as strictly (policies.h has callers too). Folders of
// allowed_paths are relative to the file. Errors have the place where that is known.
Result<toolkit::Policy> read_policy_file(const std::filesystem::path& path, Env& env,
                                         toolkit::Policy base = {});

// A table of a TOML document, at `pointer`. Folders are relative to `folder`.
Result<toolkit::Policy> read_policy_table(const TomlDocument& document, std::string_view pointer,
                                          const JsonValue& table,
                                          const std::filesystem::path& folder,
                                          toolkit::Policy base = {});

}  // namespace helve::opening
