// ClientAsks: requests of the server to the client that wait for their answers. Before 2026-07-28.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "base/op_context.h"
#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/channel.h"
#include "surfaces/mcp/server/turn.h"

namespace helve::mcp {

// Thread-safe.
class ClientAsks {
 public:
  // Sends the request and waits for its result, an object. A failure when the client gives an
  // error, does not answer in time, or has gone.
  std::variant<JsonValue, AskFailure> ask(const InputRequest& request, Channel& channel,
                                          const OpContext& op, Duration timeout);
  // Answers that nobody waits for are dropped.
  void take(Response response);
  // Nobody will answer any more.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::map<RequestId, std::optional<Response>> waiting_;
  std::uint64_t last_ = 0;
  bool is_closed_ = false;
};

}  // namespace helve::mcp
