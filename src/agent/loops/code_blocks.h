// Python in the answer of a model: blocks between ```python (or ```repl, ```py) and ```, indented
// or in a list too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::agent {

// Of one answer; the rest is told of, and not run.
inline constexpr std::size_t kBlocksMax = 20;

struct CodeBlocks {
  std::vector<std::string> blocks;
  std::size_t left_out = 0;  // beyond kBlocksMax
  bool is_open = false;      // the last was not closed: it is none of the blocks
  std::string prose;         // what is no Python, without blanks around it
};

CodeBlocks find_code(std::string_view text);

}  // namespace helve::agent
