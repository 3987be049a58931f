// The text of a search, made ready to be looked for in a text index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/store/text_index.h"

namespace helve::store {

struct QueryWord {
  std::string text;
  std::optional<std::uint64_t> exact;  // the word of the index
  std::uint64_t longer_first = 0;      // words that begin with it and are longer: [first, last)
  std::uint64_t longer_last = 0;
  bool is_spelt = true;  // letters of a script that is spelt: others cannot be misspelt
};

struct NameQuery {
  std::vector<std::string> iris;  // that the text stands for, in full or by a prefix
  std::vector<QueryWord> words;
  std::string whole;  // WordSplitter::whole()
};

NameQuery parse_name_query(const Snapshot& snapshot, const TextIndex& index, std::string_view text);

}  // namespace helve::store
