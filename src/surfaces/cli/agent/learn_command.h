// helve learn: run tasks, judge the answers, draw lessons, store them in a bank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "surfaces/cli/agent/ask_command.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

struct LearnCommandOptions {
  AgentOptions agent;             // its trajectory and streaming do not count
  std::string tasks;              // as read_task_set() takes them
  std::vector<std::string> only;  // as choose_tasks() takes them
  std::size_t tasks_max = 0;      // 0: all
  std::string out;                // folder; empty: beside the bank
  std::size_t rollouts = 1;
  std::size_t parallel = 1;
  std::uint64_t seed = 1;
  bool consolidates = false;
  std::optional<std::uint64_t> bank_max;
  std::optional<std::uint64_t> total_tokens;
  std::optional<double> total_cost;
  std::string total_time;
  bool is_dry_run = false;       // judges alone
  std::string judge_model;       // "chat:MODEL@URL"; empty: by execution alone
  std::string judge_key;         // "env:NAME", "file:PATH"; empty: the usual one, or none
  std::string judge_principles;  // files for that model; empty: none
  std::string judge_episodes;
  std::string extract_model;  // likewise, or "same"; empty: by patterns of queries
  std::string extract_key;
  bool is_json = false;
};

// LimitExceeded where a budget ended it, Unavailable where tasks failed, Cancelled: what is done is
// kept, and the same command goes on. InvalidInput for tasks that nobody can judge.
Result<void> run_learn(const LearnCommandOptions& options, CommandContext& context);

}  // namespace helve::cli
