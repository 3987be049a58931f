// What a configuration says of a model, and how a Provider comes of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/llm/provider.h"
#include "base/env.h"
#include "base/result.h"

namespace helve::llm {

enum class Dialect : std::uint8_t { Chat, Responses, Anthropic, Scripted, Builtin };
std::string_view name_of(Dialect dialect);  // "chat"
Result<Dialect> read_dialect(
    std::string_view name);  // "openai" is "responses"; InvalidInput lists all

// Per million tokens.
struct Prices {
  double input = 0;
  double cached = 0;  // read from a cache
  double cache_write = 0;
  double output = 0;
};

struct ProviderSettings {
  Dialect dialect = Dialect::Chat;
  std::string url;  // base address, with /v1; empty: that of the dialect's own service
  std::string model;
  std::string key;  // "env:NAME" or "file:PATH"; empty: the service's usual variable, or none
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<Prices> prices;
  unsigned retries_max = 2;
  Duration connect_timeout = std::chrono::seconds(10);
  Duration answer_timeout = std::chrono::minutes(10);  // of one request, its retries apart
  Duration silence_timeout = std::chrono::minutes(2);  // between two pieces of a stream
  std::size_t answer_bytes_max = 16 << 20;
  bool allows_private = true;  // local servers are what people run
  // Scripted: a file of answers, or of recorded exchanges that are played back.
  std::string script;
  // Builtin: the model is "rules", or "rules?seed=7" (rules/rules.h); nobody is asked.
  std::string record;  // any dialect: exchanges are appended here as they happen
};

inline constexpr unsigned kRetriesMost = 10;

// The base address of the dialect's own service; empty: it has none.
std::string_view service_url(Dialect dialect);

// InvalidInput where something is missing or senseless; says what.
Result<std::shared_ptr<Provider>> open_provider(const ProviderSettings& settings, Env& env);

// From words: "--provider chat --model M --url ...", "chat:MODEL@URL", "builtin:rules" as provider
// or model; then a configuration file; then what the environment has (HELVE_PROVIDER, HELVE_MODEL,
// HELVE_MODEL_URL, HELVE_MODEL_KEY, HELVE_PRICES as a TOML file; ANTHROPIC_API_KEY,
// OPENAI_API_KEY). NotFound where no model is configured: its message says the three ways to give
// one, and builtin:rules.
struct ProviderWords {
  std::string provider;
  std::string model;
  std::string url;
  std::string key;
  std::string prices_file;
  std::string script;
  std::string record;
  std::string config_file;  // with a section [model]: model_config.h
};
// `config` is a section that was read already; the file of the words goes before it.
struct ModelConfig;
Result<ProviderSettings> settle_provider(const ProviderWords& words, Env& env,
                                         const ModelConfig* config = nullptr);
// Whether the words or the environment say anything of a model; keys and prices that services and
// other programs share do not count.
bool is_any_given(const ProviderWords& words);

}  // namespace helve::llm
