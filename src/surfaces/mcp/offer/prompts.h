// Prompts: how an expert would brief an agent on these tools.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/json.h"
#include "surfaces/mcp/server/offer.h"
#include "toolkit/skills/skill_set.h"

namespace helve::mcp {

struct PromptSource {
  std::string name;
  bool is_database = false;
};

// Those that fit the kinds of sources there are. `skills`: null where the caller may not read any.
std::vector<std::string> list_prompts(Revision revision, const std::vector<PromptSource>& sources,
                                      const toolkit::SkillSet* skills);
bool has_prompt(std::string_view name);
// The names that its argument `source` may have.
std::vector<std::string> sources_of_prompt(std::string_view name,
                                           const std::vector<PromptSource>& sources);

// nullopt: there is no such prompt. `sources` are those there are. Arguments are texts of people:
// they stand between marks that they cannot contain.
std::optional<Outcome> make_prompt(std::string_view name, const JsonValue& arguments,
                                   const std::vector<PromptSource>& sources,
                                   const toolkit::SkillSet* skills, Random& random);

}  // namespace helve::mcp
