// Names and texts of errors.
#include "base/result.h"

#include <fmt/core.h>

namespace helve {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::Internal:
      return "internal";
    case ErrorCode::InvalidInput:
      return "invalid_input";
    case ErrorCode::NotFound:
      return "not_found";
    case ErrorCode::Denied:
      return "denied";
    case ErrorCode::LimitExceeded:
      return "limit_exceeded";
    case ErrorCode::Unavailable:
      return "unavailable";
    case ErrorCode::Cancelled:
      return "cancelled";
  }
  return "internal";
}

std::string Error::to_string() const {
  std::string text;
  if (!document.empty()) text += document + ":";
  if (position) text += fmt::format("{}:{}:", position->line, position->column);
  if (!text.empty()) text += " ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

}  // namespace helve
