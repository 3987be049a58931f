// A draft at a terminal: shown, asked about, edited. reflect_command.cc uses it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/reflect/reflection.h"
#include "surfaces/cli/command.h"

namespace helve::cli {

// The item as it would be stored, and what the bank has of the kind.
std::string shown_draft(const memory::Item& item, const std::vector<agent::SimilarItem>& similar,
                        const Terminal& terminal);

enum class DraftWord : std::uint8_t { Approve, Edit, Reject };
// A line of standard input: a, e or r, or the whole word; others are asked again. The end of the
// input is a rejection.
Result<DraftWord> ask_about_draft(CommandContext& context);

// Whether there is an editor to open: one is named, or there is a person at a terminal.
bool has_editor(const CommandContext& context);
// The text as it is after $VISUAL, $EDITOR or vi was done with it. Unavailable where it failed.
Result<std::string> edit_text(const std::string& text, CommandContext& context);

}  // namespace helve::cli
