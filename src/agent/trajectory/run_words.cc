#include "agent/trajectory/run_words.h"

#include <fmt/format.h>

#include "base/text.h"

namespace helve::agent {

std::string one_line(std::string_view text, std::size_t width) {
  constexpr std::size_t kBytesPerColumn = 16;  // more will not be seen
  std::string joined;
  bool has_gap = false;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      has_gap = !joined.empty();
      continue;
    }
    if (has_gap) joined += ' ';
    has_gap = false;
    joined += c;
    if (joined.size() > width * kBytesPerColumn) break;
  }
  return elide_end(escape_for_terminal(joined), width);
}

std::string all_lines(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += fmt::format("{}{}\n", indent, escape_for_terminal(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string loop_words(const RecordedRun& run) {
  const std::string loop = run.loop.empty() ? "not said" : one_line(run.loop, kNameChars);
  return run.model.empty() ? loop
                           : fmt::format("{}, model {}", loop, one_line(run.model, kNameChars));
}

std::string end_words(const RecordedRun& run) {
  if (!run.has_end) return "none: the run was cut off, or goes on";
  return one_line(run.stop_reason, kNameChars);
}

std::string token_words(const RecordedUsage& usage) {
  const std::string cached = usage.cached_tokens == 0
                                 ? ""
                                 : fmt::format(" ({} cached)", format_count(usage.cached_tokens));
  return fmt::format("{} in{}, {} out{}", format_count(usage.input_tokens), cached,
                     format_count(usage.output_tokens), usage.is_estimated ? " (estimated)" : "");
}

std::string cost_words(const RecordedUsage& usage) {
  return usage.cost ? fmt::format("{:.4f}", *usage.cost) : "not known: no prices";
}

std::string judgment_words(const RecordedRun& run) {
  if (!run.judgment) return {};
  const RecordedJudgment& judgment = *run.judgment;
  std::string out =
      judgment.verdict.empty() ? "no verdict" : one_line(judgment.verdict, kNameChars);
  if (!judgment.is_verified) out += ", not verified";
  if (judgment.f1) out += fmt::format(", f1 {:.2f}", *judgment.f1);
  if (!judgment.by.empty()) out += ", by " + one_line(judgment.by, kNameChars);
  if (!judgment.says.empty()) out += ": " + escape_for_terminal(judgment.says);
  return out;
}

std::string call_words(const RecordedCall& call) {
  std::string out = call.name;
  const JsonValue::Object* const members = call.arguments.if_object();
  if (members == nullptr) {
    if (!call.arguments.is_null()) out += " " + to_json(call.arguments);
    return out;
  }
  for (const JsonMember& one : *members) {
    const std::string* const text = one.value.if_string();
    out += fmt::format(" {}={}", one.key,
                       text != nullptr ? fmt::format("'{}'", *text) : to_json(one.value));
  }
  return out;
}

}  // namespace helve::agent
