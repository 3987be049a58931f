#include "surfaces/mcp/agent/sampling_provider.h"

#include <fmt/format.h>

#include "base/text.h"
#include "surfaces/mcp/agent/sampling_messages.h"

namespace helve::mcp {

namespace {

// What a client carried is what this server gave it: it is signed. Another version may have.
std::vector<JsonValue> read_state(const std::string& state) {
  if (state.empty()) return {};
  auto read = parse_json(state);
  if (!read || read->if_array() == nullptr) return {};
  return std::move(*read->if_array());
}

// Every question has a name of its own: an answer to one is none to the next.
std::string key_of(std::size_t number) { return fmt::format("model-{}", number + 1); }

// Without what answers need not have.
JsonValue kept(const JsonValue& result) {
  JsonValue::Object out;
  for (const char* const key : {"content", "model", "stopReason"}) {
    const JsonValue* const found = result.find(key);
    if (found != nullptr) out.push_back({key, *found});
  }
  return JsonValue(std::move(out));
}

}  // namespace

SamplingProvider::SamplingProvider(Turn& turn)
    : turn_(turn), has_tools_(turn.can("sampling.tools")), answers_(read_state(turn.state())) {}

bool SamplingProvider::is_asking() const {
  const std::lock_guard lock(mutex_);
  return is_asking_;
}

Result<JsonValue> SamplingProvider::ask(const llm::Request& request) {
  std::string state;
  if (is_modern(turn_.revision())) {
    state = to_json(JsonValue(JsonValue::Array(answers_.begin(), answers_.end())));
    if (state.size() > kSamplingStateBytesMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the answers of your model are more than the {} that a call can "
                               "carry",
                               format_bytes(kSamplingStateBytesMax)),
                   "ask for less at once, or configure a model of the server"};
    }
  }
  auto answers =
      turn_.ask({{key_of(asked_), "sampling/createMessage", sampling_params(request, has_tools_)}},
                std::move(state));
  if (answers && answers->size() == 1) return std::move(answers->front().second);
  if (const auto failure = turn_.take_failure()) {
    return Error{failure->is_refusal ? ErrorCode::Denied : ErrorCode::Unavailable,
                 "your own model did not answer: " + failure->message};
  }
  is_asking_ = true;
  return Error{ErrorCode::Cancelled, "the client is asked"};
}

Result<JsonValue> SamplingProvider::next(const llm::Request& request) {
  if (is_asking_) return Error{ErrorCode::Cancelled, "the client is asked"};
  if (asked_ < answers_.size()) return answers_[asked_];
  HELVE_ASSIGN(const JsonValue result, ask(request));
  answers_.push_back(kept(result));
  return answers_.back();
}

Result<llm::Answer> SamplingProvider::complete(const llm::Request& request,
                                               const OpContext& context,
                                               const llm::StreamSink* sink) {
  HELVE_TRY(context.check());
  const std::lock_guard lock(mutex_);
  HELVE_ASSIGN(const JsonValue result, next(request));
  ++asked_;
  HELVE_ASSIGN(llm::Answer answer, read_sampled(result, request, has_tools_));
  if (sink != nullptr && sink->on_text && !answer.text.empty()) sink->on_text(answer.text);
  return answer;
}

}  // namespace helve::mcp
