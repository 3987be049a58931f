// CallTurn: the Turn of one request, over what its connection knows of the client.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/channel.h"
#include "surfaces/mcp/server/shared_state.h"
#include "surfaces/mcp/server/turn.h"

namespace helve::mcp {

// Sends a request to the client and waits for its result: only before 2026-07-28.
using AskClient = std::function<std::variant<JsonValue, AskFailure>(
    const InputRequest& request, Channel& channel, const OpContext& op)>;

struct TurnSetting {
  toolkit::Caller caller;
  Revision revision = kNewestLegacy;
  std::shared_ptr<const JsonValue> capabilities;  // of the client; never null
  std::string progress_token;                     // JSON; empty: no progress is wanted
  std::optional<LogLevel> log_level;              // nullopt: no messages are wanted
  std::shared_ptr<Channel> channel;
  CancelToken cancel;
  AskClient ask;
  std::function<StateScope()> scope;  // of what the client carries; made when it is needed
  std::optional<std::string> state;   // opened; nullopt: the client has brought none
  JsonValue answers;                  // of the client; an object or null
};

class CallTurn final : public Turn {
 public:
  CallTurn(TurnSetting setting, SharedState& shared);
  ~CallTurn() override;
  CallTurn(const CallTurn&) = delete;
  CallTurn& operator=(const CallTurn&) = delete;

  const toolkit::Caller& caller() const override { return setting_.caller; }
  Revision revision() const override { return setting_.revision; }
  const OpContext& op() const override { return op_; }
  bool can(std::string_view capability) const override;
  void progress(double done, std::optional<double> total, std::string_view message) override;
  void log(LogLevel level, std::string_view logger, std::string_view data) override;
  void note_tool(std::string_view tool, bool is_error, Duration took) override {
    has_tool_error_ = is_error;
    shared_.metrics.count_tool(tool, is_error, took);
  }
  std::optional<InputAnswers> ask(std::vector<InputRequest> requests, std::string state) override;
  std::optional<AskFailure> take_failure() override;
  const std::string& state() const override { return state_; }
  const JsonValue* answer(std::string_view key) const override;

  bool has_tool_error() const { return has_tool_error_; }

  // What is sent instead of the result, where the client must first be asked or cannot be:
  // the members of an input_required result, or an error.
  std::optional<std::variant<std::string, RpcError>> interruption;

 private:
  std::optional<InputAnswers> ask_now(const std::vector<InputRequest>& requests);
  std::nullopt_t fail(int rpc_code, AskFailure failure);
  void look();
  void send_progress(double done, std::optional<double> total, std::string_view message);

  TurnSetting setting_;
  std::string state_;
  SharedState& shared_;
  WorkMeter meter_;
  OpContext op_;
  bool has_tool_error_ = false;
  std::optional<AskFailure> failure_;  // that the interruption tells of
  std::mutex mutex_;                   // of the two below
  double last_progress_ = -1;
  std::optional<double> last_total_;
  MonotonicTime last_told_{};
  bool tells_itself_ = false;  // the feature reports its own progress
  MonotonicTime started_;
  std::uint64_t watch_ = 0;
};

}  // namespace helve::mcp
