#include "surfaces/cli/agent/pause_keys.h"

#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <deque>
#include <string_view>

#include "base/utf8_repair.h"
#include "base/wait_fd.h"
#include "surfaces/cli/confirm_prompt.h"

namespace helve::cli {

namespace {

constexpr std::size_t kWordBytesMax = 16 * kKiB;

std::atomic<int> presses = 0;
// Set before the handler is installed: the handler may run at any moment.
std::atomic<const CancelToken*> cancelled_by_key = nullptr;
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<const CancelToken*>::is_always_lock_free);

// Never destroyed, and some older tokens kept: a handler may be about to use one.
void cancel_by_key(const CancelToken& token) {
  constexpr std::size_t kKeptMax = 16;
  static auto& tokens = *new std::deque<CancelToken>();
  cancelled_by_key = &tokens.emplace_back(token);
  if (tokens.size() > kKeptMax) tokens.pop_front();
}

extern "C" void handle_key(int /*number*/) {
  constexpr std::string_view kMessage =
      "\nthe run stops before its next step; Ctrl-C once more ends it\n";
  if (presses.fetch_add(1) > 0) return cancelled_by_key.load()->cancel();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
}

// Without its end; empty where the terminal has gone or the run was ended, which `op` tells.
std::string read_key_line(const OpContext& op, bool& is_closed) {
  std::string line;
  while (line.size() < kWordBytesMax) {
    if (!wait_for_fd(STDIN_FILENO, /*wants_read=*/true, /*wants_write=*/false, op)) break;
    std::array<char, 1'024> bytes;
    const ::ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count <= 0) {
      is_closed = true;
      break;
    }
    line.append(bytes.data(), static_cast<std::size_t>(count));
    if (line.back() == '\n') break;
  }
  return line;
}

}  // namespace

agent::Steering read_pause_word(std::string line) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!line.empty() && is_blank(line.back())) line.pop_back();
  while (!line.empty() && is_blank(line.front())) line.erase(line.begin());
  agent::Steering word;
  if (line == "/stop") {
    word.word = agent::Steering::Word::Stop;
  } else {
    word.message = repaired_utf8(line);
  }
  return word;
}

PauseKeys::PauseKeys(CommandContext& context)
    : context_(context), has_keys_(can_ask_person(context)) {
  if (!has_keys_) return;
  presses = 0;
  cancel_by_key(context.op.cancel);
  struct sigaction action {};
  action.sa_handler = handle_key;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before_);
}

PauseKeys::~PauseKeys() {
  if (has_keys_) ::sigaction(SIGINT, &before_, nullptr);
}

agent::Steering PauseKeys::ask() const {
  if (!has_keys_ || presses == 0 || context_.op.cancel.is_cancelled()) return {};
  // What was typed while the model worked was not meant for it.
  static_cast<void>(::tcflush(STDIN_FILENO, TCIFLUSH));
  const std::string question = context_.err_terminal.styled(
      Style::Warning, "paused: a word to the model, an empty line to go on, /stop to end> ");
  std::fwrite(question.data(), 1, question.size(), stderr);
  std::fflush(stderr);
  OpContext op = context_.op;
  op.deadline = Deadline();  // the time of the run does not go on while a person thinks
  bool is_closed = false;
  agent::Steering word = read_pause_word(read_key_line(op, is_closed));
  if (is_closed || op.cancel.is_cancelled()) {
    std::fputs("\n", stderr);
    word = {agent::Steering::Word::Stop, {}};
  }
  presses = 0;
  return word;
}

}  // namespace helve::cli
