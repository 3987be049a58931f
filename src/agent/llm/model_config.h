// ModelConfig: the section [model] of a configuration file (docs/models.md). provider_settings.h
// makes settings of it, of words and of the environment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/llm/provider_settings.h"
#include "base/env.h"
#include "base/result.h"
#include "base/toml_section.h"

namespace helve::llm {

// What is empty, or nullopt, is not said. Paths are those of the file, made ready to be opened.
struct ModelConfig {
  std::string provider;  // as in ProviderWords
  std::string model;
  std::string url;
  std::string key;  // env:NAME or file:PATH
  std::string script;
  std::string record;
  std::string prices_file;       // prices = "FILE"
  std::optional<Prices> prices;  // [model.prices], of `model`
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<unsigned> retries_max;
  std::optional<Duration> connect_timeout;
  std::optional<Duration> answer_timeout;
  std::optional<Duration> silence_timeout;
  std::optional<std::size_t> answer_bytes_max;
  std::optional<bool> allows_private;
};

// Paths are relative to `folder`. InvalidInput at the key that is wrong: unknown ones have the
// nearest name, and a line that may have a secret in it is not shown. Opens no file.
Result<ModelConfig> read_model_section(const TomlSection& section,
                                       const std::filesystem::path& folder);

// A file of TOML with that section and no other.
Result<ModelConfig> read_model_file(const std::filesystem::path& path, Env& env);

}  // namespace helve::llm
