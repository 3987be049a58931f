#include "toolkit/tools/seen_source.h"

#include <optional>
#include <utility>

#include "toolkit/policy/gate.h"
#include "toolkit/tools/call_audit.h"
#include "toolkit/tools/source_table.h"

namespace helve::toolkit {

Result<SeenSource> see_source(Toolkit& toolkit, const std::string& name, const Caller& caller,
                              const OpContext& op) {
  if (auto* const sight = dynamic_cast<SourceSight*>(&toolkit)) return sight->see(name, caller, op);
  return Error{ErrorCode::Internal, "this toolkit shows no sources"};
}

Result<SeenSource> see_in(SourceTable& sources, const CallAudit& audit, memory::MemoryBank* bank,
                          bool has_memory_writes, const std::string& name, const Caller& caller,
                          const OpContext& op) {
  HELVE_TRY(audit.check(*caller.policy));
  const auto wanted = name.empty() ? std::nullopt : std::optional(name);
  HELVE_ASSIGN(const SourceChoice choice, sources.choose(wanted, std::nullopt, caller.policy));
  SeenSource seen;
  seen.policy = choice.policy;
  if (bank != nullptr && may_call(*choice.policy, {"mem_search"})) {
    seen.memory.emplace(*bank);
    if (has_memory_writes && choice.policy->memory_writes) seen.memory_writer = bank;
  }
  if (choice.name.empty()) return seen;
  HELVE_TRY(audit.check(*choice.policy));
  HELVE_ASSIGN(OpenSource opened, sources.open(choice, op));
  seen.name = choice.name;
  seen.staleness = choice.staleness;
  if (seen.staleness.empty()) seen.staleness = std::move(opened.staleness);
  seen.graph = std::move(opened.graph);
  seen.tables = std::move(opened.tables);
  return seen;
}

}  // namespace helve::toolkit
