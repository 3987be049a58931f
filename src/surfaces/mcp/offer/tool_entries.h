// Tools as clients see them in a list: names, descriptions, schemas, annotations.
#pragma once

#include <compare>
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
#include "toolkit/tools/source_families.h"

namespace helve::mcp {

// Titles, output schemas and structured content came with 2025-06-18.
constexpr bool has_structure(Revision revision) { return revision > kRevisions.back(); }

using toolkit::SourceFamilies;

// Thread-safe. Entries are made once.
class ToolEntries {
 public:
  explicit ToolEntries(const toolkit::Registry& registry) : registry_(registry) {}

  // Those of the set that the policy allows and the sources need, in the order of the registry.
  // Tools that write are listed while there is room for them; call_tool reaches the others.
  // Without any source they are those of graphs, which can be loaded.
  std::vector<std::string> list(Toolset toolset, const toolkit::Policy& policy, Revision revision,
                                const SourceFamilies& families);

 private:
  using Entries = std::vector<std::string>;  // of every tool
  struct Form {
    bool has_structure = false;
    bool is_remote = false;
    bool may_write = false;
    bool may_write_memory = false;

    auto operator<=>(const Form&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  const Entries& entries(const Form& form);

  const toolkit::Registry& registry_;
  std::mutex mutex_;
  std::map<Form, std::unique_ptr<const Entries>> made_;
};

}  // namespace helve::mcp
