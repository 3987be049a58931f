#include "surfaces/mcp/server/call_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_writer.h"
#include "surfaces/mcp/server/missing_capability.h"

namespace helve::mcp {

namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

// Of a feature that tells its own progress.
constexpr Duration kSilenceMax = std::chrono::seconds(5);

std::string input_required(const std::vector<InputRequest>& requests, std::string_view state) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("inputRequests");
  writer.begin_object();
  for (const InputRequest& request : requests) {
    writer.key(request.key);
    writer.begin_object();
    writer.member("method", request.method);
    writer.key("params");
    write_json(
        request.params.if_object() != nullptr ? request.params : JsonValue(JsonValue::Object{}),
        writer);
    writer.end_object();
  }
  writer.end_object();
  writer.member("requestState", state);
  writer.end_object();
  return out;
}

}  // namespace

std::string_view name_of(LogLevel level) { return kLevels.at(static_cast<std::size_t>(level)); }

std::optional<LogLevel> find_log_level(std::string_view name) {
  const auto found = std::find(kLevels.begin(), kLevels.end(), name);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevels.begin());
}

CallTurn::CallTurn(TurnSetting setting, SharedState& shared)
    : setting_(std::move(setting)),
      state_(setting_.state.value_or("")),
      shared_(shared),
      started_(shared.env.clock().now()) {
  op_.cancel = setting_.cancel;
  op_.executor = shared.executor;
  op_.spill = shared.options.spill;
  op_.meter = &meter_;
  if (!setting_.progress_token.empty()) watch_ = shared_.watch.add([this] { look(); });
}

CallTurn::~CallTurn() {
  if (watch_ != 0) shared_.watch.remove(watch_);
}

bool CallTurn::can(std::string_view capability) const {
  const std::size_t dot = capability.find('.');
  const JsonValue* const found = setting_.capabilities->find(capability.substr(0, dot));
  if (found == nullptr || found->if_object() == nullptr) return false;
  return dot == std::string_view::npos || found->find(capability.substr(dot + 1)) != nullptr;
}

// A feature that tells its own progress and is silent for long (a model that thinks) is told to be
// alive by a step that is hardly one: clients give up calls of which they hear nothing.
void CallTurn::look() {
  const MonotonicTime now = shared_.env.clock().now();
  auto done = static_cast<double>(meter_.done());
  std::optional<double> total;
  {
    const std::lock_guard lock(mutex_);
    if (tells_itself_) {
      if (now - last_told_ < kSilenceMax) return;
      constexpr double kHardlyAStep = 0.001;
      done = last_progress_ + kHardlyAStep;
      total = last_total_;
    } else if (done <= last_progress_ || done == 0) {
      return;
    }
  }
  const std::chrono::duration<double> took = now - started_;
  send_progress(done, total, fmt::format("working for {:.1f} s", took.count()));
}

void CallTurn::progress(double done, std::optional<double> total, std::string_view message) {
  {
    const std::lock_guard lock(mutex_);
    tells_itself_ = true;
  }
  send_progress(done, total, message);
}

void CallTurn::send_progress(double done, std::optional<double> total, std::string_view message) {
  if (setting_.progress_token.empty() || setting_.cancel.is_cancelled()) return;
  // Held while it is sent, so that what is sent increases.
  const std::lock_guard lock(mutex_);
  if (done <= last_progress_) return;
  last_progress_ = done;
  last_total_ = total;
  last_told_ = shared_.env.clock().now();
  std::string params = R"({"progressToken":)" + setting_.progress_token;
  params += fmt::format(R"(,"progress":{})", done);
  if (total) params += fmt::format(R"(,"total":{})", *total);
  if (!message.empty()) {
    params += R"(,"message":)";
    append_json_string(params, message);
  }
  params += '}';
  setting_.channel->send(notification_message("notifications/progress", params));
}

void CallTurn::log(LogLevel level, std::string_view logger, std::string_view data) {
  if (!setting_.log_level || level < *setting_.log_level || setting_.cancel.is_cancelled()) return;
  std::string params = fmt::format(R"({{"level":"{}","logger":)", name_of(level));
  append_json_string(params, logger);
  params += R"(,"data":)";
  params += data;
  params += '}';
  setting_.channel->send(notification_message("notifications/message", params));
}

std::optional<InputAnswers> CallTurn::ask(std::vector<InputRequest> requests, std::string state) {
  if (auto missing = missing_capability(requests, *this)) {
    interruption = *std::move(missing);
    return std::nullopt;
  }
  if (!is_modern(setting_.revision)) return ask_now(requests);
  InputAnswers answers;
  for (const InputRequest& request : requests) {
    // Answers count only with the state of the question: nobody can answer before being asked.
    const JsonValue* given = setting_.state ? answer(request.key) : nullptr;
    if (given == nullptr || given->if_object() == nullptr) {
      interruption = input_required(requests, shared_.states.seal(setting_.scope(), state));
      return std::nullopt;
    }
    answers.emplace_back(request.key, *given);
  }
  return answers;
}

std::optional<InputAnswers> CallTurn::ask_now(const std::vector<InputRequest>& requests) {
  if (!setting_.channel->can_ask()) {
    return fail(code::kInvalidRequest,
                {"this must ask the client, and only a stream can: accept text/event-stream"});
  }
  InputAnswers answers;
  for (const InputRequest& request : requests) {
    auto outcome = setting_.ask(request, *setting_.channel, op_);
    if (auto* failure = std::get_if<AskFailure>(&outcome)) {
      return fail(code::kInternalError, std::move(*failure));
    }
    answers.emplace_back(request.key, std::get<JsonValue>(std::move(outcome)));
  }
  return answers;
}

std::nullopt_t CallTurn::fail(int rpc_code, AskFailure failure) {
  interruption = RpcError{rpc_code, failure.message, {}};
  failure_ = std::move(failure);
  return std::nullopt;
}

std::optional<AskFailure> CallTurn::take_failure() {
  if (failure_) interruption.reset();
  return std::exchange(failure_, std::nullopt);
}

const JsonValue* CallTurn::answer(std::string_view key) const { return setting_.answers.find(key); }

}  // namespace helve::mcp
