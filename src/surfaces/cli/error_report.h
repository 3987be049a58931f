// Errors as people see them: message, hint, and the place in the file with a caret under it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "surfaces/cli/terminal.h"

namespace helve::cli {

// The line at `position` of `text`, cut to `width` columns around it, and a caret below; nullopt
// when the text has no such place or it is not readable text.
std::optional<std::string> excerpt(std::string_view text, TextPosition position, std::size_t width);

// A text that errors can point into and that is no file: a query given as an argument.
struct ShownText {
  std::string name;  // as in Error::document; empty: there is none
  std::string text;
};

// On standard error.
void report_error(const Error& error, const Terminal& terminal, const ShownText& shown = {});
// A wrong command line. `command` is empty when none was recognised.
void report_usage_error(std::string_view message, std::string_view command);

}  // namespace helve::cli
