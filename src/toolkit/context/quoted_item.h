// An item of the memory as lines of a prompt: each begins with a mark of quotation, so that nothing
// in it can pass for words of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/memory/item.h"

namespace helve::context {

struct QuotedItem {
  std::vector<std::string> lines;  // without their ends; empty: there is no room for any of it
  std::size_t chars = 0;           // with their ends
};

// "WHAT [id]:" and then title, desc and content, each line behind "> ". What does not fit is cut at
// a sentence or a line, with an ellipsis.
QuotedItem quote_item(const memory::Item& item, std::string_view what, std::size_t chars_max);

}  // namespace helve::context
