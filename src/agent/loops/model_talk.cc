#include "agent/loops/model_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/llm/answer_parts.h"
#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

constexpr std::size_t kNameBytesMax = 200;
constexpr std::size_t kStreamedBytesMax = 1 * kMiB;  // of one answer, told as events

std::string_view name_of(llm::Role role) {
  if (role == llm::Role::User) return "user";
  return role == llm::Role::Assistant ? "assistant" : "tool";
}

JsonValue calls_json(const std::vector<llm::ToolUse>& calls) {
  JsonValue::Array array;
  for (const llm::ToolUse& call : calls) {
    array.push_back(
        object_of({{"id", JsonValue(call.id)},
                   {"name", JsonValue(call.name)},
                   {"arguments", call.arguments},
                   {"written", JsonValue(call.arguments.is_null() ? call.written : "")}}));
  }
  return JsonValue(std::move(array));
}

JsonValue message_json(const llm::Message& message) {
  const bool is_reply = message.role == llm::Role::Tool;
  return object_of({{"role", JsonValue(name_of(message.role))},
                    {"text", JsonValue(is_reply ? without_marks(message.text) : message.text)},
                    {"calls", calls_json(message.calls)},
                    {"call_id", JsonValue(message.call_id)},
                    {"is_error", JsonValue(message.is_error)}});
}

// What cannot be read is no object, and what is too long is not read.
void bound_call(llm::ToolUse& call) {
  call.name = repaired_utf8(std::string_view(call.name).substr(0, kNameBytesMax));
  if (call.arguments.if_object() == nullptr) call.arguments = JsonValue();
  if (call.written.size() > kArgumentBytesMax ||
      (call.written.empty() && to_json(call.arguments).size() > kArgumentBytesMax)) {
    call.arguments = JsonValue();
    call.written = fmt::format("({} bytes, which are too many)", call.written.size());
  }
  call.written = repaired_utf8(call.written);
}

void bound_answer(llm::Answer& answer, std::size_t chars_max) {
  const std::size_t size = answer.text.size();
  answer.text = both_ends(answer.text, chars_max);
  answer.reasoning = both_ends(answer.reasoning, chars_max);
  // The provider's own form of the answer would bring back what was cut.
  const bool is_cut = answer.text.size() < size || answer.calls.size() > kCallsOfAnswerMax;
  if (is_cut) answer.opaque.clear();
  if (answer.calls.size() > kCallsOfAnswerMax) {
    answer.calls.resize(kCallsOfAnswerMax);
    answer.text += fmt::format("\n[only the first {} calls are kept]", kCallsOfAnswerMax);
  }
  for (llm::ToolUse& call : answer.calls) bound_call(call);
}

// Passes pieces on, up to a limit, and knows whether there were any.
class Streamed {
 public:
  Streamed(RunEventKind kind, RunJournal& journal) : kind_(kind), journal_(journal) {}

  void piece(std::string_view text) {
    total_ += text.size();
    if (told_ > kStreamedBytesMax || text.empty()) return;
    told_ += text.size();
    journal_.tell(kind_, text);
  }
  // Where nothing was streamed it comes as one piece.
  void finish(std::string_view text) {
    if (told_ == 0) piece(text.substr(0, kStreamedBytesMax));
  }
  std::size_t total() const { return total_; }

 private:
  const RunEventKind kind_;
  RunJournal& journal_;
  std::size_t told_ = 0;
  std::size_t total_ = 0;
};

}  // namespace

JsonValue usage_json(const llm::Usage& usage) {
  JsonValue cost;
  if (usage.cost) cost = JsonValue(*usage.cost);
  return object_of({{"input_tokens", JsonValue(usage.input_tokens)},
                    {"cached_tokens", JsonValue(usage.cached_tokens)},
                    {"output_tokens", JsonValue(usage.output_tokens)},
                    {"cost", std::move(cost)}});
}

