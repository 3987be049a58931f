#include "surfaces/mcp/server/client_asks.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::mcp {

namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(50);

}  // namespace

std::variant<JsonValue, AskFailure> ClientAsks::ask(const InputRequest& request, Channel& channel,
                                                    const OpContext& op, Duration timeout) {
  RequestId id;
  {
    const std::lock_guard lock(mutex_);
    id = fmt::format("\"helve-{}\"", ++last_);
    waiting_.emplace(id, std::nullopt);
  }
  channel.send(request_message(
      id, request.method,
      request.params.if_object() != nullptr ? to_json(request.params) : std::string("{}")));
  std::unique_lock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + timeout;
  auto place = waiting_.find(id);
  while (!place->second && !is_closed_ && !op.cancel.is_cancelled() && channel.can_ask() &&
         std::chrono::steady_clock::now() < until) {
    came_.wait_for(lock, std::min<Duration>(kLookEvery, until - std::chrono::steady_clock::now()));
  }
  const std::optional<Response> response = std::move(place->second);
  waiting_.erase(place);
  lock.unlock();
  if (!response) {
    channel.send(
        notification_message("notifications/cancelled", fmt::format(R"({{"requestId":{}}})", id)));
    return AskFailure{op.cancel.is_cancelled() ? "the call was cancelled"
                                               : "the client did not answer " + request.method};
  }
  if (const auto* error = std::get_if<RpcError>(&response->outcome)) {
    return AskFailure{fmt::format("the client refused {}: {}", request.method, error->message),
                      /*is_refusal=*/true};
  }
  const auto& result = std::get<JsonValue>(response->outcome);
  if (result.if_object() == nullptr) {
    return AskFailure{"the client answered " + request.method + " with no object",
                      /*is_refusal=*/true};
  }
  return result;
}

void ClientAsks::take(Response response) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(response.id);
    if (found == waiting_.end() || found->second) return;
    found->second = std::move(response);
  }
  came_.notify_all();
}

void ClientAsks::close() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  came_.notify_all();
}

}  // namespace helve::mcp
