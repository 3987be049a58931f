// L2, procedures: what was learnt before and matches a task, shown as data. The bank is
// toolkit/memory/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/context/layer_text.h"
#include "toolkit/memory/bank.h"

namespace helve::context {

struct ProcedureRequest {
  std::string task;  // without words: nothing is taken
  std::size_t budget = 2'000;
  // One experience beats several. General ones (seeds) only where neither of the others matches.
  std::size_t strategies_max = 1;  // what works: success, contrastive, pattern, human
  std::size_t guardrails_max = 1;  // what to avoid: failure
  std::size_t seeds_max = 1;
  std::size_t item_chars_max = 0;  // of one of them; 0: its share of the budget
  // What items of this source call their domain, in any case and with or without a '#' or '/'
  // behind. Those without one, or of "general", are for every source; all others are left out.
  std::vector<std::string> domains;
  // Of the source now; items that were learnt on another schema are left out. Empty: not known.
  std::string schema_fingerprint;
  // Counters and age change the rank, and so the text from one day to the next.
  bool uses_history = false;
};

struct Procedures {
  LayerText layer;
  std::vector<std::string> injected;  // ids, in the order of the text
  // That match but were learnt on another schema: to be looked at. At most kStaleMax.
  std::vector<std::string> stale;
};
inline constexpr std::size_t kStaleMax = 20;

// Changes nothing in the bank: who uses the text counts its items (MemoryBank::note_use).
Result<Procedures> pack_procedures(const memory::MemoryReader& memory,
                                   const ProcedureRequest& request, const OpContext& context);

}  // namespace helve::context
