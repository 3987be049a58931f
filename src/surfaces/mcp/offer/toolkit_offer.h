// The product's own offer: the tools of a Toolkit, and resources and prompts made of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "surfaces/mcp/server/offer.h"
#include "toolkit/tools/toolkit.h"

namespace helve::mcp {

// How many of the tools are listed. Any can be called by its name, whether listed or not.
enum class Toolset : std::uint8_t { Minimal, Standard, All };
std::string_view name_of(Toolset toolset);  // "minimal"
std::optional<Toolset> find_toolset(std::string_view name);

struct OfferOptions {
  Toolset toolset = Toolset::Standard;
  // No other offer has tools: one that is unknown here is unknown, and names like it are told.
  bool is_alone = true;
};

// The toolkit and the env must outlive it.
std::shared_ptr<Offer> make_toolkit_offer(toolkit::Toolkit& toolkit, Env& env,
                                          OfferOptions options);

// What the model should know before its first call: under 2,000 bytes.
std::string server_instructions(const std::vector<SourceInfo>& sources, Toolset toolset);

}  // namespace helve::mcp
