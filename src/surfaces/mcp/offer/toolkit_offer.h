// The product's own offer: the tools of a Toolkit, and resources and prompts made of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/env.h"
#include "surfaces/mcp/config/toolset.h"
#include "surfaces/mcp/server/offer.h"
#include "toolkit/tools/toolkit.h"

namespace helve::mcp {

struct OfferOptions {
  Toolset toolset = Toolset::Standard;
  // No other offer has tools: one that is unknown here is unknown, and names like it are told.
  bool is_alone = true;
};

// The toolkit and the env must outlive it.
std::shared_ptr<Offer> make_toolkit_offer(toolkit::Toolkit& toolkit, Env& env,
                                          OfferOptions options);

// What the model of a caller should know before its first call: under 2,000 bytes. `sources` are
// those that it may see.
std::string server_instructions(const std::vector<SourceInfo>& sources, Toolset toolset,
                                const toolkit::Policy& policy);

}  // namespace helve::mcp
