// A draft as a text that a person writes in an editor.
#pragma once

#include <string>
#include <string_view>

#include "toolkit/memory/item.h"

namespace helve::agent {

inline constexpr std::size_t kDraftBytesMax = 64UL * 1024;

// Lines with # at the top tell what it is about (`about`, one line) and how it is filled in; then
// title, desc, tags, domain, and the content up to the end.
std::string draft_text(const memory::Item& item, std::string_view about);

// The item with the texts of the draft. InvalidInput with the line that is wrong, and where there
// is no title.
Result<memory::Item> read_draft(std::string_view text, memory::Item item);

}  // namespace helve::agent
