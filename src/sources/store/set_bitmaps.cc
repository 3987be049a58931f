#include "sources/store/set_bitmaps.h"

#include "sources/store/characteristic_sets.h"

namespace helve::store {

namespace {

constexpr std::size_t kSetsMin = 512;  // fewer are walked over quickly
// A bitmap is not larger than the list of every so manieth set.
constexpr std::size_t kBitmapShareMin = 16;

}  // namespace

SetBitmap::SetBitmap(std::span<const std::uint32_t> sets, std::size_t set_count, bool is_functional)
    : words_((set_count + kWordBits - 1) / kWordBits),
      ranks_(words_.size()),
      is_functional_(is_functional) {
  for (const std::uint32_t set : sets) {
    words_[set / kWordBits] |= std::uint64_t{1} << set % kWordBits;
  }
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    ranks_[i] = before;
    before += static_cast<std::uint32_t>(std::popcount(words_[i]));
  }
}

void SetBitmaps::build(const CharacteristicSets& sets) {
  places_.resize(sets.predicates.size());
  const std::size_t set_count = sets.subjects.size();
  if (set_count < kSetsMin) return;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::uint32_t start = sets.starts[i];
    const std::uint32_t end = sets.starts[i + 1];
    if (end - start < set_count / kBitmapShareMin) continue;
    bool is_functional = true;
    for (std::uint32_t at = start; at < end && is_functional; ++at) {
      is_functional = sets.triples[at] == sets.subjects[sets.sets[at]];
    }
    bitmaps_.emplace_back(std::span(sets.sets.data() + start, end - start), set_count,
                          is_functional);
    places_[i] = static_cast<std::uint32_t>(bitmaps_.size());
  }
}

const SetBitmap* SetBitmaps::find(const CharacteristicSets& sets, std::size_t predicate) {
  std::call_once(once_, [&] { build(sets); });
  const std::uint32_t place = places_[predicate];
  return place == 0 ? nullptr : &bitmaps_[place - 1];
}

}  // namespace helve::store
