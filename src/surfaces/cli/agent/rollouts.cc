#include "surfaces/cli/agent/rollouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "sources/store/live/local_factory.h"
#include "surfaces/cli/open_skills.h"
#include "surfaces/cli/worker_program.h"
#include "toolkit/learning/fingerprint.h"

namespace helve::cli {

namespace {

const char* read_variable(const char* name) { return std::getenv(name); }

// Many toolkits write into one audit file.
class SharedAudit final : public toolkit::AuditSink {
 public:
  explicit SharedAudit(std::shared_ptr<toolkit::AuditSink> sink) : sink_(std::move(sink)) {}
  Result<void> check() override { return sink_->check(); }
  Result<void> write(const toolkit::AuditRecord& record) override { return sink_->write(record); }

 private:
  const std::shared_ptr<toolkit::AuditSink> sink_;
};

// What a bank is given is decided by verdicts, never by a run itself.
constexpr std::array<std::string_view, 3> kReadingTools = {"mem_search", "mem_get", "mem_quote"};

bool is_offered(const toolkit::Policy& policy, const std::string& tool) {
  if (policy.allowed_tools && !policy.allowed_tools->contains(tool)) return false;
  return !tool.starts_with("mem_") ||
         std::find(kReadingTools.begin(), kReadingTools.end(), tool) != kReadingTools.end();
}

std::shared_ptr<const toolkit::Policy> reading_policy(const toolkit::Policy& given,
                                                      const toolkit::Registry& registry) {
  toolkit::Policy policy = given;
  policy.read_only = true;
  std::set<std::string> tools;
  for (const toolkit::Tool& tool : registry.tools()) {
    if (is_offered(given, tool.name)) tools.insert(tool.name);
  }
  policy.allowed_tools = std::move(tools);
  return std::make_shared<const toolkit::Policy>(std::move(policy));
}

class CliRollouts final : public agent::RolloutMaker {
 public:
  CliRollouts(std::shared_ptr<const RolloutSources> sources,
              std::shared_ptr<const RolloutModels> models, std::shared_ptr<memory::MemoryBank> bank,
              MemoryUse use)
      : sources_(std::move(sources)),
        models_(std::move(models)),
        bank_(std::move(bank)),
        use_(use) {}

  Result<agent::Rollout> make(std::uint64_t seed, const OpContext& context) override {
    HELVE_TRY(context.check());
    HELVE_ASSIGN(Workplace place,
                 sources_->make_workplace(use_ == MemoryUse::Search ? bank_ : nullptr));
    agent::Rollout rollout;
    rollout.toolkit = std::move(place.toolkit);
    rollout.caller = std::move(place.caller);
    rollout.source = std::move(place.source);
    HELVE_ASSIGN(rollout.model, models_->of_seed(seed));
    if (use_ == MemoryUse::Lessons) rollout.lessons = bank_;
    return rollout;
  }

