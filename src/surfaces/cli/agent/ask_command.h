// helve ask and helve chat: questions to a model that works with the tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/ask/model_choice.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/tool_session.h"

namespace helve::cli {

// What both take.
struct AgentOptions {
  ToolSessionOptions session;
  std::string loop = "react";
  agent::ModelWords models;
  std::string signature;           // of rlm; empty: the usual one
  bool is_without_source = false;  // meant so: no --source is no mistake
  std::string layers = "all";
  std::string budget = "full";
  std::string hints;  // file of JSON or TOML
  std::optional<std::uint64_t> steps_max;
  std::optional<std::uint64_t> calls_max;
  std::optional<std::uint64_t> tokens_max;
  std::optional<std::uint64_t> output_max;  // tokens of one answer of the model
  std::optional<double> cost_max;
  std::string time;        // of one question; empty: the default
  std::string trajectory;  // file; empty: none
  bool has_times = true;
  bool is_streaming = false;
};

struct AskOptions {
  AgentOptions agent;
  std::string question;  // "-": standard input
  bool is_json = false;
  bool is_dry_run = false;  // shows what would be sent, and asks nobody
};

inline constexpr std::size_t kHistoryChars = 20'000;

struct ChatOptions {
  AgentOptions agent;
  std::size_t history_chars = kHistoryChars;
  bool is_json = false;
};

// LimitExceeded where a limit ended the run (what there is of an answer is shown), Unavailable
// where it failed, Denied where the model's server refused the key, Cancelled; NotFound where no
// model is configured, InvalidInput for what makes no sense.
Result<void> run_ask(const AskOptions& options, CommandContext& context);
// A conversation at a prompt; without a terminal, lines of standard input. The first failure, after
// everything was asked.
Result<void> run_chat(const ChatOptions& options, CommandContext& context);

}  // namespace helve::cli
