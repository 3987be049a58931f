// What a person wrote, and what the environment says, as settings.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "agent/llm/model_config.h"
#include "agent/llm/prices.h"
#include "agent/llm/provider_settings.h"
#include "agent/llm/provider_word.h"
#include "agent/llm/text_file.h"
#include "base/http.h"
#include "base/text.h"

namespace helve::llm {

namespace {

constexpr std::size_t kPricesBytesMax = 1 * kMiB;

// What one place says of a model: the words, a file or the environment.
struct Said {
  std::string dialect;
  std::string model;
  std::string url;
  std::string script;
  std::string key;
};

std::optional<Dialect> dialect_of(const Said& said) {
  const auto dialect = read_dialect(said.dialect);
  return dialect ? std::optional(*dialect) : std::nullopt;
}

// "chat", "chat:MODEL", "chat:MODEL@URL", "scripted:FILE".
Said split(std::string_view word) {
  Said parts;
  const std::size_t colon = word.find(':');
  parts.dialect = word.substr(0, colon);
  if (colon == std::string_view::npos) return parts;
  std::string_view rest = word.substr(colon + 1);
  if (dialect_of(parts) == Dialect::Scripted) {
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
          "chat:MODEL@http://localhost:11434/v1 for a server of your own, --provider anthropic "
          "--model NAME, or --model-config FILE; (2) environment variables, HELVE_PROVIDER, "
          "HELVE_MODEL, HELVE_MODEL_URL "
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

bool is_same_server(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto left = read_http_address(a);
  const auto right = read_http_address(b);
  return left && right && *left == *right;
}

// A script is no model to ask: where one is given, it answers, and nobody else was meant.
Result<Said> said_by(const std::string& provider, const Said& more) {
  Said said = split(provider);
  const bool is_other = !said.dialect.empty() && dialect_of(said) != Dialect::Scripted;
  const bool is_second = !said.script.empty() && said.script != more.script;
  if (!more.script.empty() && (is_other || is_second)) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("a script is given, and the provider '{}' beside it",
                             escape_for_terminal(provider.substr(0, 100))),
                 "leave one of them out: answers come from the script or from a model"};
  }
  if (!more.script.empty()) said.dialect = name_of(Dialect::Scripted);
  said.model = first_of({more.model, said.model});
  said.url = first_of({more.url, said.url});
  said.script = first_of({more.script, said.script});
  said.key = more.key;
  return said;
}

// HELVE_MODEL_KEY has the key itself, or says where it is.
Said said_by_environment() {
  Said said = split(variable("HELVE_PROVIDER"));
  said.model = first_of({said.model, variable("HELVE_MODEL")});
  said.url = first_of({said.url, variable("HELVE_MODEL_URL")});
  const std::string key = variable("HELVE_MODEL_KEY");
  if (!key.empty()) said.key = is_reference(key) ? key : "env:HELVE_MODEL_KEY";
  return said;
}

// Whether what was said first means another provider than this.
bool is_other(const Said& first, const Said& then) {
  const auto one = dialect_of(first);
  const auto other = dialect_of(then);
  if (one && other) return *one != *other;
  return !first.url.empty() && other == Dialect::Scripted;
}

// What is said first goes before what is said then.
void fill_in(Said& first, const Said& then) {
  first.dialect = first_of({first.dialect, then.dialect});
  first.model = first_of({first.model, then.model});
  first.url = first_of({first.url, then.url});
  first.script = first_of({first.script, then.script});
}

// A key belongs to its server: that of its place, or else the dialect's own service.
bool is_for_server(const Said& said, const Said& settled, Dialect dialect) {
  const std::string_view own = service_url(dialect);
  const std::string_view meant = said.url.empty() ? own : std::string_view(said.url);
  return is_same_server(settled.url.empty() ? own : std::string_view(settled.url), meant);
}

Result<void> settle_prices(const std::string& file, ProviderSettings& settings, Env& env) {
  if (file.empty()) return {};
  HELVE_ASSIGN(const std::string text, read_text_file(file, kPricesBytesMax, env));
  HELVE_ASSIGN(const PriceList list, read_prices(text, file));
  const bool is_nameless = settings.model.empty() && settings.dialect == Dialect::Scripted;
  settings.prices = find_prices(list, is_nameless ? "scripted" : settings.model);
  return {};
}

// Prices of a section are those of its model.
Result<void> settle_prices(const ProviderWords& words, const ModelConfig& config,
                           ProviderSettings& settings, Env& env) {
  const bool is_its_model = config.model.empty() || config.model == settings.model;
  if (words.prices_file.empty() && config.prices && is_its_model) {
    settings.prices = config.prices;
    return {};
  }
  return settle_prices(first_of({words.prices_file, config.prices_file, variable("HELVE_PRICES")}),
                       settings, env);
}

void settle_limits(const ModelConfig& config, ProviderSettings& settings) {
  const auto take = [](const auto& said, auto& into) {
    if (said) into = *said;
  };
  take(config.retries_max, settings.retries_max);
  take(config.connect_timeout, settings.connect_timeout);
  take(config.answer_timeout, settings.answer_timeout);
  take(config.silence_timeout, settings.silence_timeout);
  take(config.answer_bytes_max, settings.answer_bytes_max);
  take(config.allows_private, settings.allows_private);
}

// "builtin:rules" says the provider too, but for one that was asked for by a flag.
void settle_builtin(const Said& words, Said& all) {
  constexpr std::string_view kBuiltin = "builtin:";
  if (!all.model.starts_with(kBuiltin)) return;
  const bool is_of_flag = words.model == all.model;
  const bool is_other = !words.dialect.empty() && words.dialect != "builtin" && !is_of_flag;
  all.model = is_other ? std::string() : all.model.substr(kBuiltin.size());
  if (is_other) return;
  all.dialect = "builtin";
  all.url.clear();
}

// Which model it is, on which server, with which key; headers of a file are for its server too.
Result<ProviderSettings> settle_server(const Said& words, const Said& file, const Said& there,
                                       const ModelConfig& config) {
  Said all = words;
  const bool has_file = !is_other(all, file);
  if (has_file) fill_in(all, file);
  const bool has_environment = !is_other(all, there);
  if (has_environment) fill_in(all, there);
  settle_builtin(words, all);
  if (all.dialect.empty()) all.dialect = guessed_dialect(all.model, all.url);
  if (all.dialect.empty() && all.model.empty()) return no_model();
  if (all.dialect.empty()) return incomplete("model", all.model, "provider");

  ProviderSettings settings;
  HELVE_ASSIGN(settings.dialect, read_dialect(all.dialect));
  const bool is_of_file = has_file && is_for_server(file, all, settings.dialect);
  const bool is_of_environment = has_environment && is_for_server(there, all, settings.dialect);
  settings.model = all.model;
  settings.url = all.url;
  settings.script = all.script;
  settings.key = first_of({words.key, is_of_file ? file.key : std::string(),
                           is_of_environment ? there.key : std::string()});
  if (is_of_file) settings.headers = config.headers;
  if (settings.dialect == Dialect::Builtin) {
    settings.key.clear();
    if (settings.model.empty()) settings.model = "rules";
  }
  if (settings.dialect != Dialect::Scripted && settings.model.empty()) {
    return incomplete("provider", name_of(settings.dialect), "model");
  }
  return settings;
}

}  // namespace

Result<ProviderSettings> settle_provider(const ProviderWords& words, Env& env,
                                         const ModelConfig* config) {
  ModelConfig file;
  if (!words.config_file.empty()) {
    HELVE_ASSIGN(file, read_model_file(words.config_file, env));
  } else if (config != nullptr) {
    file = *config;
  }
  for (const std::string& word : {words.provider, file.provider, variable("HELVE_PROVIDER")}) {
    HELVE_TRY(check_provider_word(word));
  }
  HELVE_ASSIGN(const Said given,
               said_by(words.provider, {{}, words.model, words.url, words.script, words.key}));
  HELVE_ASSIGN(const Said filed,
               said_by(file.provider, {{}, file.model, file.url, file.script, file.key}));
  HELVE_ASSIGN(ProviderSettings settings, settle_server(given, filed, said_by_environment(), file));
  settings.record = first_of({words.record, file.record});
  settle_limits(file, settings);
  HELVE_TRY(settle_prices(words, file, settings, env));
  return settings;
}

bool is_any_given(const ProviderWords& words) {
  return !first_of({words.provider, words.model, words.url, words.key, words.prices_file,
                    words.script, words.config_file, variable("HELVE_PROVIDER"),
                    variable("HELVE_MODEL"), variable("HELVE_MODEL_URL"),
                    variable("HELVE_MODEL_KEY")})
              .empty();
}

}  // namespace helve::llm
