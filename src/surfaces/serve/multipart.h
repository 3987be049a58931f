// The parts of a body of the type multipart/form-data. https://www.rfc-editor.org/rfc/rfc7578
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::serve {

struct FormPart {
  std::string name;          // of the file, or of the field
  std::string content_type;  // the header; empty: there is none
  std::string_view text;     // of the body
};

inline constexpr std::size_t kFormPartsMax = 1'000;

// InvalidInput: not of that form. LimitExceeded: more than kFormPartsMax parts.
Result<std::vector<FormPart>> read_form_parts(std::string_view body, std::string_view boundary);

}  // namespace helve::serve
