// FakeModel: a model that answers from a script and keeps what it was asked. FakeTrajectory keeps
// the lines of a run.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/trajectory/trajectory.h"
#include "base/json.h"

namespace helve::testing {

// One turn of a script.
using ModelStep = std::function<Result<llm::Answer>(
    const llm::Request& request, const OpContext& context, const llm::StreamSink* sink)>;

inline llm::Answer answer_of(std::string text) {
  llm::Answer answer;
  answer.text = std::move(text);
  answer.usage.input_tokens = 100;
  answer.usage.cached_tokens = 40;
  answer.usage.output_tokens = 10;
  answer.usage.cost = 0.01;
  answer.model = "fake-1";
  return answer;
}

inline ModelStep gives(llm::Answer answer) {
  return [answer = std::move(answer)](const llm::Request&, const OpContext&,
                                      const llm::StreamSink* sink) -> Result<llm::Answer> {
    if (sink != nullptr && sink->on_text && !answer.text.empty()) {
      const std::size_t half = answer.text.size() / 2;
      sink->on_text(std::string_view(answer.text).substr(0, half));
      sink->on_text(std::string_view(answer.text).substr(half));
    }
    return answer;
  };
}

inline ModelStep says(std::string text) { return gives(answer_of(std::move(text))); }

// Names and arguments; what is no JSON goes as it is written.
inline ModelStep calls(const std::vector<std::pair<std::string, std::string>>& wanted,
                       std::string text = {}) {
  llm::Answer answer = answer_of(std::move(text));
  answer.stop = llm::Stop::ToolCalls;
  for (const auto& [name, written] : wanted) {
    llm::ToolUse use;
    use.id = "id" + std::to_string(answer.calls.size());
    use.name = name;
    use.written = written;
    auto parsed = parse_json(written);
    if (parsed && parsed->if_object() != nullptr) use.arguments = *std::move(parsed);
    answer.calls.push_back(std::move(use));
  }
  return gives(std::move(answer));
}

inline ModelStep submits(std::string_view arguments) {
  return calls({{"submit", std::string(arguments)}});
}

inline ModelStep fails(Error error) {
  return
      [error = std::move(error)](const llm::Request&, const OpContext&,
                                 const llm::StreamSink*) -> Result<llm::Answer> { return error; };
}

inline ModelStep refuses() {
  llm::Answer answer = answer_of("I will not do that.");
  answer.stop = llm::Stop::Refusal;
  return gives(std::move(answer));
}

// Streams until its context ends it.
inline ModelStep streams_on() {
  return [](const llm::Request&, const OpContext& context,
            const llm::StreamSink* sink) -> Result<llm::Answer> {
    while (true) {
      HELVE_TRY(context.check());
      if (sink != nullptr && sink->on_text) sink->on_text("more ");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
}

// Thread-safe. The last step is repeated where more is asked for than the script has.
class FakeModel final : public llm::Provider {
 public:
  explicit FakeModel(std::vector<ModelStep> script) : script_(std::move(script)) {}

  Result<llm::Answer> complete(const llm::Request& request, const OpContext& context,
                               const llm::StreamSink* sink) override {
    ModelStep step;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      if (script_.empty()) return Error{ErrorCode::Unavailable, "the script is empty"};
      step = script_[std::min(requests_.size(), script_.size()) - 1];
    }
    return step(request, context, sink);
  }
  // As an answer of its script: 0.01 for 110 tokens.
  std::optional<double> cost_of(const llm::Usage& usage) const override {
    return static_cast<double>(usage.input_tokens + usage.output_tokens) * 0.01 / 110;
  }
  std::string name() const override { return "fake"; }
  std::string model() const override { return "fake-1"; }

  std::vector<llm::Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::size_t asked() const { return requests().size(); }
  llm::Request request(std::size_t number) const { return requests().at(number); }

 private:
  mutable std::mutex mutex_;
  std::vector<ModelStep> script_;
  std::vector<llm::Request> requests_;
};

// Thread-safe.
class FakeTrajectory final : public agent::TrajectorySink {
 public:
  void add(agent::EventKind kind, JsonValue body) override {
    const std::lock_guard lock(mutex_);
    events_.push_back({kind, std::move(body)});
  }
  Result<void> finish() override { return {}; }

  std::vector<JsonValue> of(agent::EventKind kind) const {
    const std::lock_guard lock(mutex_);
    std::vector<JsonValue> found;
    for (const agent::TrajectoryEvent& event : events_) {
      if (event.kind == kind) found.push_back(event.body);
    }
    return found;
  }
  // One line for each event, times apart.
  std::string lines() const {
    const std::lock_guard lock(mutex_);
    std::string lines;
    for (const agent::TrajectoryEvent& event : events_) {
      JsonValue body = event.body;
      std::erase_if(*body.if_object(), [](const JsonMember& one) { return one.key == "ms"; });
      lines += std::to_string(static_cast<int>(event.kind)) + " " + to_json(body) + "\n";
    }
    return lines;
  }
  std::vector<agent::EventKind> kinds() const {
    const std::lock_guard lock(mutex_);
    std::vector<agent::EventKind> kinds;
    for (const agent::TrajectoryEvent& event : events_) kinds.push_back(event.kind);
    return kinds;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<agent::TrajectoryEvent> events_;
};

}  // namespace helve::testing
