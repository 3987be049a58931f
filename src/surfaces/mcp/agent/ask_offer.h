// The tool `ask` of the MCP server: a question to an expert with a model of its own, which works
// with the tools of the caller.
#pragma once

#include <memory>
#include <string>

#include "agent/llm/provider.h"
#include "agent/loops/agent_run.h"
#include "surfaces/mcp/server/offer.h"
#include "toolkit/tools/toolkit.h"

namespace helve::mcp {

struct AskOfferOptions {
  std::shared_ptr<llm::Provider> model;  // null: that of the client, where it offers sampling
  agent::RunLimits limits;               // callers may ask for less
};

// The toolkit must outlive it. Runs read only, and are the caller's in policy and audit.
std::shared_ptr<Offer> make_ask_offer(toolkit::Toolkit& toolkit, AskOfferOptions options);

}  // namespace helve::mcp
