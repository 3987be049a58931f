// builtin:rules: an agent without a model. It reads what it is given (system prompt, context,
// lessons, replies of tools) as a model would, and answers with calls of tools by fixed rules. It
// knows no data and no schema: what is not in the conversation it does not know.
#pragma once

#include <cstdint>
#include <memory>

#include "agent/llm/provider.h"

namespace helve::llm {

struct RulesOptions {
  // Where two ways are as good as each other, the seed decides: rollouts of one task differ.
  std::uint64_t seed = 0;
};

// A function of the request and the seed alone: the same conversation gives the same answer. It
// costs nothing; its usage is estimated from characters, so that contexts can be compared.
std::shared_ptr<Provider> make_rules_provider(const RulesOptions& options = {});

}  // namespace helve::llm
