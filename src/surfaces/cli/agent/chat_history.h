// ChatHistory: the turns of a conversation that a model is given again, within a number of
// characters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agent/llm/provider.h"

namespace helve::cli {

struct ChatTurn {
  std::string question;
  std::string answer;  // may be empty: there was none
};

class ChatHistory {
 public:
  explicit ChatHistory(std::size_t chars_max) : chars_max_(chars_max) {}

  // How many turns had to go for it, the oldest first, each as a whole: the new one too where it is
  // too long by itself.
  std::size_t add(ChatTurn turn);
  // Those that are left, oldest first: a question and its answer each.
  std::vector<llm::Message> messages() const;
  std::size_t chars() const { return chars_; }

 private:
  std::size_t chars_max_;
  std::size_t chars_ = 0;
  std::vector<ChatTurn> turns_;
};

}  // namespace helve::cli
