#include "surfaces/mcp/server/missing_capability.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::mcp {

namespace {

std::string_view capability_of(const InputRequest& request) {
  if (request.method == "sampling/createMessage") return "sampling";
  if (request.method == "roots/list") return "roots";
  return "elicitation";
}

// A form needs no more than elicitation; a page that the user is sent to does.
bool needs_url(const InputRequest& request) {
  const JsonValue* const mode = request.params.find("mode");
  return mode != nullptr && mode->if_string() != nullptr && *mode->if_string() == "url";
}

}  // namespace

std::optional<RpcError> missing_capability(const std::vector<InputRequest>& requests,
                                           const Turn& turn) {
  JsonValue::Object missing;
  for (const InputRequest& request : requests) {
    const std::string_view name = capability_of(request);
    const bool is_url = needs_url(request);
    if (turn.can(name) && (!is_url || turn.can("elicitation.url"))) continue;
    const bool is_listed = std::any_of(missing.begin(), missing.end(),
                                       [&](const JsonMember& one) { return one.key == name; });
    if (is_listed) continue;
    JsonValue::Object needed;
    if (is_url) needed.push_back({"url", JsonValue(JsonValue::Object{})});
    missing.push_back({std::string(name), JsonValue(std::move(needed))});
  }
  if (missing.empty()) return std::nullopt;
  std::string message = fmt::format("this needs a client that offers {}", missing[0].key);
  if (!is_modern(turn.revision())) return RpcError{code::kInvalidRequest, std::move(message), {}};
  JsonValue::Object data;
  data.push_back({"requiredCapabilities", JsonValue(std::move(missing))});
  return RpcError{code::kMissingCapability, std::move(message), JsonValue(std::move(data))};
}

}  // namespace helve::mcp
