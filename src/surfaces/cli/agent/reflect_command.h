// helve reflect: a person looks back at a recorded run, and keeps a lesson of it.
#pragma once

#include <string>

#include "surfaces/cli/agent/ask_command.h"
#include "surfaces/cli/agent/trajectory_command.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/memory_command.h"

namespace helve::cli {

struct ReflectOptions {
  TrajectoryOptions trajectory;
  std::string hint;
  std::string compare;  // another trajectory
  std::string refine;   // id of an item
  std::string verdict;
  MemoryFields fields;
  std::string reference;  // of the task, for reruns
  bool is_edited = false;
  bool is_by_hand = false;
  bool is_approved = false;
  bool is_rerun = false;
  bool is_json = false;  // with is_approved: nobody is asked
  AgentOptions agent;    // model, sources and bank
};

// A rejected draft is no failure. InvalidInput where it cannot be stored as it is and nobody can be
// asked.
Result<void> run_reflect(const ReflectOptions& options, CommandContext& context);

}  // namespace helve::cli
