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

bool needs_url(const InputRequest& request) {
  const JsonValue* const mode = request.params.find("mode");
  return mode != nullptr && mode->if_string() != nullptr && *mode->if_string() == "url";
}

bool can_ask(const InputRequest& request, const Turn& turn) {
  const std::string_view name = capability_of(request);
  if (name != "elicitation") return turn.can(name);
  return needs_url(request) ? turn.can("elicitation.url") : takes_forms(turn);
}

}  // namespace

bool takes_forms(const Turn& turn) {
  return turn.can("elicitation.form") || (turn.can("elicitation") && !turn.can("elicitation.url"));
}

std::optional<RpcError> missing_capability(const std::vector<InputRequest>& requests,
                                           const Turn& turn) {
  JsonValue::Object missing;
  for (const InputRequest& request : requests) {
    const std::string_view name = capability_of(request);
    if (can_ask(request, turn)) continue;
    const bool is_listed = std::any_of(missing.begin(), missing.end(),
                                       [&](const JsonMember& one) { return one.key == name; });
    if (is_listed) continue;
    JsonValue::Object needed;
    if (needs_url(request)) needed.push_back({"url", JsonValue(JsonValue::Object{})});
    // Said only to those who offer another way: by itself elicitation is by forms.
    if (!needs_url(request) && turn.can(name)) {
      needed.push_back({"form", JsonValue(JsonValue::Object{})});
    }
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
