#include "agent/llm/anthropic_answer.h"

#include <algorithm>
#include <map>
#include <optional>

#include "agent/llm/answer_parts.h"

namespace helve::llm {

namespace {

constexpr std::size_t kBlocksMax = 1'024;

// One block of content as it comes.
struct Block {
  JsonValue as_it_began;
  std::string text;       // or thinking
  std::string signature;  // of thinking
  std::string written;    // of tool_use: arguments in pieces
  std::string_view type() const { return text_at(&as_it_began, "type"); }
};

void set_member(JsonValue& object, std::string_view key, JsonValue value) {
  JsonValue::Object* members = object.if_object();
  for (JsonMember& member : *members) {
    if (member.key == key) {
      member.value = std::move(value);
      return;
    }
  }
  members->push_back({std::string(key), std::move(value)});
}

// The type of the block that a delta is of; empty: it is not known.
std::string_view block_type_of(std::string_view delta_type) {
  if (delta_type == "text_delta") return "text";
  if (delta_type == "thinking_delta" || delta_type == "signature_delta") return "thinking";
  return delta_type == "input_json_delta" ? "tool_use" : "";
}

Stop anthropic_stop(std::string_view reason, bool has_calls) {
  if (reason == "refusal") return Stop::Refusal;
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return Stop::OutputCap;
  if (has_calls) return Stop::ToolCalls;
  const bool is_end = reason == "end_turn" || reason == "stop_sequence" || reason == "tool_use";
  return is_end ? Stop::EndTurn : Stop::Other;
}

class AnthropicAnswer final : public AnswerReader {
 public:
  explicit AnthropicAnswer(Pieces& pieces) : pieces_(pieces) {}

  Result<void> add_body(const JsonValue& body) override {
    if (auto error = error_in(body)) return *std::move(error);
    const JsonValue::Array* content = array_at(&body, "content");
    if (content == nullptr && text_at(&body, "stop_reason").empty()) {
      return Error{ErrorCode::Unavailable, "an answer without content in it",
                   "check that the address is that of a Messages server"};
    }
    add_message(&body);
    for (std::size_t i = 0; content != nullptr && i < content->size(); ++i) {
      HELVE_TRY(begin_block(i, (*content)[i]));
    }
    add_end(&body);
    is_over_ = true;
    return {};
  }

  Result<void> add_event(const SseEvent& event) override {
    if (event.data.empty() || event.data == "[DONE]") return {};
    HELVE_ASSIGN(const TypedEvent typed, read_typed_event(event));
    return add_typed(typed.type, typed.body);
  }

  bool is_over() const override { return is_over_; }
  bool is_complete() const override { return is_over_ || !reason_.empty(); }
  bool has_usage() const override { return has_usage_; }

  Answer take() override {
    bool has_thinking = false;
    JsonValue::Array whole;
    for (auto& [index, block] : blocks_) {
      const std::string_view type = block.type();
      has_thinking = has_thinking || type == "thinking" || type == "redacted_thinking";
      if (type == "text") answer_.text += block.text;
      if (type == "thinking") answer_.reasoning += block.text;
      if (type == "tool_use") answer_.calls.push_back(call_of(block));
      const bool is_empty = type == "text" && block.text.empty();  // refused when it goes back
      if (!is_empty) whole.push_back(finished(block));
    }
    if (has_thinking) answer_.opaque.push_back({"anthropic", JsonValue(std::move(whole))});
    answer_.stop = anthropic_stop(reason_, !answer_.calls.empty());
    settle_usage();
    return std::move(answer_);
  }

 private:
  Result<void> add_typed(std::string_view type, const JsonValue& event) {
    if (type == "message_start") {
      add_message(event.find("message"));
    } else if (type == "content_block_start") {
      const JsonValue* block = event.find("content_block");
      if (block != nullptr) return begin_block(count_at(&event, "index"), *block);
    } else if (type == "content_block_delta") {
      return add_delta(count_at(&event, "index"), event.find("delta"));
    } else if (type == "message_delta") {
      add_end(event.find("delta"));
      add_usage(event.find("usage"));
    } else if (type == "message_stop") {
      is_over_ = true;
    }
    return {};  // ping, and what there will be one day
  }

  void add_message(const JsonValue* message) {
    answer_.model = text_at(message, "model");
    add_usage(member_of(message, "usage"));
  }
  void add_end(const JsonValue* message) {
    const std::string_view reason = text_at(message, "stop_reason");
    if (!reason.empty()) reason_ = reason;
  }

