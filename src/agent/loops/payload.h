// What tools answer that know no handles: everything at once. For measuring what handles save.
#pragma once

#include <string>

#include "base/op_context.h"
#include "toolkit/tools/toolkit.h"

namespace helve::agent {

inline constexpr std::size_t kPayloadChars = 1'000'000;  // of one reply

// All rows, or all of the text, that an outcome stored, and else its reply without the usual
// budget. The data stands between marks. Errors stay as they are.
std::string payload_text(const toolkit::CallOutcome& outcome, toolkit::Toolkit& toolkit,
                         const toolkit::Caller& caller, const OpContext& op);

}  // namespace helve::agent
