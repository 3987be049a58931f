#include "surfaces/cli/agent/chat_history.h"

#include <algorithm>

#include "base/utf8.h"

namespace helve::cli {

namespace {

// A text that is not UTF-8 counts by its bytes: more, never less.
std::size_t chars_in(const std::string& text) {
  return utf8_valid_prefix(text) == text.size() ? utf8_length(text) : text.size();
}

std::size_t chars_of(const ChatTurn& turn) {
  return chars_in(turn.question) + chars_in(turn.answer);
}

}  // namespace

std::size_t ChatHistory::add(ChatTurn turn) {
  chars_ += chars_of(turn);
  turns_.push_back(std::move(turn));
  std::size_t dropped = 0;
  while (chars_ > chars_max_) chars_ -= chars_of(turns_[dropped++]);
  turns_.erase(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(dropped));
  return dropped;
}

std::vector<llm::Message> ChatHistory::messages() const {
  std::vector<llm::Message> out;
  for (const ChatTurn& turn : turns_) {
    out.push_back({llm::Role::User, turn.question});
    // A model expects its own turn behind every question.
    out.push_back({llm::Role::Assistant, turn.answer.empty() ? "(no answer)" : turn.answer});
  }
  return out;
}

}  // namespace helve::cli
