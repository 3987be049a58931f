// Characteristic sets: which predicates the subjects of a store have together, and how many
// subjects have them. They tell the size of a star join nearly exactly, where independence of the
// predicates would be off by orders of magnitude (Neumann and Moerkotte, ICDE 2011).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/store/column.h"
#include "sources/store/index_builder.h"
#include "sources/store/set_bitmaps.h"

namespace helve::store {

// Numbers of one predicate over all graphs as one, as the statistics have them.
struct PredicateTotal {
  Code predicate = 0;
  std::uint64_t triples = 0;
  std::uint64_t subjects = 0;
};

// Flat columns, inverted: for each predicate, the sets that have it. A set is known by its number
// alone; sets are numbered from the most frequent on. Numbers fit 32 bits since statements do
// (Limits::quads_max). Immutable; thread-safe.
struct CharacteristicSets {
  static constexpr std::size_t kSetsMax = 10'000;
  static constexpr std::size_t kMembersMax = 1'000'000;  // predicates of all sets

  Column<std::uint32_t> subjects;  // by set: those with exactly its predicates

  Column<Code> predicates;        // all of the store, ascending
  Column<std::uint32_t> starts;   // by predicate and one more: into the next two
  Column<std::uint32_t> sets;     // that have the predicate, ascending
  Column<std::uint32_t> triples;  // with the predicate, of the subjects of that set

  // Subjects of the sets beyond the maximum, as one. The columns go with `predicates`, and are
  // empty when there are none.
  std::uint64_t other_subjects = 0;
  Column<std::uint32_t> other_subjects_with;
  Column<std::uint32_t> other_triples;

  // Made from the columns when first needed; copies share them.
  std::shared_ptr<SetBitmaps> bitmaps = std::make_shared<SetBitmaps>();

  // How many subjects have all of these predicates, which are all different, and how many rows
  // their join has. Subjects are exact while no set was left out; rows are too where subjects of
  // one set have a predicate equally often. Costs a few microseconds.
  sparql::StarCounts star_counts(std::span<const Code> wanted) const;

  std::size_t memory_bytes() const;
};

// One walk over SPO. `totals` are of all predicates, by code; `subjects` is the number of all.
Result<CharacteristicSets> compute_characteristic_sets(const Indexes& indexes,
                                                       std::span<const PredicateTotal> totals,
                                                       std::uint64_t subjects,
                                                       const OpContext& context);

}  // namespace helve::store
