// Where and why a text is not JSON. simdjson finds out at full speed that something is wrong; this
// finds out what, for the error message. Used by json_parse.cc alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve {

struct JsonFault {
  std::size_t offset = 0;
  std::string message;  // "expected ',' or ']', met 'x'"
};

// The first fault by RFC 8259, or nullopt when the grammar is kept (duplicate keys are not its
// business). Not recursive; memory in proportion to the nesting.
std::optional<JsonFault> find_json_fault(std::string_view text);

// True for a number by RFC 8259 section 6.
bool is_json_number(std::string_view text);

// Line and column of a byte offset.
TextPosition text_position(std::string_view text, std::size_t offset);

}  // namespace helve
