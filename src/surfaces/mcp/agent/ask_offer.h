// The tool `ask` of the MCP server: a question to an expert with a model of its own, which works
// with the tools of the caller.
#pragma once

#include <memory>
#include <string>

#include "agent/llm/provider.h"
#include "agent/loops/agent_run.h"
#include "agent/trajectory/trajectory_folder.h"
#include "surfaces/mcp/server/offer.h"
#include "toolkit/tools/toolkit.h"

namespace helve::mcp {

struct AskOfferOptions {
  std::shared_ptr<llm::Provider> model;  // null: that of the client, where it offers sampling
  agent::RunLimits limits;               // callers may ask for less
  // What callers hear where there is neither.
  Error no_model{ErrorCode::NotFound, "no model is configured for ask"};
  std::shared_ptr<agent::TrajectoryFolder> trajectories;  // null: runs are not written down
};

// The toolkit must outlive it. Runs read only, and are the caller's in policy and audit.
std::shared_ptr<Offer> make_ask_offer(toolkit::Toolkit& toolkit, AskOfferOptions options);

}  // namespace helve::mcp
