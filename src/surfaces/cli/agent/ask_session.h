// AskSession: model, tools and trajectory of `helve ask` and `helve chat`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/ask/ask.h"
#include "surfaces/cli/agent/ask_command.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

class AskSession {
 public:
  // The model is settled first: without one nothing is opened.
  static Result<std::unique_ptr<AskSession>> open(const AgentOptions& options,
                                                  CommandContext& context);

  // Within the cancellation and the deadline of the command.
  agent::AskResult ask(const std::string& question, std::vector<llm::Message> history,
                       const std::function<void(const agent::RunEvent&)>& on_event);

  ToolSession& tools() { return *tools_; }
  llm::Provider& model() { return *model_; }
  // Ends the trajectory, whose failure is told, and keeps what was loaded.
  void finish();

 private:
  explicit AskSession(CommandContext& context) : context_(context) {}

  CommandContext& context_;
  agent::AskRequest request_;  // but for the question; with the handles of earlier turns
  std::shared_ptr<llm::Provider> model_;
  std::unique_ptr<ToolSession> tools_;
  std::unique_ptr<agent::TrajectorySink> trajectory_;
};

// The request that the options make, without a question. InvalidInput says what is wrong.
Result<agent::AskRequest> read_ask_request(const AgentOptions& options, CommandContext& context);

// What the run comes to as the status of a command. The words were shown already.
Result<void> status_of(const agent::RunResult& run);

}  // namespace helve::cli
