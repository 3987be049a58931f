// Answers of tools as the plain values of Python: JSON without RDF in it. Neighbour:
// python_tools.h, which makes functions of the tools.
#pragma once

#include "base/json.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/toolkit.h"

namespace helve::python_tools {

// Rows as objects by the names of their columns; items of a list without columns as they are.
JsonValue items_of(const toolkit::ReplyList& list);

// All of a reply, under the keys of its structured form, and nothing of it shortened.
JsonValue object_of(const toolkit::Reply& reply, const toolkit::CallOutcome& outcome);

}  // namespace helve::python_tools
