#include "surfaces/cli/confirm_prompt.h"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/ascii.h"
#include "base/text.h"
#include "base/wait_fd.h"

namespace helve::cli {

namespace {

constexpr std::size_t kAnswerMax = 64;  // bytes; a longer one is none

// The terminal gives whole lines.
std::string read_line(const OpContext& op) {
  std::string line;
  while (line.size() < kAnswerMax && (line.empty() || line.back() != '\n')) {
    const auto ready = wait_for_fd(STDIN_FILENO, /*wants_read=*/true, /*wants_write=*/false, op);
    if (!ready) return {};
    std::array<char, kAnswerMax> bytes;
    const ::ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count <= 0) return {};
    line.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return line;
}

// Each line made safe by itself: the breaks between them are ours.
std::string safe_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += "  " + escape_for_terminal(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

bool is_yes(std::string_view answer) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!answer.empty() && is_blank(answer.front())) answer.remove_prefix(1);
  while (!answer.empty() && is_blank(answer.back())) answer.remove_suffix(1);
  return is_same_in_any_case(answer, "y") || is_same_in_any_case(answer, "yes");
}

bool can_ask_person(const CommandContext& context) {
  return ::isatty(STDIN_FILENO) == 1 && context.err_terminal.is_interactive();
}

toolkit::PersonAnswer ask_on_terminal(const toolkit::ConfirmationRequest& request,
                                      const OpContext& op, const CommandContext& context) {
  static_cast<void>(::tcflush(STDIN_FILENO, TCIFLUSH));
  const std::string question =
      safe_lines(request.question) +
      context.err_terminal.styled(Style::Warning, "Make this change? [y/N] ");
  std::fwrite(question.data(), 1, question.size(), stderr);
  std::fflush(stderr);
  OpContext within = op;
  const auto left =
      std::chrono::duration_cast<Duration>(request.expires - context.env.clock().wall());
  if (op.deadline.is_never() || left < op.deadline.remaining()) {
    within.deadline = Deadline(context.env.clock(), left);
  }
  const std::string answer = read_line(within);
  if (answer.empty()) std::fputs("\n", stderr);
  const bool is_late = within.deadline.remaining() <= Duration::zero();
  if (is_yes(answer)) return {true, {}};
  return {false, is_late ? "nobody answered in time" : ""};
}

}  // namespace helve::cli
