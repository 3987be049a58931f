// Names and texts of errors.
#include "base/result.h"

#include <fmt/format.h>

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

Error& Error::because(ErrorReason error_reason) & {
  reason = error_reason;
  return *this;
}

Error&& Error::because(ErrorReason error_reason) && { return std::move(because(error_reason)); }

Error& Error::with_detail(std::string text) & {
  detail = std::move(text);
  return *this;
}

Error&& Error::with_detail(std::string text) && { return std::move(with_detail(std::move(text))); }

Error& Error::restate(std::string own_message) & {
  detail = full_message();
  message = std::move(own_message);
  return *this;
}

Error&& Error::restate(std::string own_message) && {
  return std::move(restate(std::move(own_message)));
}

std::string Error::full_message() const {
  return detail.empty() ? message : message + ": " + detail;
}

std::string Error::full_hint() const {
  if (suggestions.empty()) return hint;
  return fmt::format("{}{}did you mean {}?", hint, hint.empty() ? "" : "; ",
                     fmt::join(suggestions, ", "));
}

std::string Error::to_string() const {
  std::string text;
  if (!document.empty()) text += document + ":";
  if (position) text += fmt::format("{}:{}:", position->line, position->column);
  if (!text.empty()) text += " ";
  text += full_message();
  if (const std::string told = full_hint(); !told.empty()) text += " (" + told + ")";
  return text;
}

}  // namespace helve
