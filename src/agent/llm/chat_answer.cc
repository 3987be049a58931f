#include "agent/llm/chat_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "agent/llm/answer_parts.h"
#include "base/ascii.h"

namespace helve::llm {

namespace {

constexpr std::string_view kEmptyObject = "{}";

// Whether an object that comes in pieces has come to its end.
class ObjectEnd {
 public:
  void add(std::string_view piece) {
    for (const char c : piece) {
      if (in_text_) {
        in_text_ = is_escaped_ || c != '"';
        is_escaped_ = !is_escaped_ && c == '\\';
      } else if (c == '"') {
        in_text_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if (c == '}' || c == ']') {
        is_reached_ = is_reached_ || depth_ <= 1;
        if (depth_ > 0) --depth_;
      }
    }
  }
  bool is_reached() const { return is_reached_; }

 private:
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool is_escaped_ = false;
  bool is_reached_ = false;
};

// A call as its deltas come.
struct ChatCall {
  std::optional<std::uint64_t> index;
  std::string id;
  std::string name;
  std::string written;
  ObjectEnd end;

  void set(std::string_view arguments) {
    written = arguments;
    end = {};
    end.add(arguments);
  }
  void add(std::string_view piece) {
    // Nothing was written yet, where it begins with an empty object.
    if (written == kEmptyObject && !is_blank(piece)) return set(piece);
    written += piece;
    end.add(piece);
  }
};

// Whether a delta with the index of a call begins another one.
bool begins_another(const ChatCall& call, const JsonValue& delta) {
  const std::string_view id = text_at(&delta, "id");
  if (!id.empty() && !call.id.empty()) return id != call.id;
  const JsonValue* function = delta.find("function");
  const std::string_view name = text_at(function, "name");
  if (name.empty() || !call.end.is_reached()) return false;
  if (name != call.name) return true;
  // Some repeat the name with every piece.
  const std::string arguments = written_arguments(member_of(function, "arguments"));
  if (call.written != kEmptyObject) return !is_blank(arguments);
  ObjectEnd end;
  end.add(arguments);
  return end.is_reached();
}

Stop chat_stop(std::string_view reason, bool has_calls, bool has_refused) {
  if (has_refused || reason == "content_filter") return Stop::Refusal;
  if (reason == "length") return Stop::OutputCap;
  // Several servers say "stop" where they call tools, and some the other way round.
  if (has_calls) return Stop::ToolCalls;
  const bool is_end = reason == "stop" || reason == "tool_calls" || reason == "function_call" ||
                      reason == "eos" || reason.empty();
  return is_end ? Stop::EndTurn : Stop::Other;
}

class ChatAnswer final : public AnswerReader {
 public:
  explicit ChatAnswer(Pieces& pieces) : pieces_(pieces) {}

  Result<void> add_body(const JsonValue& body) override {
    HELVE_TRY(add_chunk(body));
    if (!has_choice_) {
      return Error{ErrorCode::Unavailable, "an answer without choices in it",
                   "check that the address is that of a Chat Completions server"};
    }
    is_over_ = true;
    return {};
  }

  Result<void> add_event(const SseEvent& event) override {
    if (event.data == "[DONE]") {
      is_over_ = true;
      return {};
    }
    if (event.data.empty()) return {};
    HELVE_ASSIGN(const TypedEvent typed, read_typed_event(event));
    return add_chunk(typed.body);
  }

  bool is_over() const override { return is_over_; }
  bool is_complete() const override { return has_choice_ && (is_over_ || !reason_.empty()); }
  bool has_usage() const override { return has_usage_; }

  Answer take() override {
    for (ChatCall& call : calls_) {
      answer_.calls.push_back(
          make_call(std::move(call.id), std::move(call.name), std::move(call.written)));
    }
    const bool has_refused = !refusal_.empty();
    if (answer_.text.empty()) answer_.text = std::move(refusal_);
    answer_.stop = chat_stop(reason_, !answer_.calls.empty(), has_refused);
    return std::move(answer_);
  }

 private:
  Result<void> add_chunk(const JsonValue& chunk) {
    if (auto error = error_in(chunk)) return *std::move(error);
    if (const std::string_view model = text_at(&chunk, "model"); !model.empty()) {
      answer_.model = model;
    }
    read_usage(member_of(&chunk, "usage"));
    const JsonValue::Array* choices = array_at(&chunk, "choices");
    if (choices == nullptr) return {};
    for (const JsonValue& choice : *choices) {
      if (count_at(&choice, "index") != 0) continue;  // one was asked for
      if (auto error = error_in(choice)) return *std::move(error);
      has_choice_ = has_choice_ || choice.if_object() != nullptr;
      HELVE_TRY(add_delta(choice.find("delta"), false));
      HELVE_TRY(add_delta(choice.find("message"), true));
      if (const std::string_view reason = text_at(&choice, "finish_reason"); !reason.empty()) {
        reason_ = reason;
      }
    }
    return {};
  }

