// The models that a run asks, from the words of a caller: that of the loop, and the one that code
// of an RLM run asks.
#pragma once

#include <memory>

#include "agent/ask/ask.h"
#include "agent/llm/provider_settings.h"

namespace helve::agent {

struct ModelWords {
  llm::ProviderWords model;
  llm::ProviderWords sub_model;  // its script, record and prices are those of the model
};

struct ChosenModels {
  std::shared_ptr<llm::Provider> model;
  std::shared_ptr<llm::Provider> sub_model;  // null: the same
  std::string host;                          // of the model, where an address is given
};

bool is_given(const llm::ProviderWords& sub_model);

// The words of the sub-model with what they leave out. The server, its dialect and its key are
// those of the model, unless another provider or address is named: a key belongs to its server.
// InvalidInput where the model is a script, which cannot be asked for another model.
Result<llm::ProviderWords> sub_model_words(const ModelWords& words);

// NotFound where no model is configured; InvalidInput for a sub-model of a loop that has none.
Result<ChosenModels> open_models(const ModelWords& words, Loop loop, Env& env);

// What can be told before anything is asked: a signature that cannot be read or is for the other
// loop, and a limit on cost where costs are not known. InvalidInput.
Result<void> check_request(const AskRequest& request, const llm::Provider& model,
                           const llm::Provider* sub_model);

}  // namespace helve::agent