 private:
  const std::shared_ptr<const RolloutSources> sources_;
  const std::shared_ptr<const RolloutModels> models_;
  const std::shared_ptr<memory::MemoryBank> bank_;
  const MemoryUse use_;
};

}  // namespace

Result<std::shared_ptr<RolloutSources>> RolloutSources::open(const ToolSessionOptions& options,
                                                             CommandContext& context) {
  if (options.sources.empty()) {
    return Error{ErrorCode::InvalidInput, "there is no source to run tasks on",
                 "name one: --source sample:, or --source NAME=URI"};
  }
  std::shared_ptr<RolloutSources> sources(new RolloutSources(context.env));
  HELVE_TRY(sources->settle(options, context));
  HELVE_TRY(sources->open_all(options, context));
  return sources;
}

Result<void> RolloutSources::settle(const ToolSessionOptions& options, CommandContext& context) {
  if (!options.caller.empty()) caller_.identity = options.caller;
  HELVE_ASSIGN(SessionPolicy policy, read_session_policy(options, context));
  policies_ = std::move(policy.policies);
  caller_.policy = std::move(policy.own);
  HELVE_ASSIGN(skills_, open_skills(options.skills, context));
  HELVE_ASSIGN(audit_, opening::open_audit(options.audit, context.env, read_variable));
  return {};
}

Result<void> RolloutSources::open_all(const ToolSessionOptions& options, CommandContext& context) {
  std::vector<opening::NamedSource> named;
  for (const std::string& text : options.sources) {
    named.push_back(opening::read_source(text, context.env.files()));
    names_.push_back(named.back().name);
  }
  HELVE_TRY(policies_.check_sources(names_));
  for (const opening::NamedSource& source : named) {
    HELVE_ASSIGN(AnySource opened, open_any_source(source, {options.uses_cache, false}, context));
    sources_.push_back(std::move(opened));
  }
  return {};
}

Result<Workplace> RolloutSources::make_workplace(std::shared_ptr<memory::MemoryBank> bank) const {
  toolkit::ToolkitOptions made;
  made.worker_program = worker_program();
  made.marks_data = true;
  made.skills = skills_;
  made.bank = std::move(bank);
  Workplace place;
  HELVE_ASSIGN(place.toolkit,
               toolkit::Toolkit::make(std::move(made), env_, store::make_local_factory(env_),
                                      audit_ ? std::make_unique<SharedAudit>(audit_) : nullptr));
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    auto policy = policies_.of_source(names_[i]);
    if (sources_[i].tables != nullptr) {
      HELVE_TRY(place.toolkit->add_source(sources_[i].tables, std::move(policy)));
    } else {
      HELVE_TRY(place.toolkit->add_source(sources_[i].graph, std::move(policy)));
    }
  }
  place.caller = caller_;
  place.caller.policy = reading_policy(*caller_.policy, place.toolkit->registry());
  place.source = names_.front();
  return place;
}

agent::LessonOrigin RolloutSources::origin(const OpContext& op) const {
  agent::LessonOrigin origin;
  origin.domain = names_.front();
  const AnySource& first = sources_.front();
  if (first.tables != nullptr) {
    origin.dialect = first.tables->dialect();
    origin.schema_fingerprint = learning::schema_fingerprint(*first.tables, op).value_or("");
    return origin;
  }
  origin.prefixes = first.graph->prefixes();
  // An endpoint is not asked about itself for this.
  if (!first.graph->info().is_remote) {
    origin.schema_fingerprint = learning::schema_fingerprint(*first.graph, op).value_or("");
  }
  return origin;
}

void RolloutSources::finish(const OpContext& op) const {
  for (const AnySource& source : sources_) source.finish(op);
}

Result<std::shared_ptr<RolloutModels>> RolloutModels::open(const llm::ProviderWords& words,
                                                           Env& env) {
  HELVE_ASSIGN(auto settings, llm::settle_provider(words, env));
  HELVE_ASSIGN(auto shared, llm::open_provider(settings, env));
  return std::shared_ptr<RolloutModels>(
      new RolloutModels(std::move(settings), std::move(shared), env));
}

Result<std::shared_ptr<llm::Provider>> RolloutModels::of_seed(std::uint64_t seed) const {
  // One that was given with the name stays.
  const bool takes_seed =
      settings_.dialect == llm::Dialect::Builtin && settings_.model.find('?') == std::string::npos;
  if (!takes_seed) return shared_;
  llm::ProviderSettings seeded = settings_;
  seeded.model += fmt::format("?seed={}", seed);
  return llm::open_provider(seeded, env_);
}

bool is_rules(const llm::Provider& model) { return model.name() == "builtin"; }

Result<void> check_loop_of(const llm::Provider& model, agent::Loop loop) {
  if (loop == agent::Loop::React || !is_rules(model)) return {};
  return Error{ErrorCode::InvalidInput,
               "builtin:rules calls tools and writes no Python: it has no --loop rlm",
               "use --loop react, or name a model: --provider chat:MODEL@URL"};
}

std::unique_ptr<agent::RolloutMaker> make_rollouts(std::shared_ptr<const RolloutSources> sources,
                                                   std::shared_ptr<const RolloutModels> models,
                                                   std::shared_ptr<memory::MemoryBank> bank,
                                                   MemoryUse use) {
  return std::make_unique<CliRollouts>(std::move(sources), std::move(models), std::move(bank), use);
}

}  // namespace helve::cli
