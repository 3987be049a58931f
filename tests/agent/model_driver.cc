// helve_model_driver: the real providers over real HTTP, for models_test.py, which has the server.
// One job on each line of standard input, as JSON; one line for each on standard output:
//   {"dialect", "url", "stream", "follow_up", "cancel_at_piece", "cancel_after_ms",
//    "retries_max", "answer_timeout_ms", "silence_timeout_ms", "answer_bytes_max"}
//   {"answer" or "error", "pieces", "reasoning", "slept_ms", "after_cancel_ms" where it was}
// Waits between tries take no time and are told.
#include <atomic>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include "agent/llm/exchange_json.h"
#include "agent/llm/provider_settings.h"
#include "agent/llm/script_lines.h"
#include "base/env.h"
#include "base/http.h"
#include "base/json.h"

namespace helve::llm {
namespace {

// Sleeping moves the time.
class EagerClock final : public Clock {
 public:
  MonotonicTime now() const override { return real_clock().now() + slept_.load(); }
  WallTime wall() const override { return real_clock().wall() + slept_.load(); }
  void sleep_for(Duration duration) override { slept_ = slept_.load() + duration; }
  Duration slept() const { return slept_; }

 private:
  std::atomic<Duration> slept_{Duration(0)};
};

class EagerEnv final : public Env {
 public:
  EagerClock& clock() override { return clock_; }
  Files& files() override { return real_env().files(); }
  Http& http() override { return real_env().http(); }
  Processes& processes() override { return real_env().processes(); }
  Random& random() override { return real_env().random(); }

 private:
  EagerClock clock_;
};

std::uint64_t number(const JsonValue& job, const char* key, std::uint64_t otherwise) {
  const JsonValue* value = job.find(key);
  return value != nullptr ? value->to_uint64().value_or(otherwise) : otherwise;
}

std::string text(const JsonValue& job, const char* key) {
  const JsonValue* value = job.find(key);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
}

bool is_set(const JsonValue& job, const char* key) {
  const JsonValue* value = job.find(key);
  return value != nullptr && value->if_bool() != nullptr && *value->if_bool();
}

Result<ProviderSettings> settings_of(const JsonValue& job) {
  ProviderSettings settings;
  HELVE_ASSIGN(settings.dialect, read_dialect(text(job, "dialect")));
  settings.url = text(job, "url");
  settings.model = text(job, "model").empty() ? "fake" : text(job, "model");
  settings.key = "env:HELVE_MODEL_DRIVER_KEY";
  settings.prices = Prices{1, 0.1, 1.25, 10};
  settings.retries_max = static_cast<unsigned>(number(job, "retries_max", settings.retries_max));
  settings.answer_bytes_max = number(job, "answer_bytes_max", settings.answer_bytes_max);
  settings.answer_timeout = std::chrono::milliseconds(number(job, "answer_timeout_ms", 20'000));
  settings.silence_timeout = std::chrono::milliseconds(number(job, "silence_timeout_ms", 20'000));
  return settings;
}

Request first_request() {
  Request request;
  request.system = "Be brief.";
  request.tools = {{"find", "Finds places.", *parse_json(R"({"type":"object","properties":{}})")}};
  request.messages.push_back({Role::User, "Where are you?", {}, {}, false, {}});
  return request;
}

// The conversation with the answer, and a result for each of its calls.
void add_turn(Request& request, const Answer& answer) {
  request.messages.push_back(
      {Role::Assistant, answer.text, answer.calls, {}, false, answer.opaque});
  for (const ToolUse& call : answer.calls) {
    const bool is_error = &call != &answer.calls.front();
    request.messages.push_back({Role::Tool, "result of " + call.id, {}, call.id, is_error, {}});
  }
}

class Job {
 public:
  explicit Job(const JsonValue& job)
      : job_(job), cancel_at_piece_(number(job, "cancel_at_piece", 0)) {}

  std::string run() {
    auto outcome = ask();
    JsonValue::Object told{
        {"pieces", JsonValue(std::move(pieces_))},
        {"reasoning", JsonValue(reasoning_)},
        {"slept_ms", JsonValue(std::int64_t{env_.clock().slept() / std::chrono::milliseconds(1)})}};
    if (cancelled_at_) {
      const Duration after = real_clock().now() - *cancelled_at_;
      told.push_back(
          {"after_cancel_ms", JsonValue(std::int64_t{after / std::chrono::milliseconds(1)})});
    }
    if (outcome) {
      told.push_back({"answer", to_json_value(*outcome)});
    } else {
      told.push_back({"error", to_json_value(outcome.error())});
    }
    return to_json(JsonValue(std::move(told)));
  }

 private:
  Result<Answer> ask() {
    HELVE_ASSIGN(const ProviderSettings settings, settings_of(job_));
    HELVE_ASSIGN(const auto provider, open_provider(settings, env_));
    const StreamSink sink{[this](std::string_view piece) { take(piece); },
                          [this](std::string_view piece) { reasoning_ += piece; }};
    const StreamSink* streamed = is_set(job_, "stream") ? &sink : nullptr;
    std::thread canceller;
    if (const std::uint64_t ms = number(job_, "cancel_after_ms", 0); ms > 0) {
      canceller = std::thread([this, ms] {
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        cancel();
      });
    }
    Request request = first_request();
    auto answer = provider->complete(request, context_, streamed);
    if (answer && is_set(job_, "follow_up")) {
      add_turn(request, *answer);
      answer = provider->complete(request, context_, streamed);
    }
    if (canceller.joinable()) canceller.join();
    return answer;
  }

  void take(std::string_view piece) {
    pieces_.emplace_back(piece);
    if (pieces_.size() == cancel_at_piece_) cancel();
  }

  void cancel() {
    cancelled_at_ = real_clock().now();
    context_.cancel.cancel();
  }

  const JsonValue& job_;
  std::uint64_t cancel_at_piece_;
  EagerEnv env_;
  OpContext context_;
  JsonValue::Array pieces_;
  std::string reasoning_;
  std::optional<MonotonicTime> cancelled_at_;  // read once the thread that cancels has ended
};

}  // namespace
}  // namespace helve::llm

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto job = helve::parse_json(line);
    if (!job) return 2;
    std::puts(helve::llm::Job(*job).run().c_str());
    std::fflush(stdout);
  }
  return 0;
}
