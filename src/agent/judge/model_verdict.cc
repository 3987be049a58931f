#include "agent/judge/model_verdict.h"

#include <optional>
#include <vector>

#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "base/ascii.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

using learning::Verdict;

constexpr std::size_t kTextBytesMax = 64UL * 1024;
constexpr std::size_t kObjectsMax = 20;
constexpr std::size_t kReasonChars = 500;

// The end of the object that begins at `begin`, behind its bracket; npos: it has none.
std::size_t end_of_object(std::string_view text, std::size_t begin) {
  int depth = 0;
  bool is_text = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (is_text) {
      if (c == '\\') ++at;
      is_text = c != '"';
    } else if (c == '"') {
      is_text = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

std::vector<JsonValue> objects_in(std::string_view text) {
  std::vector<JsonValue> found;
  std::size_t looked_at = 0;
  for (std::size_t at = text.find('{'); at != std::string_view::npos && looked_at < kObjectsMax;) {
    ++looked_at;
    const std::size_t end = end_of_object(text, at);
    if (end == std::string_view::npos) {
      at = text.find('{', at + 1);
      continue;
    }
    auto parsed = parse_json(text.substr(at, end - at));
    const bool is_verdict = parsed && parsed->find("verdict") != nullptr;
    if (is_verdict) found.push_back(*std::move(parsed));
    at = text.find('{', is_verdict ? end : at + 1);
  }
  return found;
}

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
  const std::vector<JsonValue> objects = objects_in(valid);
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
