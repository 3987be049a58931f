// The cells of an experiment: each is one condition under which all tasks are run. runner.h runs
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/loops/agent_run.h"
#include "base/json.h"
#include "base/result.h"
#include "toolkit/context/context_builder.h"

namespace helve::agent {

enum class MemoryMode : std::uint8_t {
  None,
  Injected,  // lessons in the context (L2); there are no tools of the memory
  Searched,  // by the agent's own calls; nothing is injected
};
std::string_view name_of(MemoryMode mode);  // "injected"

enum class BankStart : std::uint8_t {
  None,  // there is no bank
  Empty,
  Seeds,   // what a new bank begins with, or a bank of the caller
  Learnt,  // what E9 learnt in its first pass of the same repeat
};
std::string_view name_of(BankStart start);  // "seeds"

// One condition. Cells of one experiment differ in what is here and in nothing else.
struct CellPlan {
  std::string id;     // "E7a"
  std::string title;  // "naive tools"
  std::string asks;   // what it is there for, in a sentence
  context::LayerSet layers;
  MemoryMode memory = MemoryMode::None;
  BankStart bank = BankStart::None;
  ReplyForm replies = ReplyForm::Handles;
  bool learns = false;     // E9 to E12
  std::size_t passes = 1;  // over the task list
  std::size_t rollouts = 1;
  bool consolidates = false;
  std::optional<std::uint64_t> bank_max;
};

struct PlanOptions {
  std::size_t rollouts = 3;     // E12
  std::uint64_t bank_max = 20;  // E11
  bool has_own_seeds = false;   // E8 keeps the seeds, though E9 is among the cells
};

// "E1,E7" (E7 is E7a and E7b), "all"; each once, in the order of their numbers. E8 begins with what
// E9 learnt where E9 is among them, else with the seeds. InvalidInput lists them.
Result<std::vector<CellPlan>> plan_cells(std::string_view words, const PlanOptions& options = {});

// For the record.
JsonValue to_json(const CellPlan& plan);

}  // namespace helve::agent
