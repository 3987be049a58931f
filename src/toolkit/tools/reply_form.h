// One form of a reply within its budget. reply.h has both and what goes into them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sources/rdf/prefix_map.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/shown_text.h"

namespace helve::toolkit {

struct FormedReply {
  std::string text;
  std::uint64_t rows_shown = 0;  // items of the longest list
  std::uint64_t page_shown = 0;  // items of the list that is a page
};

// Facts and lists of an error stand inside an object "error".
enum class ReplyKind : std::uint8_t { Answer, Error };

struct FormRequest {
  const Reply& reply;
  const ReplyFrame& frame;
  ReplyKind kind = ReplyKind::Answer;
  std::size_t budget = kCharsMin;
  const rdf::PrefixMap& prefixes;
  std::span<const Reply::Fact> page_facts;    // in addition
  std::uint64_t page_items_max = UINT64_MAX;  // of the list that is a page
};

// At most `budget` characters. REQUIRES: budget >= kCharsMin.
FormedReply form_reply(const FormRequest& request, ReplyForm form);

}  // namespace helve::toolkit
