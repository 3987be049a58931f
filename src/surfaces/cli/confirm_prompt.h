// The question before a change, on a terminal.
#pragma once

#include "surfaces/cli/command.h"
#include "toolkit/policy/policy.h"

namespace helve::cli {

// Whether there is a person to ask: standard input and standard error are a terminal.
bool can_ask_person(const CommandContext& context);

// Only "y" or "yes" is a yes; anything else, the end of the input, Ctrl-C (which ends the
// program or, in a run of an agent, leaves the question open), and no answer until the question
// expires are a no. Bytes that were typed before the question are ignored.
toolkit::PersonAnswer ask_on_terminal(const toolkit::ConfirmationRequest& request,
                                      const OpContext& op, const CommandContext& context);

// What an answer means; it may have its line end.
bool is_yes(std::string_view answer);

}  // namespace helve::cli
