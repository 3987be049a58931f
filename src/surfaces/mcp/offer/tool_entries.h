// Tools as clients see them in a list: names, descriptions, schemas, annotations.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "surfaces/mcp/offer/toolkit_offer.h"
#include "surfaces/mcp/server/revision.h"
#include "toolkit/policy/policy.h"
#include "toolkit/tools/registry.h"

namespace helve::mcp {

// Titles, output schemas and structured content came with 2025-06-18.
constexpr bool has_structure(Revision revision) { return revision > kRevisions.back(); }

// Thread-safe. Entries are made once.
class ToolEntries {
 public:
  explicit ToolEntries(const toolkit::Registry& registry) : registry_(registry) {}

  // Those of the set that the policy allows, in the order of the registry. `is_remote`: a source is
  // reached over the network.
  std::vector<std::string> list(Toolset toolset, const toolkit::Policy& policy, Revision revision,
                                bool is_remote);

 private:
  using Entries = std::vector<std::string>;  // of every tool
  const Entries& entries(bool has_structure, bool is_remote);

  const toolkit::Registry& registry_;
  std::mutex mutex_;
  std::map<std::pair<bool, bool>, std::unique_ptr<const Entries>> made_;
};

}  // namespace helve::mcp
