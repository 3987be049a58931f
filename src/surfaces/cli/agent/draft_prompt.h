// A draft at a terminal: shown, asked about, edited. reflect_command.cc uses it.
#pragma once

#include <cstdint>
#include <functional>
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
using TextReader = std::function<Result<void>(const std::string& text)>;
// Hands what $VISUAL, $EDITOR or vi made of the text to `read`; where that fails, says why and
// opens the editor again, with the text as it was written, until nothing is changed any more.
// Unavailable where the editor failed. What was written and not read stays in a file, which the
// error names.
Result<void> edit_text(const std::string& text, const TextReader& read, CommandContext& context);

}  // namespace helve::cli
