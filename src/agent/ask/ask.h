// ask: a question to an expert that works with the tools: context from the layer builder, a loop,
// an answer bound to its evidence. Everything is given with the call; there is no configuration
// behind.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/loops/agent_run.h"
#include "toolkit/context/context_builder.h"
#include "toolkit/tools/toolkit.h"

namespace helve::agent {

enum class Loop : std::uint8_t { React, Rlm };
std::string_view name_of(Loop loop);  // "react"
Result<Loop> read_loop(std::string_view name);

struct AskRequest {
  std::string question;
  std::string source;  // asked first; empty: the first the caller may see
  Loop loop = Loop::React;
  context::ContextRequest context;  // layers and budgets; its task is the question
  ContextHints hints;
  RunLimits limits;
  std::string signature;  // RLM; empty: the usual one
  // Turns of a conversation before this question, oldest first.
  std::vector<llm::Message> history;
  // RunResult::handles of these turns: an answer may rest on them too.
  std::vector<std::string> earlier_handles;
  // That procedures (L2) come from; null: that of the toolkit, where the caller may search it.
  std::optional<memory::MemoryReader> lessons;
  ReplyForm reply_form = ReplyForm::Handles;  // ReAct
  std::vector<std::string> more_tools;        // as in RunRequest
};

struct AskResult {
  RunResult run;
  context::BuiltContext context;
  // How many events of each kind there were, by name, in the order of their first.
  std::vector<std::pair<std::string, std::uint64_t>> events;
  // {content, query, structured_artifacts, tools_used, events, usage, stop_reason, ...}
  JsonValue to_json() const;
};

AskResult ask(const AskRequest& request, const RunParts& parts, const OpContext& context);

}  // namespace helve::agent
