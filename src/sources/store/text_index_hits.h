// What a search of the text index needs beside lists: completions of a word, whether a name is
// called just so, and hits for those who asked.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/graph_source.h"
#include "sources/store/text_index.h"
#include "sources/store/text_index_query.h"

namespace helve::store {

struct LongerWords {
  std::vector<std::uint64_t> words;
  std::uint64_t looked_at = 0;
};

// Of the words that begin with this one, those that have the best names of a kind (not Any).
LongerWords best_longer_words(const TextIndex& index, const QueryWord& word, NameKind kind,
                              std::size_t words_max);

// Whether a text of this field of the name is the whole (WordSplitter::whole()).
bool is_whole_of(const Snapshot& snapshot, const TextIndex& index, TextIndex::Holder holder,
                 std::string_view whole);

NameHit make_hit(const Snapshot& snapshot, const TextIndex& index, Name name, double score,
                 const NameQuery& query);

}  // namespace helve::store
