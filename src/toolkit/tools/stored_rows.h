// A stored result as the reply of the tool that made it: sparql_query and result_sql answer alike.
#pragma once

#include <cstdint>

#include "toolkit/handles/handle_store.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

// Characters of a preview whose rest is behind its handle: two fifths of the reply, where the call
// did not say how many rows it wants to see.
std::size_t preview_chars(const ToolCall& call);

// What is known of it, and its first rows: the keys of stored_result_keys() (declare.h).
void show_stored_rows(const Handle& handle, std::uint64_t limit, const ToolCall& call,
                      Reply& reply);

}  // namespace helve::toolkit
