// Result and Error: how every fallible function of Helve reports. The closest neighbour is check.h,
// which is for our own bugs; everything that input can cause ends here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace helve {

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

// For callers that distinguish causes of one code. Never shown.
enum class ErrorReason : std::uint8_t {
  None,
  OutputClosed,      // the reader of our output has closed it
  Locked,            // another process holds the file
  Corrupt,           // the file is damaged
  Expired,           // it was there, and was dropped
  UndeclaredPrefix,  // of a query
  DeniedByPolicy,    // a rule for tables forbids a change
};

// The public name of a code: "invalid_input", "limit_exceeded", ...
std::string_view error_code_name(ErrorCode code);

// A place in a text, both counted from 1; columns count Unicode characters.
struct TextPosition {
  std::uint64_t line = 1;
  std::uint64_t column = 1;

  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

// What went wrong, for a reader who will try again: what was met, what was expected, what to do.
// Message and hint are in our own words; code that distinguishes causes looks at the reason.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  ErrorReason reason = ErrorReason::None;
  std::string message;
  std::string hint;  // what to do about it; may be empty
  // What a server, a file or a source says. Models see it only where data is marked as such.
  std::string detail;
  std::vector<std::string> suggestions;  // known names, the nearest first
  std::string document;                  // the file or text the position is in; may be empty
  std::optional<TextPosition> position;

  // Out of line: nearly every function has code that makes, moves and destroys errors.
  Error(ErrorCode error_code, std::string error_message, std::string error_hint = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  Error& at(std::string document_name, TextPosition place) &;
  Error&& at(std::string document_name, TextPosition place) &&;

  Error& because(ErrorReason error_reason) &;
  Error&& because(ErrorReason error_reason) &&;

  Error& with_detail(std::string text) &;
  Error&& with_detail(std::string text) &&;
  // The message has words of a source: it becomes the detail, and `own_message` takes its place.
  Error& restate(std::string own_message) &;
  Error&& restate(std::string own_message) &&;

  // "message: detail", for people and logs.
  std::string full_message() const;
  // "hint; did you mean a, b?", where there are suggestions.
  std::string full_hint() const;
  // "data.ttl:3:17: expected '.' ... (hint)", on one line, with every field.
  std::string to_string() const;
};

// A value or an Error. Use HELVE_TRY / HELVE_ASSIGN to pass errors up.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Error error)  // NOLINT(google-explicit-constructor): return Error{...} must work
      : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

// Passes an error up; drops the value.
#define HELVE_TRY(expression)                                           \
  do {                                                                  \
    if (auto helve_result = (expression); !helve_result) [[unlikely]] { \
      return std::move(helve_result).error();                           \
    }                                                                   \
  } while (false)

#define HELVE_CONCAT_INNER(a, b) a##b
#define HELVE_CONCAT(a, b) HELVE_CONCAT_INNER(a, b)

// HELVE_ASSIGN(auto x, compute()): declares x from the value, or passes the error up.
#define HELVE_ASSIGN(declaration, expression)                        \
  auto HELVE_CONCAT(helve_result_, __LINE__) = (expression);         \
  if (!HELVE_CONCAT(helve_result_, __LINE__)) [[unlikely]] {         \
    return std::move(HELVE_CONCAT(helve_result_, __LINE__)).error(); \
  }                                                                  \
  declaration = *std::move(HELVE_CONCAT(helve_result_, __LINE__))

}  // namespace helve
