#include "agent/ask/model_choice.h"

#include <fmt/format.h>

#include "agent/loops/run_budget.h"
#include "agent/loops/signature.h"
#include "agent/trajectory/plain_file.h"
#include "base/http.h"

namespace helve::agent {

namespace {

Error wrong(std::string message, std::string hint) {
  return {ErrorCode::InvalidInput, std::move(message), std::move(hint)};
}

Result<std::shared_ptr<llm::Provider>> open(const llm::ProviderSettings& settings, Env& env) {
  if (!settings.record.empty()) HELVE_TRY(check_writable_file(settings.record, "--record", env));
  return llm::open_provider(settings, env);
}

std::string host_of(const llm::ProviderSettings& settings) {
  const auto address = read_http_address(settings.url);
  return address ? address->host : std::string();
}

}  // namespace

bool is_given(const llm::ProviderWords& sub_model) {
  return !sub_model.provider.empty() || !sub_model.model.empty() || !sub_model.url.empty() ||
         !sub_model.key.empty();
}

Result<llm::ProviderWords> sub_model_words(const ModelWords& words) {
  llm::ProviderWords out = words.sub_model;
  out.prices_file = words.model.prices_file;
  out.record = words.model.record;
  if (!out.provider.empty() || !out.url.empty()) return out;
  if (!words.model.script.empty() || words.model.provider.starts_with("scripted")) {
    return wrong("a script answers for every model, and a sub-model is named beside it",
                 "leave the sub-model out, or give it a provider of its own: --sub-provider");
  }
  out.provider = words.model.provider;
  out.url = words.model.url;
  if (out.model.empty()) out.model = words.model.model;
  if (out.key.empty()) out.key = words.model.key;
  return out;
}

Result<ChosenModels> open_models(const ModelWords& words, Loop loop, Env& env) {
  const bool has_sub_model = is_given(words.sub_model);
  if (has_sub_model && loop != Loop::Rlm) {
    return wrong("only code asks a sub-model, and the loop react runs none",
                 "add --loop rlm, or leave the sub-model out");
  }
  ChosenModels chosen;
  HELVE_ASSIGN(const auto settings, llm::settle_provider(words.model, env));
  HELVE_ASSIGN(chosen.model, open(settings, env));
  chosen.host = host_of(settings);
  if (!has_sub_model) return chosen;
  HELVE_ASSIGN(const llm::ProviderWords sub, sub_model_words(words));
  HELVE_ASSIGN(const auto sub_settings, llm::settle_provider(sub, env));
  HELVE_ASSIGN(chosen.sub_model, open(sub_settings, env));
  return chosen;
}

Result<void> check_request(const AskRequest& request, const llm::Provider& model,
                           const llm::Provider* sub_model) {
  if (!request.signature.empty() && request.loop != Loop::Rlm) {
    return wrong("a signature is for code, and the loop react runs none",
                 "add --loop rlm, or leave the signature out");
  }
  if (!request.signature.empty()) HELVE_TRY(parse_signature(request.signature));
  if (!request.limits.cost_max) return {};
  if (!model.tells_cost()) return no_prices_error(model.model());
  if (sub_model != nullptr && !sub_model->tells_cost()) {
    return no_prices_error(sub_model->model());
  }
  return {};
}

}  // namespace helve::agent
