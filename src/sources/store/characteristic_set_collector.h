// Gathers the sets of predicates of subjects, each once. characteristic_sets.cc feeds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "sources/store/dictionary.h"

namespace helve::store {

struct CollectorBounds {
  std::size_t sets_max = 65'536;
  std::size_t members_max = 4'000'000;  // predicates of all sets
};

// A hash table over flat columns: nothing is allocated for a subject whose set is known. Bounded:
// when there are too many sets, the rare half is forgotten, subjects and all. Not thread-safe.
class CharacteristicSetCollector {
 public:
  explicit CharacteristicSetCollector(MemoryBudget& budget, CollectorBounds bounds = {})
      : bounds_(bounds), charge_(budget, "counting sets of predicates") {}

  // Steps from a start that nobody outside can know, so that no input makes all sets collide.
  static constexpr std::uint64_t hash_step(std::uint64_t hash, Code predicate) {
    hash = (hash ^ predicate) * 0xFF51AFD7ED558CCD;
    return hash ^ (hash >> 32);
  }

  // `subjects` more with exactly `predicates` (ascending, not empty) and so many triples of each.
  // `hash` is stepped over the predicates, from the same start for all that is ever added.
  Result<void> add(std::span<const Code> predicates, std::span<const std::uint32_t> triples,
                   std::uint64_t hash, std::uint32_t subjects);
  Result<void> add_all(const CharacteristicSetCollector& other);

  std::size_t size() const { return sets_.subjects.size(); }
  std::uint32_t subjects(std::size_t set) const { return sets_.subjects[set]; }
  std::span<const Code> predicates(std::size_t set) const {
    return {sets_.predicates.data() + sets_.starts[set], members(set)};
  }
  std::span<const std::uint32_t> triples(std::size_t set) const {
    return {sets_.triples.data() + sets_.starts[set], members(set)};
  }
  // Set numbers, the most frequent first, equal ones by their predicates.
  std::vector<std::uint32_t> by_frequency() const;

 private:
  struct Sets {
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> subjects;
    std::vector<std::size_t> starts = {0};  // into the next two
    std::vector<Code> predicates;
    std::vector<std::uint32_t> triples;

    void append(std::span<const Code> set, std::span<const std::uint32_t> set_triples,
                std::uint64_t hash, std::uint32_t set_subjects);
    std::size_t capacity_bytes() const;
  };

  std::size_t members(std::size_t set) const { return sets_.starts[set + 1] - sets_.starts[set]; }
  bool is(std::size_t set, std::span<const Code> predicates, std::uint64_t hash) const;
  Result<void> index_last();
  void forget_rare();
  void rehash(std::size_t slots);

  CollectorBounds bounds_;
  MemoryCharge charge_;
  std::vector<std::uint32_t> slots_;  // set number and one; 0: free
  Sets sets_;
};

}  // namespace helve::store
