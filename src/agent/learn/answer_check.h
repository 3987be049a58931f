// AnswerCheck: whether a text tells the answer of its task. A lesson that does is memorised, and
// wrong for every other question.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::agent {

// Values count as whole words, in any case and with _ for a space; those of up to three letters as
// they are written, and not in small letters: they are words of any sentence.
class AnswerCheck {
 public:
  // What stands in small letters in the question is no answer.
  explicit AnswerCheck(std::string_view question);
  void forbid(const std::vector<std::string>& values);
  // Names of the schema, which may be among the values.
  void allow(std::string_view name);

  // InvalidInput where it has a value in it, of so many characters or more.
  Result<void> check(std::string_view text, std::size_t chars_min = 1) const;
  // A text of others with "..." where values stood.
  std::string scrubbed(std::string text) const;

 private:
  bool is_allowed(std::string_view value) const;

  std::set<std::string> values_;
  std::set<std::string> allowed_;  // letters and digits alone, small
  std::set<std::string> asked_;    // words of the question that are small there
};

}  // namespace helve::agent
