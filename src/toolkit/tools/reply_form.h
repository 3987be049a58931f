// One form of a reply within its budget. reply.h has both and what goes into them.
#pragma once

#include <cstdint>
#include <string>

#include "sources/rdf/prefix_map.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/shown_text.h"

namespace helve::toolkit {

struct FormedReply {
  std::string text;
  std::uint64_t rows_shown = 0;  // items of the longest list
};

// Facts and lists of an error stand inside an object "error".
enum class ReplyKind : std::uint8_t { Answer, Error };

// At most `budget` characters. REQUIRES: budget >= kCharsMin.
FormedReply form_reply(const Reply& reply, const ReplyFrame& frame, ReplyKind kind, ReplyForm form,
                       std::size_t budget, const rdf::PrefixMap& prefixes);

}  // namespace helve::toolkit
