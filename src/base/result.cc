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

Error::Error(ErrorCode error_code, std::string error_message, std::string error_hint)
    : code(error_code), message(std::move(error_message)), hint(std::move(error_hint)) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error& Error::at(std::string document_name, TextPosition place) & {
  document = std::move(document_name);
  position = place;
  return *this;
}

Error&& Error::at(std::string document_name, TextPosition place) && {
  return std::move(at(std::move(document_name), place));
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
