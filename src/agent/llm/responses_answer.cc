#include "agent/llm/responses_answer.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "agent/llm/answer_parts.h"

namespace helve::llm {

namespace {

constexpr std::size_t kItemsMax = 1'024;

// One item of output as it comes.
struct Item {
  std::optional<std::uint64_t> index;  // in the output
  std::string id;
  JsonValue value;
  bool is_done = false;
  std::string written;  // arguments in pieces
};

bool is_call(const JsonValue& item) { return text_at(&item, "type") == "function_call"; }

Error too_many_items() {
  return {ErrorCode::LimitExceeded, "the answer has too many items", "ask for less at a time"};
}

void set_arguments(JsonValue& item, std::string written) {
  JsonValue::Object& members = *item.if_object();
  std::erase_if(members, [](const JsonMember& member) { return member.key == "arguments"; });
  members.push_back({"arguments", JsonValue(std::move(written))});
}

// What came before the end, and the output of the end, as one: some servers leave parts of the
// output empty, or all of it.
class Merge {
 public:
  explicit Merge(std::vector<Item> came) : came_(std::move(came)), is_taken_(came_.size(), false) {
    const bool has_places = std::all_of(came_.begin(), came_.end(),
                                        [](const Item& item) { return item.index.has_value(); });
    if (!has_places) return;
    std::stable_sort(came_.begin(), came_.end(),
                     [](const Item& a, const Item& b) { return *a.index < *b.index; });
  }

  JsonValue::Array with(JsonValue::Array output) {
    const bool is_empty = output.empty();
    match(output);
    for (std::size_t i = 0; i < came_.size(); ++i) {
      Item& item = came_[i];
      const std::string_view type = text_at(&item.value, "type");
      if (is_taken_[i] || item.value.if_object() == nullptr) continue;
      // Reasoning is the output's to keep; what was not finished counts where nothing else is.
      const bool is_missed = item.is_done && (is_call(item.value) || type == "message");
      if (!is_empty && !is_missed) continue;
      complete(item.value, item);
      output.push_back(std::move(item.value));
    }
    return output;
  }

 private:
  void match(JsonValue::Array& output) {
    std::vector<bool> is_matched(output.size(), false);
    for (const bool is_by_name : {true, false}) {
      for (std::size_t k = 0; k < output.size(); ++k) {
        if (is_matched[k] || output[k].if_object() == nullptr) continue;
        const Item* item = take(output[k], is_by_name);
        if (item == nullptr) continue;
        is_matched[k] = true;
        complete(output[k], *item);
      }
    }
  }

  // By one of its names, or else the first of its type: some servers give an item another id with
  // every event.
  const Item* take(const JsonValue& value, bool is_by_name) {
    for (std::size_t i = 0; i < came_.size(); ++i) {
      if (is_taken_[i] || !(is_by_name ? has_name_of(came_[i], value) : is_like(came_[i], value))) {
        continue;
      }
      is_taken_[i] = true;
      return &came_[i];
    }
    return nullptr;
  }

  static bool has_name_of(const Item& item, const JsonValue& value) {
    const std::string_view id = text_at(&value, "id");
    const std::string_view call = text_at(&value, "call_id");
    return (!id.empty() && id == item.id) ||
           (!call.empty() && call == text_at(&item.value, "call_id"));
  }

  static bool is_like(const Item& item, const JsonValue& value) {
    const std::string_view one = text_at(&item.value, "call_id");
    const std::string_view other = text_at(&value, "call_id");
    return text_at(&item.value, "type") == text_at(&value, "type") &&
           (one.empty() || other.empty() || one == other);
  }

  static void complete(JsonValue& value, const Item& item) {
    if (!is_call(value) || !written_arguments(value.find("arguments")).empty()) return;
    const std::string written = written_arguments(item.value.find("arguments"));
    set_arguments(value, written.empty() ? item.written : written);
  }

  std::vector<Item> came_;
  std::vector<bool> is_taken_;
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
    bool has_refused = false;
    bool has_reasoning = false;
    for (const JsonValue& item : output) {
      const std::string_view type = text_at(&item, "type");
      has_refused = has_refused || has_refusal(item);
      if (is_call(item)) answer_.calls.push_back(call_of(item));
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

  // By its place, or else by its id. Without both it is the one that is not done yet, unless the
  // event begins one.
  Result<Item*> item_at(const JsonValue& event, bool is_beginning = false) {
    const JsonValue* place = event.find("output_index");
    const auto index = place != nullptr ? place->to_uint64() : std::nullopt;
    std::string_view id = text_at(&event, "item_id");
    if (id.empty()) id = text_at(event.find("item"), "id");
    const auto found = std::find_if(items_.rbegin(), items_.rend(), [&](const Item& item) {
      if (index && item.index) return index == item.index;
      if (!id.empty() && !item.id.empty()) return id == item.id;
      return !index && !item.is_done && (!is_beginning || item.value.is_null());
    });
    if (found != items_.rend()) return &*found;
    if (items_.size() >= kItemsMax) return too_many_items();
    items_.push_back({index, std::string(id), {}, false, {}});
    return &items_.back();
  }

  Result<void> add_item(const JsonValue& event, bool is_done) {
    const JsonValue* value = event.find("item");
    if (value == nullptr || value->if_object() == nullptr) return {};
    HELVE_ASSIGN(Item* const item, item_at(event, !is_done));
    if (item->is_done && !is_done) return {};
    item->value = *value;
    item->is_done = is_done;
    return {};
  }

  Result<void> end_with(const JsonValue* response) {
    if (response == nullptr) {
      return Error{ErrorCode::Unavailable, "the end of an answer without the answer",
                   "try again later"};
    }
    if (auto error = error_in(*response)) return *std::move(error);
    status_ = text_at(response, "status");
    if (status_ == "failed") return server_error({}, "the answer has failed");
    incomplete_ = text_at(response->find("incomplete_details"), "reason");
    answer_.model = text_at(response, "model");
    read_usage(response->find("usage"));
    HELVE_TRY(settle_output(array_at(response, "output")));
    is_over_ = true;
    return {};
  }

  Result<void> settle_output(const JsonValue::Array* output) {
    if (output != nullptr && output->size() > kItemsMax) return too_many_items();
    output_ = Merge(std::move(items_)).with(output != nullptr ? *output : JsonValue::Array());
    const auto calls = std::count_if(output_.begin(), output_.end(), is_call);
    if (static_cast<std::size_t>(calls) > kCallsMax) return too_many_calls();
    return {};
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
  std::vector<Item> items_;  // in the order in which they came
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
