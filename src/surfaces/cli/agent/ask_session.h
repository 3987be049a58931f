// AskSession: model, tools and trajectory of `helve ask` and `helve chat`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/ask/ask.h"
#include "surfaces/cli/agent/ask_command.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

// What a run tells and is told while it goes; each may be empty.
struct AskHooks {
  std::function<void(const agent::RunEvent&)> on_event;
  std::function<agent::Steering()> steering;  // before every step
  std::function<void(bool)> on_wait;          // a model is asked, and has answered
};

// What could not be written.
struct LostRecords {
  std::optional<Error> trajectory;
  std::optional<Error> record;
};

class AskSession {
 public:
  // The model is settled first: without one nothing is opened.
  static Result<std::unique_ptr<AskSession>> open(const AgentOptions& options,
                                                  CommandContext& context);
  // The same with a model of the caller's, and without a trajectory.
  static Result<std::unique_ptr<AskSession>> open_with(std::shared_ptr<llm::Provider> model,
                                                       const AgentOptions& options,
                                                       CommandContext& context);

  // Within the cancellation and the deadline of the command.
  agent::AskResult ask(const std::string& question, std::vector<llm::Message> history,
                       const AskHooks& hooks);

  ToolSession& tools() { return *tools_; }
  // "qwen3 at localhost".
  std::string model_words() const;
  // Whether handles outlive the process.
  bool is_kept() const { return is_kept_; }
  // Ends the trajectory. Once.
  LostRecords end_records();
  // Keeps what was loaded.
  void finish() { tools_->finish(); }

 private:
  explicit AskSession(CommandContext& context) : context_(context) {}
  Result<void> open_tools(const AgentOptions& options);

  CommandContext& context_;
  agent::AskRequest request_;  // but for the question; with the handles of earlier turns
  agent::ChosenModels models_;
  std::unique_ptr<ToolSession> tools_;
  std::unique_ptr<agent::TrajectorySink> trajectory_;
  bool is_kept_ = false;
};

// Each as a warning.
void tell_lost(const LostRecords& lost, const CommandContext& context);

// The limits that the options name; others stay.
Result<void> read_limits(const AgentOptions& options, agent::RunLimits& limits);

// The request that the options make, without a question. InvalidInput says what is wrong.
Result<agent::AskRequest> read_ask_request(const AgentOptions& options, CommandContext& context);

// InvalidInput for a question that is empty or not UTF-8; without the blanks at its end.
Result<std::string> checked_question(std::string question);

// What the run comes to as the status of a command. The words were shown already.
Result<void> status_of(const agent::RunResult& run);

}  // namespace helve::cli
