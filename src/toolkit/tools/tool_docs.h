// The document of all tools, made from their declarations. docs/tools.md is what it gives.
#pragma once

#include <string>

#include "toolkit/tools/registry.h"

namespace helve::toolkit {

// Markdown: parameters, return keys and examples of every tool, by category.
std::string tools_markdown(const Registry& registry);

}  // namespace helve::toolkit
