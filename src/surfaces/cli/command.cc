#include "surfaces/cli/command.h"

#include <cstdio>

#include "base/text.h"

namespace helve::cli {

namespace {

void print_line(const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); }

}  // namespace

void CommandContext::note(std::string_view text) const {
  if (!is_quiet) print_line(err_terminal.styled(Style::Dim, escape_for_terminal(text)) + "\n");
}

void CommandContext::warn(std::string_view text) const {
  print_line(err_terminal.styled(Style::Warning, escape_for_terminal(text)) + "\n");
}

Result<void> CommandContext::show(std::string_view text) {
  HELVE_TRY(out.write(text));
  return out.flush();
}

double ratio(std::uint64_t amount, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(count);
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  return format_count(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

Terminal CommandContext::progress_terminal() const {
  return is_quiet ? Terminal::plain(err_terminal.width()) : err_terminal;
}

}  // namespace helve::cli