  Result<Block*> block_at(std::uint64_t index) {
    const auto found = blocks_.find(index);
    if (found != blocks_.end()) return &found->second;
    if (blocks_.size() >= kBlocksMax) return too_many_blocks();
    return &blocks_[index];
  }

  static Error too_many_blocks() {
    return {ErrorCode::LimitExceeded, "the answer has too many blocks", "ask for less at a time"};
  }

  Result<void> begin_block(std::uint64_t index, const JsonValue& began) {
    if (began.if_object() == nullptr) return {};
    HELVE_ASSIGN(Block* const block, block_at(index));
    *block = {began, {}, {}, {}};
    const std::string_view type = block->type();
    if (type == "text") add_text(*block, text_at(&began, "text"));
    if (type == "thinking") {
      add_thinking(*block, text_at(&began, "thinking"));
      block->signature = text_at(&began, "signature");
    }
    if (type != "tool_use") return {};
    if (++calls_ > kCallsMax) return too_many_calls();
    return {};
  }

  Result<void> add_delta(std::uint64_t index, const JsonValue* delta) {
    const std::string_view type = text_at(delta, "type");
    if (!blocks_.contains(index)) {
      const std::string_view of = block_type_of(type);
      if (of.empty()) return {};
      // Some servers leave out the beginning of a block.
      HELVE_TRY(begin_block(index, JsonValue(JsonValue::Object{{"type", JsonValue(of)}})));
    }
    Block& block = blocks_[index];
    if (type == "text_delta") add_text(block, text_at(delta, "text"));
    if (type == "thinking_delta") add_thinking(block, text_at(delta, "thinking"));
    if (type == "signature_delta") block.signature += text_at(delta, "signature");
    if (type == "input_json_delta") block.written += text_at(delta, "partial_json");
    return {};
  }

  void add_text(Block& block, std::string_view text) {
    block.text += text;
    pieces_.text(text);
  }
  void add_thinking(Block& block, std::string_view text) {
    block.text += text;
    pieces_.reasoning(text);
  }

  // Arguments in pieces count; without any, those that the block began with.
  static ToolUse call_of(const Block& block) {
    const JsonValue& began = block.as_it_began;
    return make_call(
        std::string(text_at(&began, "id")), std::string(text_at(&began, "name")),
        block.written.empty() ? written_arguments(began.find("input")) : block.written);
  }

  // As it would stand in an answer that was not streamed.
  static JsonValue finished(const Block& block) {
    JsonValue whole = block.as_it_began;
    const std::string_view type = block.type();
    if (type == "text") set_member(whole, "text", JsonValue(block.text));
    if (type == "thinking") {
      set_member(whole, "thinking", JsonValue(block.text));
      set_member(whole, "signature", JsonValue(block.signature));
    }
    if (type == "tool_use") {
      JsonValue arguments = call_of(block).arguments;
      if (arguments.is_null()) {
        arguments = JsonValue(JsonValue::Object{{"not_an_object", JsonValue(block.written)}});
      }
      set_member(whole, "input", std::move(arguments));
    }
    return whole;
  }

  // Numbers grow over the events: one that is less was left out.
  void add_usage(const JsonValue* usage) {
    if (usage == nullptr || usage->if_object() == nullptr) return;
    has_usage_ = true;
    const auto take = [usage](const char* key, std::uint64_t& into) {
      into = std::max(into, count_at(usage, key));
    };
    take("input_tokens", uncached_);
    take("cache_read_input_tokens", answer_.usage.cached_tokens);
    take("cache_creation_input_tokens", answer_.usage.cache_write_tokens);
    take("output_tokens", answer_.usage.output_tokens);
  }

  // What this server calls input leaves out what concerns its cache.
  void settle_usage() {
    Usage total;
    for (const std::uint64_t part :
         {uncached_, answer_.usage.cached_tokens, answer_.usage.cache_write_tokens}) {
      Usage one;
      one.input_tokens = part;
      total += one;
    }
    answer_.usage.input_tokens = total.input_tokens;
    has_usage_ = has_usage_ && (total.input_tokens > 0 || answer_.usage.output_tokens > 0);
  }

  Pieces& pieces_;
  Answer answer_;
  std::string reason_;
  std::map<std::uint64_t, Block> blocks_;  // by index
  std::uint64_t uncached_ = 0;
  std::size_t calls_ = 0;
  bool has_usage_ = false;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<AnswerReader> read_anthropic_answer(Pieces& pieces) {
  return std::make_unique<AnthropicAnswer>(pieces);
}

}  // namespace helve::llm
