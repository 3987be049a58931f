// How tools are told of in words: signatures, types, defaults. For listings and documents.
#pragma once

#include <string>
#include <string_view>

#include "toolkit/tools/tool.h"

namespace helve::toolkit {

std::string_view name_of(ParameterType type);  // "text", "integer", "handle"

// A default as it is written in a call: 100, true, overview.
std::string default_text(const Parameter& parameter);

// "sparql_slice(result, offset=0, limit=100, columns?)".
std::string signature_of(const Tool& tool);
// Only what a call cannot do without: "sparql_slice(result, ...)".
std::string short_signature_of(const Tool& tool);
// The same with types, choices and caps: "limit: integer=100 (1 to 1,000)".
std::string long_signature_of(const Tool& tool);

// Up to the first full stop.
std::string first_sentence(std::string_view text);

}  // namespace helve::toolkit
