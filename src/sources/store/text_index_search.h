// Asking a text index: names for words, best first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/graph_source.h"
#include "sources/store/text_index.h"

namespace helve::store {

inline constexpr std::size_t kHitsMax = 1'000;      // more are not asked for
inline constexpr std::size_t kQueryWordsMax = 16;   // the rest of a query is not looked at
inline constexpr std::uint64_t kStepsMax = 50'000;  // places in lists, of one search
inline constexpr std::size_t kPrefixWordsMax = 64;  // completions of a word that are followed
inline constexpr std::size_t kNearWordsMax = 32;    // other spellings that are
inline constexpr std::uint64_t kNearStepsMax = 60'000;

// What a search looked at, for tests.
struct SearchWork {
  std::uint64_t list_steps = 0;
  std::uint64_t prefix_words = 0;
  std::uint64_t near_steps = 0;
  std::uint64_t labels = 0;
};

// In this order: the IRI that the text is, in full or with a prefix of the data; names whose whole
// label or local name is the text; those with all of its words; with all of them as beginnings of
// words; with all but for spelling; with some of them. Within each: by field, match and degree.
// The same request gives the same hits in the same order. InvalidInput for a text without letters
// and digits.
Result<std::vector<NameHit>> search_names(const Snapshot& snapshot, const TextIndex& index,
                                          const FindRequest& request, const OpContext& context,
                                          SearchWork* work = nullptr);

}  // namespace helve::store
