// Attempts at one task: rollouts, each with tools, model and trajectory of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/learn/learn.h"

namespace helve::agent {

struct Attempt {
  std::string trajectory;  // its file, relative to the folder
  RunResult run;
  std::vector<std::string> injected;        // ids of lessons in its context
  std::vector<learning::Failure> failures;  // of calls, bounded
  std::vector<std::string> failed_queries;  // beside them; "" where the call had none
  std::uint64_t failed_calls = 0;           // all of them
  // Why it says nothing of the task: no rollout, no model, no trajectory. Cancelled likewise.
  std::optional<Error> error;
};

// The same for the same seed, task and rollout, whatever else there is.
std::uint64_t seed_of(std::uint64_t seed, const std::string& task, std::size_t rollout);

// All rollouts of a task, at most LearnOptions::parallel at once. `number` is that of the task in
// its set, from 1. A trajectory of an earlier attempt is replaced.
std::vector<Attempt> run_attempts(const TaskCase& task, std::size_t number,
                                  const LearnOptions& options, const LearnParts& parts,
                                  const OpContext& context);

// Adds an event to the trajectory of a run that has ended. `key` says which events of the kind are
// the same: one that is there already is not added again; empty: all are.
Result<void> add_to_trajectory(const std::filesystem::path& path, EventKind kind,
                               const JsonValue& body, std::string_view key,
                               const LearnOptions& options, Env& env);

}  // namespace helve::agent
