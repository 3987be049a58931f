#include "agent/loops/model_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/llm/answer_parts.h"
#include "agent/llm/exchange_json.h"
#include "agent/loops/json_object.h"
#include "agent/loops/prompt_words.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/utf8_repair.h"

namespace helve::agent {

namespace {

constexpr std::size_t kNameBytesMax = 200;
constexpr std::size_t kStreamedBytesMax = 1 * kMiB;  // of one answer, told as events

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

// As the model reads it, marks apart; calls as they are recorded, so that a replay counts the same.
std::uint64_t chars_of(const llm::Request& request) {
  std::uint64_t chars = utf8_length(request.system);
  for (const llm::Message& message : request.messages) {
    chars +=
        utf8_length(message.role == llm::Role::Tool ? without_marks(message.text) : message.text);
    for (const llm::ToolUse& call : message.calls) {
      chars += utf8_length(call.arguments.is_null() ? call.written : to_json(call.arguments));
    }
  }
  return chars;
}

JsonValue answer_json(const llm::Answer& answer) {
  JsonValue json = object_of({{"text", JsonValue(answer.text)}});
  JsonValue::Object& members = *json.if_object();
  if (!answer.reasoning.empty()) members.push_back({"reasoning", JsonValue(answer.reasoning)});
  members.push_back({"calls", calls_json(answer.calls)});
  members.push_back({"stop", JsonValue(llm::name_of(answer.stop))});
  if (!answer.model.empty()) members.push_back({"model", JsonValue(answer.model)});
  return json;
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

// Thinking aloud is no answer.
void take_thinking(llm::Answer& answer) {
  const Thought thought = split_thinking(answer.text);
  if (thought.thinking.empty()) return;
  if (!answer.reasoning.empty()) answer.reasoning += '\n';
  answer.reasoning += thought.thinking;
  answer.text = std::string(thought.rest);
}

void bound_answer(llm::Answer& answer, std::size_t chars_max) {
  take_thinking(answer);
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
    chars_ += llm::characters(text);
    if (told_ > kStreamedBytesMax || text.empty()) return;
    told_ += text.size();
    journal_.tell(kind_, text);
  }
  // Where nothing was streamed it comes as one piece.
  void finish(std::string_view text) {
    if (told_ == 0) piece(text.substr(0, kStreamedBytesMax));
  }
  std::size_t chars() const { return chars_; }

 private:
  const RunEventKind kind_;
  RunJournal& journal_;
  std::size_t told_ = 0;
  std::size_t chars_ = 0;
};

}  // namespace

std::uint64_t input_tokens(const llm::Request& request) {
  return llm::estimated_usage(request, std::size_t{0}).input_tokens;
}

Result<void> ModelTalk::check(const llm::Request& request) const {
  const std::uint64_t tokens = input_tokens(request);
  const std::uint64_t left = budget_.tokens_left();
  if (tokens < left) return {};
  return Error{
      ErrorCode::LimitExceeded,
      fmt::format("the next request takes about {} tokens, and {} of {} are left",
                  format_count(tokens), format_count(left), format_count(limits_.tokens_max))};
}

void ModelTalk::count(const llm::Request& request) {
  const std::uint64_t chars = chars_of(request);
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
  unsent_.clear();
  has_overrun_ = false;
  if (auto fits = check(request); !fits) {
    unsent_ = fits.error().message;
    return std::move(fits).error();
  }
  sink.on_text = [&](std::string_view piece) {
    text.piece(piece);
    if (unfinished_.size() < limits_.answer_chars_max) unfinished_ += piece;
  };
  sink.on_reasoning = [&](std::string_view piece) { reasoning.piece(piece); };
  const MonotonicTime asked = real_clock().now();
  auto answer = complete(model, request, budget_.op(), &sink);
  const std::chrono::duration<double, std::milli> took = real_clock().now() - asked;
  std::optional<llm::Usage> spent;
  if (answer) {
    reasoning.finish(answer->reasoning);
    text.finish(answer->text);
    unfinished_.clear();
  } else if (text.chars() + reasoning.chars() > 0) {
    // It was worked on, and will be paid for.
    spent = llm::estimated_usage(request, text.chars() + reasoning.chars());
    spent->cost = model.cost_of(*spent);
    has_overrun_ = spent->output_tokens > request.output_tokens_max;
    budget_.add(*spent);
  }
  record(request, answer, {}, spent, took.count());
  return answer;
}

Result<llm::Answer> ModelTalk::ask_quietly(llm::Provider& model, const llm::Request& request,
                                           const OpContext& op) {
  return complete(model, request, op, nullptr);
}

void ModelTalk::record(const llm::Request& request, const Result<llm::Answer>& answer,
                       std::string_view prompt, const std::optional<llm::Usage>& spent,
                       std::optional<double> ms) {
  JsonValue body = object_of({{"request_hash", JsonValue(llm::request_hash(request))},
                              {"chars", JsonValue(chars_of(request))}});
  JsonValue::Object& members = *body.if_object();
  if (!prompt.empty()) members.push_back({"prompt", JsonValue(prompt)});
  if (!answer) {
    members.push_back({"error", JsonValue(answer.error().to_string())});
    members.push_back({"code", JsonValue(error_code_name(answer.error().code))});
    if (spent) members.push_back({"usage", llm::to_json_value(*spent)});
  } else {
    members.push_back({"answer", answer_json(*answer)});
    members.push_back({"usage", llm::to_json_value(answer->usage)});
    members.push_back({"retries", JsonValue(std::uint64_t{answer->retries})});
  }
  if (ms) members.push_back({"ms", JsonValue(*ms)});
  journal_.record(EventKind::LlmCall, std::move(body));
}

}  // namespace helve::agent
