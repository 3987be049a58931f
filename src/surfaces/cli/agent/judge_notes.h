// What a judge that is a model is given to hold to: a file with a principle, or a judgment of
// before, on each line.
#pragma once

#include <string>
#include <vector>

#include "surfaces/cli/command.h"

namespace helve::cli {

inline constexpr std::size_t kJudgeNotesMax = 20;
inline constexpr std::size_t kJudgeNoteCharsMax = 1'000;

// Blank lines and those that begin with # are left out. None for no name; InvalidInput with the
// line for what is too much or too long.
Result<std::vector<std::string>> read_judge_notes(const std::string& file, CommandContext& context);

}  // namespace helve::cli
