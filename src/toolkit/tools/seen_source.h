// A source of a toolkit as a caller may see it, for those who make prompts of it: the policies of
// both hold, as they do in a call.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/op_context.h"
#include "toolkit/memory/bank.h"
#include "toolkit/tools/toolkit.h"

namespace helve::toolkit {

class CallAudit;
class SourceTable;

struct SeenSource {
  std::string name;                          // empty: the caller may see none
  std::shared_ptr<const GraphSource> graph;  // one of them
  std::shared_ptr<const TableSource> tables;
  std::shared_ptr<const Policy> policy;        // of the caller and the source
  std::optional<memory::MemoryReader> memory;  // nullopt: no bank, or not for this caller
  // Null unless policy and operator allow writing. Both banks are the toolkit's.
  memory::MemoryBank* memory_writer = nullptr;
  std::string staleness;  // a warning; may be empty
};

// `name` empty: the first that the caller may see. Waits for one that is being loaded, within the
// context. NotFound for names that are not there or not for this caller, in the same words;
// Unavailable where it could not be loaded, or where calls could not be recorded.
Result<SeenSource> see_source(Toolkit& toolkit, const std::string& name, const Caller& caller,
                              const OpContext& op);

// What a toolkit is besides, so that it can be asked this.
class SourceSight {
 public:
  virtual ~SourceSight() = default;
  virtual Result<SeenSource> see(const std::string& name, const Caller& caller,
                                 const OpContext& op) = 0;
};

// The same of the parts of a toolkit, for toolkit.cc.
Result<SeenSource> see_in(SourceTable& sources, const CallAudit& audit, memory::MemoryBank* bank,
                          bool has_memory_writes, const std::string& name, const Caller& caller,
                          const OpContext& op);

}  // namespace helve::toolkit
