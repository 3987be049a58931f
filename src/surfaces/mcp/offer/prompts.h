// Prompts: how an expert would brief an agent on these tools.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/json.h"
#include "surfaces/mcp/server/offer.h"

namespace helve::mcp {

std::vector<std::string> list_prompts(Revision revision);
bool has_prompt(std::string_view name);

// nullopt: there is no such prompt. `sources` are the names there are. Arguments are texts of
// people: they stand between marks that they cannot contain.
std::optional<Outcome> make_prompt(std::string_view name, const JsonValue& arguments,
                                   const std::vector<std::string>& sources, Random& random);

}  // namespace helve::mcp
