// The skills of a command: those of the program, and of the folder that --skills names.
#pragma once

#include <memory>
#include <string>

#include "surfaces/cli/command.h"
#include "toolkit/skills/skill_set.h"

namespace helve::cli {

// Warns of what is broken in the folder. Empty: there is none.
Result<std::shared_ptr<const toolkit::SkillSet>> open_skills(const std::string& folder,
                                                             const CommandContext& context);

}  // namespace helve::cli
