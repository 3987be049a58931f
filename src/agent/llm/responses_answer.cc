#include "agent/llm/responses_answer.h"

#include <algorithm>
#include <map>
#include <optional>

#include "agent/llm/answer_parts.h"

namespace helve::llm {

namespace {

constexpr std::size_t kItemsMax = 1'024;

// One item of output as it comes.
struct Item {
  JsonValue value;
  bool is_done = false;
  std::string written;  // arguments in pieces
};

std::string reasoning_of(const JsonValue& item) {
  std::string shown;
  for (const char* list : {"summary", "content"}) {
    const JsonValue::Array* parts = array_at(&item, list);
    for (std::size_t i = 0; parts != nullptr && i < parts->size(); ++i) {
      if (!shown.empty()) shown += '\n';
      shown += text_at(&(*parts)[i], "text");
    }
  }
  return shown;
}

bool has_refusal(const JsonValue& item) {
  const JsonValue::Array* parts = array_at(&item, "content");
  return parts != nullptr && std::any_of(parts->begin(), parts->end(), [](const JsonValue& part) {
           return text_at(&part, "type") == "refusal";
         });
}

class ResponsesAnswer final : public AnswerReader {
 public:
  explicit ResponsesAnswer(Pieces& pieces) : pieces_(pieces) {}

  Result<void> add_body(const JsonValue& body) override {
    HELVE_TRY(end_with(&body));
    if (array_at(&body, "output") == nullptr) {
      return Error{ErrorCode::Unavailable, "an answer without output in it",
                   "check that the address is that of a Responses server"};
    }
    return {};
  }

  Result<void> add_event(const SseEvent& event) override {
    if (event.data.empty() || event.data == "[DONE]") return {};
    HELVE_ASSIGN(const TypedEvent typed, read_typed_event(event));
    return add_typed(typed.type, typed.body);
  }

  bool is_over() const override { return is_over_; }
  bool is_complete() const override { return is_over_; }
  bool has_usage() const override { return has_usage_; }

  Answer take() override {
    JsonValue::Array output = std::move(output_);
    if (output.empty()) output = items_that_came();
    bool has_refused = false;
    bool has_reasoning = false;
    for (const JsonValue& item : output) {
      const std::string_view type = text_at(&item, "type");
      has_refused = has_refused || has_refusal(item);
      if (type == "function_call") answer_.calls.push_back(call_of(item));
      if (type != "reasoning") continue;
      if (!answer_.reasoning.empty()) answer_.reasoning += '\n';
      answer_.reasoning += reasoning_of(item);
      has_reasoning = true;
    }
    answer_.text = text_of_items(output);
    if (answer_.text.empty()) answer_.text = std::move(text_);
    if (has_reasoning) keep(std::move(output));
    settle_stop(has_refused);
    return std::move(answer_);
  }

 private:
  Result<void> add_typed(std::string_view type, const JsonValue& event) {
    const std::string_view delta = text_at(&event, "delta");
    if (type == "response.output_text.delta" || type == "response.refusal.delta") {
      text_ += delta;
      pieces_.text(delta);
    } else if (type == "response.reasoning_summary_text.delta" ||
               type == "response.reasoning_text.delta") {
      pieces_.reasoning(delta);
    } else if (type == "response.function_call_arguments.delta") {
      HELVE_ASSIGN(Item* const item, item_at(event));
      item->written += delta;
    } else if (type == "response.function_call_arguments.done") {
      HELVE_ASSIGN(Item* const item, item_at(event));
      const std::string whole = written_arguments(event.find("arguments"));
      if (!whole.empty()) item->written = whole;
    } else if (type == "response.output_item.added" || type == "response.output_item.done") {
      return add_item(event, type == "response.output_item.done");
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed") {
      return end_with(event.find("response"));
    }
    return {};
  }

  Result<Item*> item_at(const JsonValue& event) {
    const std::uint64_t index = count_at(&event, "output_index");
    const auto found = items_.find(index);
    if (found != items_.end()) return &found->second;
    if (items_.size() >= kItemsMax) {
      return Error{ErrorCode::LimitExceeded, "the answer has too many items",
                   "ask for less at a time"};
    }
    return &items_[index];
  }

  Result<void> add_item(const JsonValue& event, bool is_done) {
    const JsonValue* value = event.find("item");
    if (value == nullptr || value->if_object() == nullptr) return {};
    HELVE_ASSIGN(Item* const item, item_at(event));
    if (item->is_done && !is_done) return {};
    item->value = *value;
    item->is_done = is_done;
    return {};
  }

