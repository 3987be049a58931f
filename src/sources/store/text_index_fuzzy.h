// Words of the text index that are spelt nearly like another one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sources/store/front_coded.h"

namespace helve::store {

struct NearWord {
  std::uint64_t word = 0;
  std::uint32_t distance = 0;

  friend bool operator==(const NearWord&, const NearWord&) = default;
};

struct NearWords {
  std::vector<NearWord>
      words;                // nearest first, then those with the same first letter, then by word
  std::uint64_t steps = 0;  // characters and blocks looked at
};

// Edits that a word of so many letters may need: 1 from four letters on, 2 from eight.
std::uint32_t edits_allowed(std::size_t letters);

// Words within `edits_max` insertions, deletions, replacements or swaps of neighbours, but not the
// word itself; at most `words_max`. Stretches of words with a beginning that cannot match are
// passed over unread. Stops, with what it has, after `steps_max`. REQUIRES: a word as WordSplitter
// makes it.
NearWords find_near_words(const FrontCoded& words, std::string_view word, std::uint32_t edits_max,
                          std::size_t words_max, std::uint64_t steps_max);

}  // namespace helve::store
