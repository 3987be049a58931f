// What a person wrote, and what the environment says, as settings.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/llm/prices.h"
#include "agent/llm/provider_settings.h"
#include "agent/llm/text_file.h"
#include "base/http.h"
#include "base/text.h"

namespace helve::llm {

namespace {

constexpr std::size_t kPricesBytesMax = 1 * kMiB;

// "chat", "chat:MODEL", "chat:MODEL@URL", "scripted:FILE", "builtin:rules".
struct ProviderWord {
  std::string dialect;
  std::string model;
  std::string url;
  std::string script;
};

ProviderWord split(std::string_view word) {
  ProviderWord parts;
  const std::size_t colon = word.find(':');
  parts.dialect = word.substr(0, colon);
  if (colon == std::string_view::npos) return parts;
  std::string_view rest = word.substr(colon + 1);
  if (parts.dialect == "scripted") {
    parts.script = rest;
    return parts;
  }
  // Names of models may have '@' and ':' in them.
  for (const std::string_view scheme : {"@http://", "@https://"}) {
    const std::size_t at = rest.rfind(scheme);
    if (at == std::string_view::npos) continue;
    parts.url = rest.substr(at + 1);
    rest = rest.substr(0, at);
    break;
  }
  parts.model = rest;
  return parts;
}

Error no_model() {
  return {ErrorCode::NotFound,
          "no model is configured. There are three ways to give one: (1) a flag, --provider "
          "chat:MODEL@http://localhost:11434/v1 for a server of your own, or --provider anthropic "
          "--model NAME; (2) environment variables, HELVE_PROVIDER, HELVE_MODEL, HELVE_MODEL_URL "
          "and HELVE_MODEL_KEY, or ANTHROPIC_API_KEY or OPENAI_API_KEY with HELVE_MODEL; (3) an "
          "MCP client that offers sampling: connect one to helve mcp, and its own model is asked. "
          "Without any, --model builtin:rules answers simple questions by fixed rules",
          "set HELVE_PROVIDER=chat:MODEL@URL to try it"};
}

Error incomplete(std::string_view given, std::string_view name, std::string_view missing) {
  Error error = no_model();
  error.message = fmt::format("the {} '{}' is given and no {}. {}", given,
                              escape_for_terminal(name.substr(0, 100)), missing, error.message);
  error.hint = missing == "model" ? "add --model NAME, or set HELVE_MODEL, as the server calls it"
                                  : "add --provider, or the address of the server with --url";
  return error;
}

// Of a name alone, for those who give no provider.
std::string guessed_dialect(const std::string& model, const std::string& url) {
  if (!url.empty()) return "chat";
  const bool has_anthropic = !variable("ANTHROPIC_API_KEY").empty();
  const bool has_openai = !variable("OPENAI_API_KEY").empty();
  if (model.starts_with("claude")) return "anthropic";
  if (has_anthropic != has_openai) return has_anthropic ? "anthropic" : "responses";
  return has_openai && !model.empty() ? "responses" : "";
}

// The first that is not empty.
std::string first_of(std::initializer_list<std::string> texts) {
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [](const std::string& text) { return !text.empty(); });
  return found != texts.end() ? *found : std::string();
}

bool is_same_server(const std::string& a, const std::string& b) {
  const auto left = read_http_address(a);
  const auto right = read_http_address(b);
  return left && right && *left == *right;
}

// HELVE_MODEL_KEY has the key itself, or says where it is.
std::string key_of_environment() {
  const std::string value = variable("HELVE_MODEL_KEY");
  if (value.empty()) return {};
  return value.starts_with("env:") || value.starts_with("file:") ? value : "env:HELVE_MODEL_KEY";
}

Result<void> settle_prices(const std::string& file, ProviderSettings& settings, Env& env) {
  if (file.empty()) return {};
  HELVE_ASSIGN(const std::string text, read_text_file(file, kPricesBytesMax, env));
  HELVE_ASSIGN(const PriceList list, read_prices(text, file));
  settings.prices = find_prices(list, settings.model);
  return {};
}

// What the environment has for a provider that the words do not contradict.
void add_environment(const ProviderWord& given, ProviderWord& into, std::string& key,
                     const ProviderWords& words) {
  const ProviderWord there = split(variable("HELVE_PROVIDER"));
  const bool is_other = !given.dialect.empty() && !there.dialect.empty() &&
                        read_dialect(given.dialect) && read_dialect(there.dialect) &&
                        *read_dialect(given.dialect) != *read_dialect(there.dialect);
  if (is_other) return;
  const std::string url = first_of({there.url, variable("HELVE_MODEL_URL")});
  into.dialect = first_of({given.dialect, there.dialect});
  into.model = first_of({words.model, given.model, there.model, variable("HELVE_MODEL")});
  into.script = first_of({words.script, given.script, there.script});
  into.url = first_of({words.url, given.url, url});
  // A key belongs to its server.
  const bool is_its_server = into.url == url || is_same_server(into.url, url);
  if (key.empty() && (url.empty() || is_its_server)) key = key_of_environment();
}

// "builtin:rules" says the provider too, but for one that was asked for by a flag.
void settle_builtin(const ProviderWords& words, const ProviderWord& given, ProviderWord& all) {
  constexpr std::string_view kBuiltin = "builtin:";
  if (!all.model.starts_with(kBuiltin)) return;
  const bool is_of_flag = words.model == all.model;
  const bool is_other = !given.dialect.empty() && given.dialect != "builtin" && !is_of_flag;
  all.model = is_other ? std::string() : all.model.substr(kBuiltin.size());
  if (is_other) return;
  all.dialect = "builtin";
  all.url.clear();
}

}  // namespace

Result<ProviderSettings> settle_provider(const ProviderWords& words, Env& env) {
  const ProviderWord given = split(words.provider);
  ProviderWord all{given.dialect, first_of({words.model, given.model}),
                   first_of({words.url, given.url}), first_of({words.script, given.script})};
  std::string key = words.key;
  add_environment(given, all, key, words);
  settle_builtin(words, given, all);
  if (all.dialect.empty() && !all.script.empty()) all.dialect = "scripted";
  if (all.dialect.empty()) all.dialect = guessed_dialect(all.model, all.url);
  if (all.dialect.empty() && all.model.empty()) return no_model();
  if (all.dialect.empty()) return incomplete("model", all.model, "provider");

  ProviderSettings settings;
  HELVE_ASSIGN(settings.dialect, read_dialect(all.dialect));
  settings.model = all.model;
  settings.url = all.url;
  settings.script = all.script;
  settings.record = words.record;
  settings.key = key;
  const bool is_scripted = settings.dialect == Dialect::Scripted;
  if (settings.dialect == Dialect::Builtin) {
    settings.key.clear();
    if (settings.model.empty()) settings.model = "rules";
  }
  if (!is_scripted && settings.model.empty()) {
    return incomplete("provider", name_of(settings.dialect), "model");
  }
  HELVE_TRY(settle_prices(first_of({words.prices_file, variable("HELVE_PRICES")}), settings, env));
  return settings;
}

}  // namespace helve::llm
