// Offer: tools, resources and prompts that a server has. The product's own are in offer/, those of
// the conformance suite in fixtures/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "surfaces/mcp/rpc/message.h"
#include "surfaces/mcp/server/turn.h"

namespace helve::mcp {

enum class ListKind : std::uint8_t { Tools, Resources, ResourceTemplates, Prompts };

// The members of a result as the text of a JSON object, without resultType and _meta, which are the
// server's; or an error of the protocol.
using Outcome = std::variant<std::string, RpcError>;

struct CompletionRequest {
  bool is_prompt = false;  // or a resource template
  std::string name;        // of the prompt, or the URI template
  std::string argument;    // which is being written
  std::string value;       // so far
  JsonValue other;         // what the others have, an object or null
};

struct Completions {
  std::vector<std::string> values;  // all that fit; the server cuts
};

// A parameter of a tool that clients repeat in the header Mcp-Param-<header>.
struct HeaderParameter {
  std::string header;
  std::vector<std::string> path;  // of property names in the arguments
};

// Thread-safe. nullopt: not one of mine.
class Offer {
 public:
  virtual ~Offer() = default;
  // Descriptions, each the text of a JSON object, in the order in which they are listed.
  virtual std::vector<std::string> list(ListKind kind, Turn& turn) = 0;
  // `arguments` is an object.
  virtual std::optional<Outcome> call_tool(const std::string& name, const JsonValue& arguments,
                                           Turn& turn) = 0;
  virtual std::optional<Outcome> read_resource(const std::string& uri, Turn& turn) = 0;
  virtual std::optional<Outcome> get_prompt(const std::string& name, const JsonValue& arguments,
                                            Turn& turn) = 0;
  virtual std::optional<Completions> complete(const CompletionRequest& request, Turn& turn) = 0;
  // Whether a resource is there to be watched.
  virtual bool has_resource(const std::string& uri, Turn& turn) = 0;
  // No turn of this session will come any more. Must not wait: it may be told by a thread that
  // serves others.
  virtual void end_session(const toolkit::Caller& caller) { static_cast<void>(caller); }
  virtual std::vector<HeaderParameter> header_parameters(std::string_view tool) const {
    static_cast<void>(tool);
    return {};
  }
};

}  // namespace helve::mcp
