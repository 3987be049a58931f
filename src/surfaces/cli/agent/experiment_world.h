// The sources, models and judges of helve experiment: opened once, used by all cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/experiment/runner.h"
#include "surfaces/cli/agent/rollouts.h"

namespace helve::cli {

class CliWorld final : public agent::ExperimentWorld {
 public:
  // `models` null: for replays, where none is asked. `extracts_by_model`: else by patterns.
  static Result<std::unique_ptr<CliWorld>> open(const ToolSessionOptions& options,
                                                std::shared_ptr<const RolloutModels> models,
                                                bool extracts_by_model, CommandContext& context);

  Result<std::unique_ptr<agent::RolloutMaker>> rollouts(const agent::CellPlan& plan,
                                                        std::shared_ptr<memory::MemoryBank> bank,
                                                        const OpContext& context) override;
  agent::Judge& judge() override { return *judge_; }
  Result<std::unique_ptr<agent::Extractor>> extractor(const OpContext& context) override;
  agent::LessonOrigin origin() const override { return origin_; }

  // Keeps what was loaded in the cache. Call it once, at the end.
  void finish(const OpContext& op) const { sources_->finish(op); }

 private:
  CliWorld() = default;

  std::shared_ptr<const RolloutSources> sources_;
  std::shared_ptr<const RolloutModels> models_;
  bool extracts_by_model_ = false;
  Workplace workplace_;  // of the judge
  std::unique_ptr<agent::Judge> judge_;
  agent::LessonOrigin origin_;
};

}  // namespace helve::cli
