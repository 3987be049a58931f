// Rollouts of a command: sources and model are opened once, every run has tools and handles of its
// own. For helve learn and helve experiment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/learn/learn.h"
#include "agent/llm/provider_settings.h"
#include "surfaces/cli/any_source.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

// What a run may know of a bank.
enum class MemoryUse : std::uint8_t {
  None,
  Lessons,  // in its context (L2); tools of the memory are not there
  Search,   // by tools that read it (and in its context, where the request has L2)
};

// A toolkit with all sources, for one run or for a judge.
struct Workplace {
  std::unique_ptr<toolkit::Toolkit> toolkit;
  toolkit::Caller caller;
  std::string source;  // that is asked first
};

// Thread-safe once it is open. Runs change nothing: sources are opened for reading, policies are
// made read-only, and no tool writes into a bank.
class RolloutSources {
 public:
  // Of the options, session and bank do not count: handles live in memory. InvalidInput where there
  // is no source.
  static Result<std::shared_ptr<RolloutSources>> open(const ToolSessionOptions& options,
                                                      CommandContext& context);

  // With a bank, its reading tools are there. Handles begin at results_0.
  Result<Workplace> make_workplace(std::shared_ptr<memory::MemoryBank> bank) const;
  // Of the first source.
  agent::LessonOrigin origin(const OpContext& op) const;
  const std::vector<std::string>& names() const { return names_; }
  // Keeps what was loaded in the cache. Call it once, at the end.
  void finish(const OpContext& op) const;

 private:
  explicit RolloutSources(Env& env) : env_(env) {}
  Result<void> settle(const ToolSessionOptions& options, CommandContext& context);
  Result<void> open_all(const ToolSessionOptions& options, CommandContext& context);

  Env& env_;
  opening::Policies policies_;
  toolkit::Caller caller_;
  std::shared_ptr<const toolkit::SkillSet> skills_;
  std::shared_ptr<toolkit::AuditSink> audit_;  // null: none
  std::vector<std::string> names_;
  std::vector<AnySource> sources_;
};

// The model of each run. Thread-safe.
class RolloutModels {
 public:
  // NotFound where none is configured.
  static Result<std::shared_ptr<RolloutModels>> open(const llm::ProviderWords& words, Env& env);

  // One for all; but builtin:rules is another one for each seed.
  Result<std::shared_ptr<llm::Provider>> of_seed(std::uint64_t seed) const;
  llm::Provider& any() const { return *shared_; }
  const llm::ProviderSettings& settings() const { return settings_; }

 private:
  RolloutModels(llm::ProviderSettings settings, std::shared_ptr<llm::Provider> shared, Env& env)
      : settings_(std::move(settings)), shared_(std::move(shared)), env_(env) {}

  const llm::ProviderSettings settings_;
  const std::shared_ptr<llm::Provider> shared_;
  Env& env_;
};

// builtin:rules calls tools, and does nothing else that a model can.
bool is_rules(const llm::Provider& model);
// InvalidInput where that is what shall write Python.
Result<void> check_loop_of(const llm::Provider& model, agent::Loop loop);

// `bank` may be null.
std::unique_ptr<agent::RolloutMaker> make_rollouts(std::shared_ptr<const RolloutSources> sources,
                                                   std::shared_ptr<const RolloutModels> models,
                                                   std::shared_ptr<memory::MemoryBank> bank,
                                                   MemoryUse use);

}  // namespace helve::cli
