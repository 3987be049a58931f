// Trying remembered queries again. That one runs is not that it is right: trying dates what was
// verified and takes what fails out of sight, but never takes an item out of quarantine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"
#include "toolkit/memory/repository.h"

namespace helve::learning {

enum class TrialState : std::uint8_t {
  Passed,
  Failed,
  Undecided,      // the source gave no answer in time, or none at all
  NotApplicable,  // it remembers no query for this kind of source, or one that is to be avoided
};
std::string_view name_of(TrialState state);  // "passed"

struct TrialOptions {
  Duration time_max = std::chrono::seconds(10);  // for one item
  std::size_t names_max = 50;                    // classes and properties that are looked up
  std::string schema_fingerprint;  // of the source, fingerprint.h; empty: not compared
  // What items of this source call it: its name, its ontology or main namespace. Items of another
  // domain are passed over; those without one, or of "general", are tried. Empty: all are.
  std::vector<std::string> domains;
};

struct Trial {
  std::string id;
  TrialState state = TrialState::NotApplicable;
  bool is_stale = false;             // it was learnt with another schema
  std::vector<std::string> missing;  // names that the source does not have (any more)
  std::string says;                  // why, in a sentence; may have words of the source
};

// Looks up every class and property of the remembered query, then asks whether its pattern matches
// anything, with slots as variables and without what depends on them; a SELECT without slots is run
// as it is, for one row. What is to be avoided (ItemSource::Failure) is not run. SQL: tables by the
// catalogue, names by an explanation, then one row.
Trial try_item(const memory::Item& item, const GraphSource& source, const TrialOptions& options,
               const Clock& clock, const OpContext& context);
Trial try_item(const memory::Item& item, const TableSource& source, const TrialOptions& options,
               const Clock& clock, const OpContext& context);

// Keeps what came out: the date and the schema of an active item that passed, the quarantine of one
// that failed. The number of the change; none where nothing changes.
Result<std::optional<std::uint64_t>> keep_trial(memory::MemoryRepository& bank,
                                                const memory::Item& item, const Trial& trial,
                                                const TrialOptions& options, WallTime now,
                                                const OpContext& context);

struct TrialReport {
  std::vector<Trial> trials;           // those that are applicable, in the order of the bank
  std::vector<std::uint64_t> changes;  // may be undone one by one
  bool is_complete = true;             // false: items_max ended it
};
using ItemTrial = std::function<Trial(const memory::Item& item)>;
// Tries all items that the filter lets through, superseded and retracted ones never. A cancellation
// or the deadline of the context ends it with an error; what was kept before stays.
Result<TrialReport> try_items(memory::MemoryRepository& bank, const memory::ItemFilter& filter,
                              const ItemTrial& trial, const TrialOptions& options,
                              std::size_t items_max, WallTime now, const OpContext& context);

struct StaleItem {
  std::string id;
  std::string title;
  std::string schema_fingerprint;  // that it was learnt with
};
// Items of a domain that depend on another schema than this one; they stay as they are.
Result<std::vector<StaleItem>> find_stale(memory::MemoryRepository& bank, const std::string& domain,
                                          const std::string& schema_fingerprint,
                                          std::size_t items_max, const OpContext& context);

}  // namespace helve::learning
