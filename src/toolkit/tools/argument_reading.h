// Reading one argument as its parameter wants it, forgivingly. Neighbour of binding.cc, which finds
// out which argument is for which parameter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "toolkit/tools/tool.h"

namespace helve::toolkit {

// nullopt: as good as not given (null, an empty list). Warnings say how it was read where it could
// be read in two ways. InvalidInput says what was met, what is expected and gives an example.
Result<std::optional<Arguments::Value>> read_argument(const Parameter& parameter,
                                                      const JsonValue& given,
                                                      std::vector<std::string>& warnings);

// A value or a name as messages show it: short, on one line.
std::string brief_text(std::string_view text);
std::string brief_json(const JsonValue& value);

}  // namespace helve::toolkit
