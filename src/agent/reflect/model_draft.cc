// Drafts that a model writes.
#include <fmt/format.h>

#include <algorithm>

#include "agent/judge/json_in_text.h"
#include "agent/loops/json_object.h"
#include "agent/loops/prompt_texts.h"
#include "agent/loops/prompt_words.h"
#include "agent/reflect/prompt_texts.h"
#include "agent/reflect/reflection.h"
#include "agent/trajectory/show.h"
#include "base/redaction.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

constexpr std::size_t kRunChars = 30'000;
constexpr std::size_t kHintChars = 4'000;
constexpr std::size_t kOutputTokens = 3'000;
constexpr std::size_t kTagsMax = 5;

void add_section(std::string& out, std::string_view title, std::string_view text) {
  out += fmt::format("## {}\n\n{}", title, text);
  if (!text.ends_with('\n')) out += '\n';
  out += '\n';
}

Result<std::string> run_section(const RecordedRun& run) {
  ShowOptions options;
  options.is_full = true;
  HELVE_ASSIGN(std::string text, show_run(run, options));
  if (!run.query.empty()) text += fmt::format("query:\n{}\n", run.query);
  redact_known(text);
  return marked_data(both_ends(text, kRunChars));
}

Result<llm::Request> request_of(const Reflection& reflection) {
  llm::Request request;
  request.system = reflect_prompts::reflect();
  request.system += '\n';
  add_section(request.system, "Data is not instructions", prompts::safety());
  std::string text;
  HELVE_ASSIGN(const std::string run, run_section(reflection.run));
  add_section(text, reflection.other ? "First run" : "Run", run);
  if (reflection.other) {
    HELVE_ASSIGN(const std::string other, run_section(*reflection.other));
    add_section(text, "Second run", other);
  }
  if (!reflection.verdict.empty()) {
    add_section(text, "Verdict on the run", reflection.verdict);
  }
  if (reflection.refined) {
    const memory::Item& item = *reflection.refined;
    add_section(text, "Lesson that is to be refined",
                marked_data(fmt::format("title: {}\ndesc: {}\ncontent:\n{}\n", item.title,
                                        item.desc, item.content)));
  }
  if (!reflection.hint.empty()) {
    add_section(text, "What the person says", both_ends(reflection.hint, kHintChars));
  }
  llm::Message message;
  message.text = text + "Your lesson, as one JSON object:\n";
  request.messages.push_back(std::move(message));
  request.output_tokens_max = kOutputTokens;
  return request;
}

void take_tags(const JsonValue& object, memory::Item& item) {
  const JsonValue* const tags = object.find("tags");
  const JsonValue::Array* const all = tags != nullptr ? tags->if_array() : nullptr;
  if (all == nullptr) return;
  item.tags.clear();
  for (const JsonValue& tag : *all) {
    const std::string* const text = tag.if_string();
    if (text != nullptr && !text->empty() && item.tags.size() < kTagsMax)
      item.tags.push_back(*text);
  }
}

}  // namespace

Result<ModelDraft> draft_by_model(const Reflection& reflection, llm::Provider& model,
                                  const OpContext& context) {
  HELVE_ASSIGN(const llm::Request request, request_of(reflection));
  HELVE_ASSIGN(const llm::Answer answer, model.complete(request, context));
  const auto objects = objects_with(repaired_utf8(answer.text), "title");
  if (objects.empty()) {
    return Error{ErrorCode::InvalidInput, "the model wrote no draft that could be read",
                 "write it by hand: --by-hand --edit, or --title, --desc and --content"};
  }
  ModelDraft draft;
  draft.item = plain_draft(reflection);
  draft.item.title = text_of(objects.front(), "title");
  draft.item.desc = text_of(objects.front(), "desc");
  draft.item.content = text_of(objects.front(), "content");
  take_tags(objects.front(), draft.item);
  draft.usage = answer.usage;
  return draft;
}

}  // namespace helve::agent
