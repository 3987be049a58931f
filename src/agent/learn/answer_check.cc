#include "agent/learn/answer_check.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve::agent {

namespace {

constexpr std::size_t kShort = 3;
constexpr std::string_view kGone = "...";

bool is_in_word(char c) { return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80U; }

std::string folded(std::string_view text) {
  std::string folded = ascii_lower(text);
  std::replace(folded.begin(), folded.end(), '_', ' ');
  return folded;
}

std::string squeezed(std::string_view text) {
  std::string letters;
  for (const char c : ascii_lower(text)) {
    if (is_in_word(c)) letters += c;
  }
  return letters;
}

bool is_number(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_digit) &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return is_in_word(c) && !is_digit(c); });
}

// Where it stands as a whole word, from a place on; npos: nowhere.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_in_word(text[at - 1]) || !is_in_word(word.front());
    const bool ends = end == text.size() || !is_in_word(text[end]) || !is_in_word(word.back());
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

std::size_t find_value(const std::string& text, const std::string& value, std::size_t from) {
  const bool is_as_written = value.size() <= kShort && !is_number(value);
  return is_as_written ? find_word(text, value, from)
                       : find_word(folded(text), folded(value), from);
}

}  // namespace

AnswerCheck::AnswerCheck(std::string_view question) {
  for (std::size_t at = 0; at < question.size();) {
    std::size_t end = at;
    while (end < question.size() && is_in_word(question[end])) ++end;
    const std::string_view word = question.substr(at, end - at);
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_lower)) asked_.emplace(word);
    at = end + 1;
  }
}

void AnswerCheck::forbid(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    const bool has_words = std::any_of(value.begin(), value.end(), is_in_word);
    const bool is_any_word =
        value.size() <= kShort && std::all_of(value.begin(), value.end(), is_lower);
    if (has_words && !is_any_word) values_.insert(value);
  }
}

void AnswerCheck::allow(std::string_view name) {
  if (std::string letters = squeezed(name); !letters.empty()) allowed_.insert(std::move(letters));
}

bool AnswerCheck::is_allowed(std::string_view value) const {
  return allowed_.contains(squeezed(value)) || asked_.contains(ascii_lower(value));
}

Result<void> AnswerCheck::check(std::string_view text, std::size_t chars_min) const {
  const std::string whole(text);
  for (const std::string& value : values_) {
    if (value.size() < chars_min || is_allowed(value)) continue;
    if (find_value(whole, value, 0) == std::string::npos) continue;
    return Error{ErrorCode::InvalidInput, "the lesson would tell a value of the answer",
                 "say how it is found, not what was found"};
  }
  return {};
}

std::string AnswerCheck::scrubbed(std::string text) const {
  for (const std::string& value : values_) {
    if (is_allowed(value)) continue;
    for (std::size_t at = find_value(text, value, 0); at != std::string::npos;
         at = find_value(text, value, at + kGone.size())) {
      text.replace(at, value.size(), kGone);
    }
  }
  return text;
}

}  // namespace helve::agent
