// Texts on their way into a prompt: cut, marked as data, and without what differs from run to run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/llm/data_marks.h"

namespace helve::agent {

// At most so many characters, and between head and tail how many are missing. Valid UTF-8.
std::string both_ends(std::string_view text, std::size_t chars_max);

// The first characters, with an ellipsis where there are more. REQUIRES: valid UTF-8.
std::string head_of(std::string_view text, std::size_t chars_max);

// Between the lines <data N> and </data N>. N is a digest of the text: it is the same for the same
// text, and no text can have it inside.
std::string marked_data(std::string_view text);
std::string data_mark(std::string_view text);  // N

// A reply of a tool as a model reads it: without the time it took.
std::string without_time(std::string reply);

using llm::without_mark_lines;
using llm::without_marks;

// What some models say aloud before their answer: <think> ... </think> and the rest.
struct Thought {
  std::string_view thinking;
  std::string_view rest;
};
Thought split_thinking(std::string_view text);

}  // namespace helve::agent
