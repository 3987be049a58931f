#include "agent/judge/model_verdict.h"

#include <optional>
#include <vector>

#include "agent/judge/json_in_text.h"
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

std::string bounded(std::string_view text) { return head_of(repaired_utf8(text), kReasonChars); }

}  // namespace

ModelVerdict read_verdict(std::string_view text) {
  const std::string valid = repaired_utf8(text.substr(0, kTextBytesMax));
  const std::vector<JsonValue> objects = objects_with(valid, "verdict");
  if (objects.empty()) return {Verdict::Incorrect, "no verdict could be read: " + bounded(valid)};
  std::optional<Verdict> verdict;
  for (const JsonValue& object : objects) {
    const auto one = verdict_in(object);
    if (!one) return {Verdict::Incorrect, "the verdict is none of those that there are"};
    if (verdict && *verdict != *one) return {Verdict::Incorrect, "several verdicts disagree"};
    verdict = one;
  }
  const bool is_unsure = ascii_lower(text_of(objects.back(), "verdict")) == "unsure";
  return {*verdict, (is_unsure ? "unsure: " : "") + bounded(text_of(objects.back(), "reason"))};
}

}  // namespace helve::agent
