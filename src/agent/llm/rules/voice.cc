#include "agent/llm/rules/voice.h"

#include <algorithm>

#include "agent/llm/rules/words.h"

namespace helve::llm::rules {

namespace {

std::string_view word(const Question& question, std::size_t at) {
  return at < question.tokens.size() ? std::string_view(question.tokens[at].lower)
                                     : std::string_view();
}

}  // namespace

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_passive_name(const std::string& property) {
  const std::vector<std::string> words = words_of_name(property);
  return words.size() > 1 && is_one_of(words.back(), {"by", "from", "on", "in", "at", "to"});
}

bool is_passive(const Question& question, const Mention& verb) {
  const bool has_be = verb.from > 0 && is_one_of(word(question, verb.from - 1),
                                                 {"is", "are", "was", "were", "been", "be"});
  const bool is_participle = word(question, verb.to - 1).ends_with("ed");
  const std::string_view next = word(question, verb.to);
  const bool has_place = is_one_of(next, {"from", "on", "in", "at", "to"});
  return next == "by" || ((has_be || is_participle) && has_place) || (has_be && is_participle);
}

bool has_do_before(const Question& question, const Mention& noun) {
  constexpr std::size_t kReach = 3;
  for (std::size_t back = 1; back <= std::min(kReach, noun.from); ++back) {
    if (is_one_of(word(question, noun.from - back), {"did", "does", "do"})) return true;
  }
  return false;
}

}  // namespace helve::llm::rules
