// Reflection: what a person makes of a recorded run. A draft of an item, what is wrong with it,
// what the bank has of that kind already, and storing it. The terminal is in surfaces/cli/agent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/trajectory/recorded_run.h"
#include "toolkit/learning/consolidate.h"
#include "toolkit/memory/bank.h"

namespace helve::agent {

struct Reflection {
  RecordedRun run;
  std::string run_name;                 // in the provenance: "run.jsonl#2"
  std::optional<RecordedRun> other;     // that it is compared with
  std::optional<memory::Item> refined;  // that is to be replaced
  std::string hint;                     // of a person
  std::string verdict;                  // of a person; empty: that of the record, if it has one
};

// The last judgment in the record; empty: there is none.
std::string recorded_verdict(const RecordedRun& run);

// What can be said without a model: the texts of the item that is refined, or else the pattern of
// the query; otherwise no texts at all. Kind, domain and provenance are settled.
memory::Item plain_draft(const Reflection& reflection);

struct ModelDraft {
  memory::Item item;
  llm::Usage usage;
};
// The same with texts that a model wrote, who sees the run as a person does, and the hint.
// InvalidInput where it wrote none that could be read.
Result<ModelDraft> draft_by_model(const Reflection& reflection, llm::Provider& model,
                                  const OpContext& context);

// InvalidInput says what is wrong: fields and lengths, and constants of the task or of a query.
Result<void> check_draft(const memory::Item& item, const Reflection& reflection);

struct SimilarItem {
  memory::Item item;
  learning::Similarity similarity;
  bool is_near_duplicate = false;
};
// Of the bank, quarantined ones too, the most similar first; not the one that is refined.
Result<std::vector<SimilarItem>> similar_items(memory::MemoryBank& bank, const memory::Item& item,
                                               const Reflection& reflection,
                                               const OpContext& context);

// Whether somebody has looked at it: then it is active and verified now, else quarantined.
void note_review(memory::Item& item, bool is_reviewed, WallTime now);

// Whether it can be refined: Denied where it was retracted, or superseded by another one.
Result<void> check_refined(const memory::Item& item);

enum class DraftState : std::uint8_t {
  Added,
  Exists,    // nothing was changed
  Changed,   // description, tags or domain of the item that was there
  Released,  // it was there in quarantine, and is active now
};
struct StoredDraft {
  std::string id;
  DraftState state = DraftState::Added;
  bool is_quarantined = false;         // as it is in the bank now
  std::vector<std::uint64_t> changes;  // may be undone, the last first
};
// Supersedes the item that is refined, unless nobody has looked at the draft: that is put beside
// it, and changes nothing of what is in use (InvalidInput where it is the same item). Denied where
// it was retracted or superseded. REQUIRES: checked and with note_review().
Result<StoredDraft> store_draft(memory::MemoryBank& bank, memory::Item item,
                                const Reflection& reflection, const OpContext& context);

}  // namespace helve::agent
