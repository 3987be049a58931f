#include "surfaces/cli/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace helve::cli {

namespace {

constexpr std::size_t kWidthUnknown = 80;
constexpr std::size_t kWidthMin = 40;

std::string_view code_of(Style style) {
  switch (style) {
    case Style::Plain:
      return "";
    case Style::Bold:
      return "1";
    case Style::Dim:
      return "2";
    case Style::Error:
      return "1;31";
    case Style::Warning:
      return "33";
    case Style::Good:
      return "32";
    case Style::Accent:
      return "36";
  }
  return "";
}

bool is_environment_colorful() {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

}  // namespace

Terminal Terminal::of(int fd, ColorChoice choice) {
  const bool is_interactive = ::isatty(fd) == 1;
  const bool has_colors =
      choice == ColorChoice::Always ||
      (choice == ColorChoice::Auto && is_interactive && is_environment_colorful());
  std::size_t width = kWidthUnknown;
  winsize size{};
  std::size_t height = kHeightUnknown;
  if (is_interactive && ::ioctl(fd, TIOCGWINSZ, &size) == 0) {
    if (size.ws_col > 0) width = size.ws_col;
    if (size.ws_row > 0) height = size.ws_row;
  }
  return {is_interactive, has_colors, std::max(width, kWidthMin), height};
}

std::string Terminal::styled(Style style, std::string_view text) const {
  if (!has_colors_ || style == Style::Plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(style), text);
}

}  // namespace helve::cli
