// SubModel: answers llm_query() of model-written code, within the budget of the run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/loops/model_talk.h"
#include "base/executor.h"

namespace helve::agent {

// Not thread-safe. All outlive it.
class SubModel {
 public:
  SubModel(const RunParts& parts, const RunLimits& limits, RunBudget& budget, ModelTalk& talk)
      : model_(parts.sub_model != nullptr ? *parts.sub_model : parts.model),
        limits_(limits),
        budget_(budget),
        talk_(talk) {}

  // As many answers as prompts, in their order; some prompts are asked at once. The first failure
  // is the failure of all.
  Result<std::vector<std::string>> ask(const std::vector<std::string>& prompts,
                                       const OpContext& op);

 private:
  Result<void> check(const std::vector<std::string>& prompts) const;
  Result<void> check_budget() const;

  llm::Provider& model_;
  const RunLimits& limits_;
  RunBudget& budget_;
  ModelTalk& talk_;
  std::unique_ptr<Executor> threads_;
};

}  // namespace helve::agent
