// A stored result as the reply of the tool that made it: sparql_query and result_sql answer alike.
#pragma once

#include <cstdint>

#include "toolkit/handles/handle_store.h"
#include "toolkit/tools/reply.h"

namespace helve::toolkit {

// What is known of it, and its first rows: the keys of stored_result_keys() (declare.h).
void show_stored_rows(const Handle& handle, std::uint64_t limit, Reply& reply);

}  // namespace helve::toolkit