  // A piece of a message, or a whole one.
  Result<void> add_delta(const JsonValue* delta, bool is_whole) {
    if (delta == nullptr || delta->if_object() == nullptr) return {};
    // Names of the same thing: who sends both means one.
    std::string_view reasoning = text_at(delta, "reasoning_content");
    if (reasoning.empty()) reasoning = text_at(delta, "reasoning");
    add_reasoning(reasoning);
    add_content(delta->find("content"));
    if (const std::string_view refusal = text_at(delta, "refusal"); !refusal.empty()) {
      refusal_ += refusal;
      pieces_.text(refusal);
    }
    const JsonValue::Array* calls = array_at(delta, "tool_calls");
    if (calls == nullptr) return {};
    for (const JsonValue& call : *calls) HELVE_TRY(add_call(call, is_whole));
    return {};
  }

  void add_text(std::string_view text) {
    answer_.text += text;
    pieces_.text(text);
  }
  void add_reasoning(std::string_view text) {
    answer_.reasoning += text;
    pieces_.reasoning(text);
  }

  // A text, or parts of several types.
  void add_content(const JsonValue* content) {
    if (content == nullptr) return;
    if (const std::string* text = content->if_string()) return add_text(*text);
    const JsonValue::Array* parts = content->if_array();
    if (parts == nullptr) return;
    for (const JsonValue& part : *parts) {
      if (const JsonValue::Array* thoughts = array_at(&part, "thinking")) {
        for (const JsonValue& thought : *thoughts) add_reasoning(text_at(&thought, "text"));
      } else {
        add_text(text_at(&part, "text"));
      }
    }
  }

  Result<void> add_call(const JsonValue& delta, bool is_whole) {
    if (delta.if_object() == nullptr) return {};
    HELVE_ASSIGN(ChatCall* const call, is_whole ? new_call(std::nullopt) : call_of(delta));
    const JsonValue* function = delta.find("function");
    if (const std::string_view id = text_at(&delta, "id"); !id.empty()) call->id = id;
    const std::string_view name = text_at(function, "name");
    if (call->name != name) call->name += name;  // some repeat it with every delta
    const JsonValue* arguments = member_of(function, "arguments");
    const bool is_object = arguments != nullptr && arguments->if_object() != nullptr;
    const std::string written = written_arguments(arguments);
    is_object ? call->set(written) : call->add(written);
    return {};
  }

  // By index; without one, a new call is where an id or a name begins it.
  Result<ChatCall*> call_of(const JsonValue& delta) {
    const JsonValue* given = delta.find("index");
    const auto index = given != nullptr ? given->to_uint64() : std::nullopt;
    const std::string_view id = text_at(&delta, "id");
    const bool has_name = !text_at(delta.find("function"), "name").empty();
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const ChatCall& call) {
      return index ? call.index == index : (id.empty() ? !has_name : call.id == id);
    });
    // Some servers give all calls the same index.
    if (found != calls_.rend() && !begins_another(*found, delta)) return &*found;
    return new_call(index);
  }

  Result<ChatCall*> new_call(std::optional<std::uint64_t> index) {
    if (calls_.size() >= kCallsMax) return too_many_calls();
    calls_.push_back({index, {}, {}, {}, {}});
    return &calls_.back();
  }

  void read_usage(const JsonValue* usage) {
    if (usage == nullptr || usage->if_object() == nullptr) return;
    const std::uint64_t input = count_at(usage, "prompt_tokens");
    const std::uint64_t output = count_at(usage, "completion_tokens");
    Usage& told = answer_.usage;
    // Gateways that know what it cost tell so.
    const JsonValue* cost = usage->find("cost");
    const auto told_cost = cost != nullptr ? cost->to_double() : std::nullopt;
    const bool is_cost = told_cost && std::isfinite(*told_cost) && *told_cost >= 0;
    if (is_cost) told.cost = std::max(told.cost.value_or(0), *told_cost);
    if (input == 0 && output == 0) return;  // an empty one may come behind the real one
    const JsonValue* details = usage->find("prompt_tokens_details");
    const std::uint64_t cached =
        std::max(count_at(details, "cached_tokens"), count_at(usage, "prompt_cache_hit_tokens"));
    // Where several chunks tell it, it grows.
    told.input_tokens = std::max(told.input_tokens, input);
    told.output_tokens = std::max(told.output_tokens, output);
    told.cached_tokens = std::min(std::max(told.cached_tokens, cached), told.input_tokens);
    has_usage_ = true;
  }

  Pieces& pieces_;
  Answer answer_;
  std::string refusal_;
  std::string reason_;
  std::vector<ChatCall> calls_;
  bool has_choice_ = false;
  bool has_usage_ = false;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<AnswerReader> read_chat_answer(Pieces& pieces) {
  return std::make_unique<ChatAnswer>(pieces);
}

}  // namespace helve::llm