std::string request_hash(const llm::Request& request) {
  JsonValue::Array messages;
  for (const llm::Message& message : request.messages) messages.push_back(message_json(message));
  JsonValue::Array tools;
  for (const llm::ToolDeclaration& tool : request.tools) {
    tools.push_back(object_of({{"name", JsonValue(tool.name)},
                               {"description", JsonValue(tool.description)},
                               {"input_schema", tool.input_schema}}));
  }
  return digest_hex(DigestKind::Sha256,
                    to_json(object_of({{"system", JsonValue(request.system)},
                                       {"messages", JsonValue(std::move(messages))},
                                       {"tools", JsonValue(std::move(tools))}})));
}

void ModelTalk::count(const llm::Request& request) {
  std::uint64_t chars = utf8_length(request.system);
  for (const llm::Message& message : request.messages) {
    chars +=
        utf8_length(message.role == llm::Role::Tool ? without_marks(message.text) : message.text);
    for (const llm::ToolUse& call : message.calls) chars += utf8_length(call.written);
  }
  const std::lock_guard lock(mutex_);
  sizes_.chars += chars;
  sizes_.chars_max = std::max(sizes_.chars_max, chars);
  ++sizes_.calls;
}

PromptSizes ModelTalk::sizes() const {
  const std::lock_guard lock(mutex_);
  return sizes_;
}

Result<llm::Answer> ModelTalk::complete(llm::Provider& model, const llm::Request& request,
                                        const OpContext& op, const llm::StreamSink* sink) {
  HELVE_TRY(op.check());
  count(request);
  HELVE_ASSIGN(llm::Answer answer, model.complete(request, op, sink));
  budget_.add(answer.usage);
  bound_answer(answer, limits_.answer_chars_max);
  return answer;
}

Result<llm::Answer> ModelTalk::ask(llm::Provider& model, const llm::Request& request) {
  Streamed text(RunEventKind::Text, journal_);
  Streamed reasoning(RunEventKind::Reasoning, journal_);
  llm::StreamSink sink;
  unfinished_.clear();
  has_overrun_ = false;
  sink.on_text = [&](std::string_view piece) {
    text.piece(piece);
    if (unfinished_.size() < limits_.answer_chars_max) unfinished_ += piece;
  };
  sink.on_reasoning = [&](std::string_view piece) { reasoning.piece(piece); };
  auto answer = complete(model, request, budget_.op(), &sink);
  if (answer) {
    reasoning.finish(answer->reasoning);
    text.finish(answer->text);
    unfinished_.clear();
  } else if (text.total() + reasoning.total() > 0) {
    // It was worked on, and will be paid for.
    const llm::Usage usage = llm::estimated_usage(request, text.total() + reasoning.total());
    has_overrun_ = usage.output_tokens > request.output_tokens_max;
    budget_.add(usage);
  }
  record(request, answer, {});
  return answer;
}

Result<llm::Answer> ModelTalk::ask_quietly(llm::Provider& model, const llm::Request& request,
                                           const OpContext& op) {
  return complete(model, request, op, nullptr);
}

void ModelTalk::record(const llm::Request& request, const Result<llm::Answer>& answer,
                       std::string_view prompt) {
  JsonValue body = object_of({{"request_hash", JsonValue(request_hash(request))}});
  JsonValue::Object& members = *body.if_object();
  if (!prompt.empty()) members.push_back({"prompt", JsonValue(prompt)});
  if (!answer) {
    members.push_back({"error", JsonValue(answer.error().to_string())});
  } else {
    members.push_back({"answer", object_of({{"text", JsonValue(answer->text)},
                                            {"calls", calls_json(answer->calls)},
                                            {"stop", JsonValue(llm::name_of(answer->stop))}})});
    members.push_back({"usage", usage_json(answer->usage)});
    members.push_back({"retries", JsonValue(std::uint64_t{answer->retries})});
  }
  journal_.record(EventKind::LlmCall, std::move(body));
}

}  // namespace helve::agent
