// The model of replay.h: answers of a trajectory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "agent/llm/exchange_json.h"
#include "agent/trajectory/json_members.h"
#include "agent/trajectory/replay.h"

namespace helve::agent {

namespace {

struct RecordedAnswer {
  std::string hash;
  Result<llm::Answer> answer;
  bool is_used = false;
};

llm::Stop read_stop(std::string_view name) {
  using llm::Stop;
  constexpr std::array<std::pair<std::string_view, Stop>, 4> kStops = {{
      {"end_turn", Stop::EndTurn},
      {"tool_calls", Stop::ToolCalls},
      {"output_cap", Stop::OutputCap},
      {"refusal", Stop::Refusal},
  }};
  const auto found = std::find_if(kStops.begin(), kStops.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == kStops.end() ? Stop::Other : found->second;
}

ErrorCode read_code(std::string_view name) {
  for (int code = 1; code <= static_cast<int>(ErrorCode::Cancelled); ++code) {
    if (error_code_name(static_cast<ErrorCode>(code)) == name) return static_cast<ErrorCode>(code);
  }
  return ErrorCode::Unavailable;
}

std::vector<llm::ToolUse> read_calls(const JsonValue& answer) {
  std::vector<llm::ToolUse> calls;
  const JsonValue list = member(answer, "calls");
  if (list.if_array() == nullptr) return calls;
  for (const JsonValue& one : *list.if_array()) {
    llm::ToolUse call;
    call.id = text_member(one, "id");
    call.name = text_member(one, "name");
    call.arguments = member(one, "arguments");
    call.written = text_member(one, "written");
    if (call.written.empty() && !call.arguments.is_null()) call.written = to_json(call.arguments);
    calls.push_back(std::move(call));
  }
  return calls;
}

Result<llm::Answer> read_answer(const JsonValue& body) {
  const JsonValue error = member(body, "error");
  if (error.if_object() != nullptr) {
    return Error{read_code(text_member(error, "code")), text_member(error, "message"),
                 text_member(error, "hint")};
  }
  if (error.if_string() != nullptr && !error.if_string()->empty()) {
    return Error{read_code(text_member(body, "code")), *error.if_string()};
  }
  const JsonValue answer = member(body, "answer");
  llm::Answer out;
  out.text = text_member(answer, "text");
  out.reasoning = text_member(answer, "reasoning");
  out.calls = read_calls(answer);
  out.stop = read_stop(text_member(answer, "stop"));
  out.usage = llm::usage_in(member(body, "usage"));
  out.model = text_member(answer, "model");
  out.retries = static_cast<unsigned>(count_member(body, "retries").value_or(0));
  return out;
}

class RecordedModel final : public llm::Provider {
 public:
  RecordedModel(const std::vector<TrajectoryEvent>& events, RequestHash hash)
      : hash_(std::move(hash)) {
    for (const TrajectoryEvent& event : events) {
      if (event.kind == EventKind::RunStart) take_names(event.body);
      if (event.kind != EventKind::LlmCall) continue;
      answers_.push_back({text_member(event.body, "request_hash"), read_answer(event.body)});
      const std::string named = text_member(member(event.body, "answer"), "model");
      if (model_.empty()) model_ = named;
    }
  }

  Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                               const llm::StreamSink* sink) override {
    HELVE_TRY(context.check());
    const std::string hash = hash_ ? hash_(request) : std::string();
    HELVE_ASSIGN(llm::Answer answer, take(hash));
    if (sink != nullptr && sink->on_reasoning && !answer.reasoning.empty()) {
      sink->on_reasoning(answer.reasoning);
    }
    if (sink != nullptr && sink->on_text && !answer.text.empty()) sink->on_text(answer.text);
    return answer;
  }

  std::string name() const override { return name_; }
  std::string model() const override { return model_; }

 private:
  void take_names(const JsonValue& start) {
    const JsonValue config = member(start, "config");
    model_ = text_member(start, "model");
    if (model_.empty()) model_ = text_member(config, "model");
    name_ = text_member(start, "provider");
    if (name_.empty()) name_ = text_member(config, "provider");
    if (name_.empty()) name_ = "recorded";
  }

  Result<llm::Answer> take(const std::string& hash) {
    const std::lock_guard lock(mutex_);
    auto found = hash.empty() ? answers_.end()
                              : std::find_if(answers_.begin(), answers_.end(),
                                             [&](const RecordedAnswer& one) {
                                               return !one.is_used && one.hash == hash;
                                             });
    if (found == answers_.end()) {
      found = std::find_if(answers_.begin(), answers_.end(),
                           [](const RecordedAnswer& one) { return !one.is_used; });
    }
    if (found == answers_.end()) {
      return Error{ErrorCode::Unavailable,
                   fmt::format("the recorded run has {} answers of the model, and one more was "
                               "asked for",
                               answers_.size()),
                   "the run has gone another way than it was recorded"};
    }
    found->is_used = true;
    return found->answer;
  }

  RequestHash hash_;
  std::string name_ = "recorded";
  std::string model_;
  std::mutex mutex_;
  std::vector<RecordedAnswer> answers_;
};

// Another name for it: run_start says which models were there.
class RenamedModel final : public llm::Provider {
 public:
  RenamedModel(std::shared_ptr<llm::Provider> model, std::string name)
      : inner_(std::move(model)), model_(std::move(name)) {}

  Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                               const llm::StreamSink* sink) override {
    return inner_->complete(request, context, sink);
  }
  bool tells_cost() const override { return inner_->tells_cost(); }
  std::optional<double> cost_of(const llm::Usage& usage) const override {
    return inner_->cost_of(usage);
  }
  std::string name() const override { return inner_->name(); }
  std::string model() const override { return model_; }

 private:
  std::shared_ptr<llm::Provider> inner_;
  std::string model_;
};

}  // namespace

std::shared_ptr<llm::Provider> recorded_model(const std::vector<TrajectoryEvent>& events,
                                              RequestHash hash) {
  return std::make_shared<RecordedModel>(events, std::move(hash));
}

std::shared_ptr<llm::Provider> recorded_sub_model(std::shared_ptr<llm::Provider> model,
                                                  const std::vector<TrajectoryEvent>& events) {
  for (const TrajectoryEvent& event : events) {
    if (event.kind != EventKind::RunStart) continue;
    const std::string name = text_member(member(event.body, "config"), "sub_model");
    if (name.empty() || name == model->model()) return nullptr;
    return std::make_shared<RenamedModel>(std::move(model), name);
  }
  return nullptr;
}

RecordedWords recorded_words(const std::vector<TrajectoryEvent>& events) {
  RecordedWords words;
  for (const TrajectoryEvent& event : events) {
    if (event.kind != EventKind::Steering) continue;
    words[count_member(event.body, "n").value_or(0)] = {text_member(event.body, "message"),
                                                        is_true_member(event.body, "stop")};
  }
  return words;
}

}  // namespace helve::agent
