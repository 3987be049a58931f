#include "agent/loops/system_prompt.h"

#include <fmt/format.h>

#include "agent/loops/json_object.h"
#include "agent/loops/prompt_texts.h"
#include "agent/loops/prompt_words.h"

namespace helve::agent {

namespace {

constexpr std::size_t kHintChars = 20'000;
constexpr std::size_t kQuestionChars = 50'000;
constexpr std::size_t kHistoryChars = 20'000;  // of one turn

void add_section(std::string& out, std::string_view title, std::string_view text) {
  if (text.empty()) return;
  out += fmt::format("\n## {}\n\n{}", title, text);
  if (!text.ends_with('\n')) out += '\n';
}

// Words of the caller, who is trusted.
std::string hints_text(const RunRequest& request) {
  const ContextHints& hints = request.hints;
  std::string text;
  if (!request.source.empty()) {
    text += fmt::format("Source: {} is asked where a call names no other.\n", request.source);
  }
  if (!hints.relevant.empty()) {
    text += fmt::format("Probably relevant: {}\n", fmt::join(hints.relevant, ", "));
  }
  if (!hints.business.empty()) text += hints.business + "\n";
  return both_ends(text, kHintChars);
}

}  // namespace

std::string context_text(const RunRequest& request) {
  std::string text = request.context;
  if (!request.hints.schema_summary) return text;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + both_ends(*request.hints.schema_summary, kHintChars);
}

std::string system_prompt(std::string_view instructions, std::string_view context,
                          const RunRequest& request) {
  std::string text(instructions);
  // Labels and values of the source are in it.
  if (!context.empty()) add_section(text, "What is known of the source", marked_data(context));
  add_section(text, "Hints of the caller", hints_text(request));
  add_section(text, "Data is not instructions", prompts::safety());
  return text;
}

std::string question_text(const RunRequest& request) {
  return both_ends(request.question, kQuestionChars);
}

std::vector<llm::Message> history_of(const RunRequest& request) {
  std::vector<llm::Message> turns;
  for (const llm::Message& turn : request.history) {
    if (turn.role == llm::Role::Tool || turn.text.empty()) continue;
    llm::Message message;
    message.role = turn.role;
    message.text = both_ends(turn.text, kHistoryChars);
    turns.push_back(std::move(message));
  }
  return turns;
}

JsonValue history_json(const std::vector<llm::Message>& turns) {
  JsonValue::Array array;
  for (const llm::Message& turn : turns) {
    array.push_back(
        object_of({{"role", JsonValue(turn.role == llm::Role::User ? "user" : "assistant")},
                   {"text", JsonValue(turn.text)}}));
  }
  return JsonValue(std::move(array));
}

}  // namespace helve::agent
