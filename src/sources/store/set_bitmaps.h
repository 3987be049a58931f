// Bitmaps over characteristic sets, for predicates that many of them have. A planner asks for the
// same few of these hundreds of times, where walking over thousands of sets would be felt.
#pragma once

#include <bit>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "sources/store/column.h"

namespace helve::store {

struct CharacteristicSets;

// The sets that have one predicate.
class SetBitmap {
 public:
  static constexpr std::size_t kWordBits = 64;

  // `sets` ascend.
  SetBitmap(std::span<const std::uint32_t> sets, std::size_t set_count, bool is_functional);

  bool has(std::uint32_t set) const {
    return (words_[set / kWordBits] >> set % kWordBits & 1) != 0;
  }
  // How many of the predicate's sets come before this one.
  std::uint32_t rank(std::uint32_t set) const {
    const std::uint64_t below =
        words_[set / kWordBits] & ((std::uint64_t{1} << set % kWordBits) - 1);
    return ranks_[set / kWordBits] + static_cast<std::uint32_t>(std::popcount(below));
  }
  std::span<const std::uint64_t> words() const { return words_; }
  // No subject has the predicate twice.
  bool is_functional() const { return is_functional_; }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> ranks_;  // by word: sets before it
  bool is_functional_;
};

// Made when first asked for; thread-safe from then on.
class SetBitmaps {
 public:
  // The bitmap of a predicate by its place; null for one that few sets have, and where there are
  // few sets in all. REQUIRES: always the same sets.
  const SetBitmap* find(const CharacteristicSets& sets, std::size_t predicate);

 private:
  void build(const CharacteristicSets& sets);

  std::once_flag once_;
  std::vector<SetBitmap> bitmaps_;
  std::vector<std::uint32_t> places_;  // by predicate: into `bitmaps_`, and one; 0: none
};

}  // namespace helve::store
