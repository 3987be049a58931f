#include "surfaces/cli/agent/experiment_world.h"

#include <utility>

namespace helve::cli {

namespace {

// Tools without a model: what replays need.
class ToolsAlone final : public agent::RolloutMaker {
 public:
  ToolsAlone(std::shared_ptr<const RolloutSources> sources,
             std::shared_ptr<memory::MemoryBank> bank)
      : sources_(std::move(sources)), bank_(std::move(bank)) {}

  Result<agent::Rollout> make(std::uint64_t /*seed*/, const OpContext& context) override {
    HELVE_TRY(context.check());
    HELVE_ASSIGN(Workplace place, sources_->make_workplace(bank_));
    agent::Rollout rollout;
    rollout.toolkit = std::move(place.toolkit);
    rollout.caller = std::move(place.caller);
    rollout.source = std::move(place.source);
    return rollout;
  }

 private:
  const std::shared_ptr<const RolloutSources> sources_;
  const std::shared_ptr<memory::MemoryBank> bank_;
};

MemoryUse use_of(agent::MemoryMode mode) {
  switch (mode) {
    case agent::MemoryMode::None:
      break;
    case agent::MemoryMode::Injected:
      return MemoryUse::Lessons;
    case agent::MemoryMode::Searched:
      return MemoryUse::Search;
  }
  return MemoryUse::None;
}

}  // namespace

Result<std::unique_ptr<CliWorld>> CliWorld::open(const ToolSessionOptions& options,
                                                 std::shared_ptr<const RolloutModels> models,
                                                 bool extracts_by_model, CommandContext& context) {
  std::unique_ptr<CliWorld> world(new CliWorld);
  HELVE_ASSIGN(world->sources_, RolloutSources::open(options, context));
  world->models_ = std::move(models);
  world->extracts_by_model_ = extracts_by_model;
  HELVE_ASSIGN(world->workplace_, world->sources_->make_workplace(nullptr));
  const agent::JudgeParts parts{*world->workplace_.toolkit, world->workplace_.caller,
                                world->workplace_.source};
  // Tasks without a reference are judged by the model that answers: there is no other.
  auto by_model = world->models_ != nullptr ? agent::make_model_judge(parts, world->models_->any())
                                            : std::unique_ptr<agent::Judge>();
  world->judge_ = agent::make_judge(agent::make_execution_judge(parts), std::move(by_model));
  world->origin_ = world->sources_->origin(context.op);
  return world;
}

Result<std::unique_ptr<agent::RolloutMaker>> CliWorld::rollouts(
    const agent::CellPlan& plan, std::shared_ptr<memory::MemoryBank> bank,
    const OpContext& /*context*/) {
  const MemoryUse use = use_of(plan.memory);
  if (models_ != nullptr) return make_rollouts(sources_, models_, std::move(bank), use);
  return std::unique_ptr<agent::RolloutMaker>(
      std::make_unique<ToolsAlone>(sources_, use == MemoryUse::Search ? std::move(bank) : nullptr));
}

Result<std::unique_ptr<agent::Extractor>> CliWorld::extractor(const OpContext& /*context*/) {
  if (!extracts_by_model_ || models_ == nullptr) return agent::make_pattern_extractor();
  return agent::make_model_extractor(models_->any());
}

}  // namespace helve::cli
