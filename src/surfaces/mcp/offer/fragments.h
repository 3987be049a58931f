// Fragments: short pieces of advice that another agent's prompt can take in as they are.
#pragma once

#include <span>
#include <string_view>

namespace helve::mcp {

struct Fragment {
  std::string_view name;  // "sparql", "postgresql"
  std::string_view title;
  std::string_view text;  // Markdown
};

std::span<const Fragment> fragments();
const Fragment* find_fragment(std::string_view name);  // null where there is none

}  // namespace helve::mcp
