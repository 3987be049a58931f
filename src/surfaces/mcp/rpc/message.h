// Messages of JSON-RPC 2.0 as MCP uses it: reading what came in, writing what goes out. Knows
// nothing of methods (server/) nor of how bytes travel (stdio/, http/).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/limits.h"

namespace helve::mcp {

// The id of a request as the text of its JSON: 7 or "seven". Equal ids have equal texts.
using RequestId = std::string;

namespace code {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;  // before 2026-07-28
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
inline constexpr int kBusy = -31000;  // ours: try again later
}  // namespace code

struct RpcError {
  int code = code::kInternalError;
  std::string message;
  std::optional<JsonValue> data;
};

struct Request {
  RequestId id;
  std::string method;
  JsonValue params;  // an object, or null where there are none
};

struct Notification {
  std::string method;
  JsonValue params;
};

struct Response {
  RequestId id;
  std::variant<JsonValue, RpcError> outcome;
};

// What is no message. The id is there where it could be read.
struct Malformed {
  std::optional<RequestId> id;
  RpcError error;
};

using Message = std::variant<Request, Notification, Response, Malformed>;

struct Incoming {
  std::vector<Message> messages;  // at least one
  bool is_batch = false;          // an array of them, which only 2025-03-26 knows
};

// Reads one document. Never fails: what is wrong is Malformed. Batches beyond batch_max messages
// are one Malformed.
inline constexpr std::size_t kBatchMax = 100;
Incoming read_incoming(std::string_view text, const Limits& limits);

// The id that a value is; nullopt where it can be none.
std::optional<RequestId> request_id(const JsonValue& value);

// What a client sent as an error may repeat it: its beginning, without control characters.
std::string shown(std::string_view text);

// One JSON document each, without a line end. `params` and `result` are texts of JSON objects.
std::string result_message(const RequestId& id, std::string_view result);
std::string error_message(const std::optional<RequestId>& id, const RpcError& error);
std::string notification_message(std::string_view method, std::string_view params);
std::string request_message(const RequestId& id, std::string_view method, std::string_view params);

}  // namespace helve::mcp
