#include "agent/judge/model_verdict.h"

#include <optional>

#include "agent/judge/json_part.h"
#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "base/ascii.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

using learning::Verdict;

constexpr std::size_t kTextBytesMax = 64UL * 1024;
constexpr std::size_t kReasonChars = 500;

std::optional<Verdict> verdict_in(const JsonValue& object) {
  const std::string word = ascii_lower(text_of(object, "verdict"));
  const auto verdict = learning::verdict_of(word);
  if (verdict && *verdict != Verdict::None) return verdict;
  return word == "unsure" ? std::optional(Verdict::Incorrect) : std::nullopt;
}

std::string bounded_reason(std::string_view text) {
  return head_of(repaired_utf8(text), kReasonChars);
}

}  // namespace

ModelVerdict read_verdict(std::string_view text) {
  if (text.size() > kTextBytesMax) return {Verdict::Incorrect, "it is too long for a verdict"};
  const std::string valid = repaired_utf8(text);
  const Thought thought = split_thinking(valid);
  const auto object = parse_json(json_part(thought.rest));
  if (!object || object->if_object() == nullptr) {
    return {Verdict::Incorrect, "no verdict could be read: " + bounded_reason(valid)};
  }
  const auto verdict = verdict_in(*object);
  if (!verdict) return {Verdict::Incorrect, "the verdict is none of those that there are"};
  const bool is_unsure = ascii_lower(text_of(*object, "verdict")) == "unsure";
  return {*verdict, (is_unsure ? "unsure: " : "") + bounded_reason(text_of(*object, "reason"))};
}

}  // namespace helve::agent
