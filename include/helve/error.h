// Error and Result: how every function of Helve that can fail reports. Nothing throws. Plain
// values: of one object, one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "helve/export.h"

namespace helve::api {

// The seven closed codes. The value is also the exit status of the command line.
enum class ErrorCode : std::uint8_t {
  Internal = 1,
  InvalidInput = 2,
  NotFound = 3,
  Denied = 4,
  LimitExceeded = 5,
  Unavailable = 6,
  Cancelled = 7,
};

// "invalid_input", "limit_exceeded", ...
HELVE_API std::string_view error_code_name(ErrorCode code);

// What went wrong: what was met, what was expected, and what to do about it.
struct HELVE_API Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;  // with the place, where it is about a text: "data.ttl:3:17: expected ..."
  std::string hint;     // may be empty

  std::string to_string() const;  // "message (hint)"
};

// Ends the process: the value of a failed Result was asked for.
[[noreturn]] HELVE_API void stop_without_value(const Error& error);

// A value or an Error. Ask has_value() first: taking the value of a failed one ends the process, as
// does taking the error of one that has a value.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    check();
    return *std::get_if<0>(&content_);
  }
  const T& value() const& {
    check();
    return *std::get_if<0>(&content_);
  }
  T&& value() && {
    check();
    return std::move(*std::get_if<0>(&content_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    if (has_value()) stop_without_value({ErrorCode::Internal, "the result has no error", {}});
    return *std::get_if<1>(&content_);
  }

 private:
  void check() const {
    if (!has_value()) stop_without_value(*std::get_if<1>(&content_));
  }

  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    if (!error_) stop_without_value({ErrorCode::Internal, "the result has no error", {}});
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace helve::api
