// From settings to providers; settle_provider.cc makes settings of words.
#include "agent/llm/provider_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "agent/llm/answer_parts.h"
#include "agent/llm/anthropic.h"
#include "agent/llm/chat.h"
#include "agent/llm/model_http.h"
#include "agent/llm/responses.h"
#include "agent/llm/rules/rules.h"
#include "agent/llm/scripted.h"
#include "agent/llm/text_file.h"
#include "base/ascii.h"
#include "base/http.h"
#include "base/near_names.h"

namespace helve::llm {

namespace {

struct NamedDialect {
  std::string_view name;
  Dialect dialect;
};
constexpr std::array kDialects = {
    NamedDialect{"chat", Dialect::Chat},           NamedDialect{"responses", Dialect::Responses},
    NamedDialect{"anthropic", Dialect::Anthropic}, NamedDialect{"scripted", Dialect::Scripted},
    NamedDialect{"builtin", Dialect::Builtin},     NamedDialect{"openai", Dialect::Responses}};

const Wire& wire_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::Responses:
      return responses_wire();
    case Dialect::Anthropic:
      return anthropic_wire();
    default:
      return chat_wire();
  }
}

const char* usual_variable(Dialect dialect) {
  return dialect == Dialect::Anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
}

Error invalid_setting(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

Result<void> check(const ProviderSettings& settings) {
  constexpr std::size_t kModelCharsMax = 200;
  const auto is_text = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; };
  const std::string& model = settings.model;
  if (model.empty()) {
    return invalid_setting(fmt::format("no name of a model for {}", name_of(settings.dialect)),
                           "give --model NAME or HELVE_MODEL, as the server calls it");
  }
  if (model.size() > kModelCharsMax || !std::all_of(model.begin(), model.end(), is_text)) {
    return invalid_setting(fmt::format("'{}' is no name of a model", server_words(model)),
                           "one word, as the server calls it");
  }
  if (settings.retries_max > kRetriesMost) {
    return invalid_setting(fmt::format("{} retries are too many", settings.retries_max),
                           fmt::format("at most {}", kRetriesMost));
  }
  const Duration least =
      std::min({settings.connect_timeout, settings.answer_timeout, settings.silence_timeout});
  if (least <= Duration(0) || settings.answer_bytes_max == 0) {
    return invalid_setting("a limit of a model is zero or less", "leave it out for the usual one");
  }
  return {};
}

// The usual variable is the key of the service itself: no other host is sent it.
Result<std::string> find_key(const ProviderSettings& settings, const Wire& wire, Env& env) {
  if (!settings.key.empty()) return read_key(settings.key, env);
  HELVE_ASSIGN(const std::string url, model_url(settings.url, wire));
  HELVE_ASSIGN(const HttpAddress address, read_http_address(url));
  HELVE_ASSIGN(const HttpAddress service, read_http_address(wire.service_url()));
  if (address != service) return std::string();
  const std::string name = usual_variable(settings.dialect);
  if (!variable(name.c_str()).empty()) return read_key("env:" + name, env);
  return invalid_setting(
      fmt::format("{} wants a key, and none is given", service.host),
      fmt::format("set {}, or give the key as env:NAME or file:PATH, or the address of "
                  "another server",
                  name));
}

// A header may be a secret too, and is named then.
Result<void> settle_headers(HttpHeaders& headers, Env& env) {
  for (auto& [name, value] : headers) {
    if (!is_reference(value)) continue;
    HELVE_ASSIGN(value, read_header_value(value, env));
  }
  return {};
}

// "rules", "rules?seed=7".
Result<std::shared_ptr<Provider>> open_builtin(std::string_view model) {
  constexpr std::string_view kSeed = "?seed=";
  const std::size_t mark = std::min(model.find('?'), model.size());
  const std::string_view options = model.substr(mark);
  RulesOptions rules;
  bool is_read = options.empty();
  if (options.starts_with(kSeed)) {
    const char* const end = options.data() + options.size();
    const auto read = std::from_chars(options.data() + kSeed.size(), end, rules.seed);
    is_read = read.ec == std::errc() && read.ptr == end;
  }
  if (!is_read || !is_same_in_any_case(model.substr(0, mark), "rules")) {
    return invalid_setting(
        fmt::format("'builtin:{}' is no model of the program", server_words(model)),
        "there is builtin:rules, and with a number builtin:rules?seed=7");
  }
  return make_rules_provider(rules);
}

}  // namespace

std::string_view name_of(Dialect dialect) {
  const auto found =
      std::find_if(kDialects.begin(), kDialects.end(),
                   [dialect](const NamedDialect& one) { return one.dialect == dialect; });
  return found->name;
}

std::string_view service_url(Dialect dialect) {
  return dialect == Dialect::Scripted ? std::string_view() : wire_of(dialect).service_url();
}

Result<Dialect> read_dialect(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NamedDialect& one : kDialects) {
    if (is_same_in_any_case(one.name, name)) return one.dialect;
    names.push_back(one.name);
  }
  const auto near = near_names(name, names, 1);
  const std::string meant = near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front());
  return invalid_setting(
      fmt::format("'{}' is no provider of models", server_words(name)),
      fmt::format("{}there are chat (Chat Completions: vLLM, Ollama, llama.cpp ...), "
                  "responses or openai, anthropic, scripted, builtin",
                  meant));
}

Result<std::shared_ptr<Provider>> open_provider(const ProviderSettings& settings, Env& env) {
  std::shared_ptr<Provider> provider;
  if (settings.dialect == Dialect::Scripted) {
    if (settings.script.empty()) {
      return invalid_setting("the scripted provider has no script",
                             "give a file of answers or of recorded exchanges: scripted:FILE");
    }
    HELVE_ASSIGN(provider, open_scripted(settings.script, settings.model, env, settings.prices));
  } else if (settings.dialect == Dialect::Builtin) {
    HELVE_ASSIGN(provider, open_builtin(settings.model));
  } else {
    HELVE_TRY(check(settings));
    const Wire& wire = wire_of(settings.dialect);
    HELVE_ASSIGN(std::string key, find_key(settings, wire, env));
    ProviderSettings settled = settings;
    HELVE_TRY(settle_headers(settled.headers, env));
    HELVE_ASSIGN(provider, open_model(wire, settled, std::move(key), env));
  }
  if (settings.record.empty()) return provider;
  return record(std::move(provider), settings.record, env);
}

}  // namespace helve::llm
