// The parameters of a tool by all their names. Neighbour of binding.cc; schemas and listings use
// the common parameters too.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/tools/tool.h"

namespace helve::toolkit {

// max_chars, output_format and source, which every tool takes.
std::span<const Parameter> common_parameters();

// Whether two parameters of tools are known by each other's names: "n" is another word for "limit".
// Real names win: the caller looks for them first.
bool is_alias_of(const Parameter& parameter, std::string_view name);

// The words by which a call of the tool may name the parameter beside its own name.
std::vector<std::string> aliases_of(const Parameter& parameter, const Tool& tool);

// Parameters of the tool and the common ones that it does not declare itself.
std::vector<const Parameter*> all_parameters(const Tool& tool);

}  // namespace helve::toolkit
