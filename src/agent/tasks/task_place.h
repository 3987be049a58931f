// Where a task stands in a JSON document: values that were read do not know it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace helve::agent {

// Of an element of the list "tasks", from 0; nullopt where there is none. REQUIRES: a document that
// parse_json() takes.
std::optional<TextPosition> place_of_task(std::string_view text, std::size_t index);

}  // namespace helve::agent