  Result<void> end_with(const JsonValue* response) {
    if (response == nullptr) {
      return Error{ErrorCode::Unavailable, "the end of an answer without the answer"};
    }
    if (auto error = error_in(*response)) return *std::move(error);
    status_ = text_at(response, "status");
    if (status_ == "failed") return server_error({}, "the answer has failed");
    incomplete_ = text_at(response->find("incomplete_details"), "reason");
    answer_.model = text_at(response, "model");
    read_usage(response->find("usage"));
    if (const JsonValue::Array* output = array_at(response, "output")) output_ = *output;
    const auto calls = std::count_if(output_.begin(), output_.end(), [](const JsonValue& item) {
      return text_at(&item, "type") == "function_call";
    });
    if (static_cast<std::size_t>(calls) > kCallsMax || items_.size() > kItemsMax) {
      return too_many_calls();
    }
    is_over_ = true;
    return {};
  }

  // Some servers leave the end empty: then what came before it counts.
  JsonValue::Array items_that_came() {
    JsonValue::Array output;
    std::size_t calls = 0;
    for (auto& [index, item] : items_) {
      const bool is_call = text_at(&item.value, "type") == "function_call";
      if (is_call && ++calls > kCallsMax) break;
      const JsonValue* arguments = item.value.find("arguments");
      if (is_call && written_arguments(arguments).empty()) {
        std::erase_if(*item.value.if_object(),
                      [](const JsonMember& member) { return member.key == "arguments"; });
        item.value.if_object()->push_back({"arguments", JsonValue(item.written)});
      }
      if (item.value.if_object() != nullptr) output.push_back(std::move(item.value));
    }
    return output;
  }

  static ToolUse call_of(const JsonValue& item) {
    return make_call(std::string(text_at(&item, "call_id")), std::string(text_at(&item, "name")),
                     written_arguments(item.find("arguments")));
  }

  // Reasoning that is not here in full is known to nobody: the server was told to store nothing.
  void keep(JsonValue::Array output) {
    std::erase_if(output, [](const JsonValue& item) {
      return text_at(&item, "type") == "reasoning" && text_at(&item, "encrypted_content").empty();
    });
    const bool has_reasoning = std::any_of(output.begin(), output.end(), [](const JsonValue& item) {
      return text_at(&item, "type") == "reasoning";
    });
    if (has_reasoning) answer_.opaque.push_back({"responses", JsonValue(std::move(output))});
  }

  void settle_stop(bool has_refused) {
    if (has_refused || incomplete_ == "content_filter") {
      answer_.stop = Stop::Refusal;
    } else if (incomplete_ == "max_output_tokens") {
      answer_.stop = Stop::OutputCap;
    } else if (!answer_.calls.empty()) {
      answer_.stop = Stop::ToolCalls;
    } else {
      const bool is_end = status_ == "completed" || status_.empty();
      answer_.stop = is_end ? Stop::EndTurn : Stop::Other;
    }
  }

  void read_usage(const JsonValue* usage) {
    if (usage == nullptr || usage->if_object() == nullptr) return;
    Usage& told = answer_.usage;
    told.input_tokens = count_at(usage, "input_tokens");
    told.output_tokens = count_at(usage, "output_tokens");
    told.cached_tokens =
        std::min(count_at(usage->find("input_tokens_details"), "cached_tokens"), told.input_tokens);
    has_usage_ = told.input_tokens > 0 || told.output_tokens > 0;
  }

  Pieces& pieces_;
  Answer answer_;
  std::string text_;  // of deltas
  std::string status_;
  std::string incomplete_;
  std::map<std::uint64_t, Item> items_;  // by place in the output
  JsonValue::Array output_;
  bool has_usage_ = false;
  bool is_over_ = false;
};

}  // namespace

std::string text_of_items(const JsonValue::Array& items) {
  std::string text;
  for (const JsonValue& item : items) {
    if (text_at(&item, "type") != "message") continue;
    const JsonValue::Array* parts = array_at(&item, "content");
    for (std::size_t i = 0; parts != nullptr && i < parts->size(); ++i) {
      const JsonValue& part = (*parts)[i];
      const bool is_refusal = text_at(&part, "type") == "refusal";
      text += text_at(&part, is_refusal ? "refusal" : "text");
    }
  }
  return text;
}

std::unique_ptr<AnswerReader> read_responses_answer(Pieces& pieces) {
  return std::make_unique<ResponsesAnswer>(pieces);
}

}  // namespace helve::llm
