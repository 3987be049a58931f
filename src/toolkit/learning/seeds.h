// What a new bank begins with: strategies and guardrails that hold for any graph or database.
#pragma once

#include <vector>

#include "base/op_context.h"
#include "toolkit/memory/repository.h"

namespace helve::learning {

// Of source Seed and general scope, checked, with their ids; always the same.
const std::vector<memory::Item>& seed_items();

// One change. What is there already stays as it is, and what was retracted stays away.
Result<memory::AddReport> add_seeds(memory::MemoryRepository& bank, const OpContext& context);

}  // namespace helve::learning
