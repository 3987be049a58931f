#include "helve/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/result.h"
#include "surfaces/api/state.h"

namespace helve::api {

std::string_view error_code_name(ErrorCode code) {
  return helve::error_code_name(static_cast<helve::ErrorCode>(code));
}

std::string Error::to_string() const {
  return hint.empty() ? message : fmt::format("{} ({})", message, hint);
}

void stop_without_value(const Error& error) {
  std::fputs(
      fmt::format("helve: the value of a failed result was taken: {}\n", error.to_string()).c_str(),
      stderr);
  std::abort();
}

Error to_public(const helve::Error& error) {
  // The place goes into the message; the hint stays apart.
  helve::Error placed = error;
  placed.hint.clear();
  placed.suggestions.clear();
  return {static_cast<ErrorCode>(error.code), placed.to_string(), error.full_hint()};
}

}  // namespace helve::api
