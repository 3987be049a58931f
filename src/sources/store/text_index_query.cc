#include "sources/store/text_index_query.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/iri.h"
#include "base/utf8.h"
#include "sources/store/text_index_search.h"
#include "sources/store/text_index_words.h"

namespace helve::store {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

QueryWord look_up(const TextIndex& index, const Word& word) {
  QueryWord found;
  found.text = word.text;
  found.is_spelt = word.kind == WordKind::Run || word.kind == WordKind::Part;
  const std::uint64_t first = index.words.lower_bound(word.text);
  found.longer_first = first;
  std::string here;
  if (first < index.words.size()) index.words.get(first, here);
  if (first < index.words.size() && here == word.text) {
    found.exact = first;
    ++found.longer_first;
  }
  // No byte of UTF-8 is as great.
  found.longer_last = std::max(found.longer_first, index.words.lower_bound(found.text + '\xFF'));
  return found;
}

bool is_known(const QueryWord& word) { return word.exact || word.longer_first < word.longer_last; }

// Runs that the index does not have as such are taken apart.
void add_words(const TextIndex& index, const std::vector<Word>& words, NameQuery& query) {
  for (std::size_t i = 0; i < words.size() && query.words.size() < kQueryWordsMax; ++i) {
    const bool is_end_of_pairs =
        words[i].kind == WordKind::Tail && i > 0 && words[i - 1].kind == WordKind::Pair;
    if (words[i].kind == WordKind::Part || is_end_of_pairs) continue;
    QueryWord word = look_up(index, words[i]);
    const bool has_parts = i + 1 < words.size() && words[i + 1].kind == WordKind::Part;
    if (is_known(word) || !has_parts) {
      query.words.push_back(std::move(word));
      continue;
    }
    for (std::size_t k = i + 1; k < words.size() && words[k].kind == WordKind::Part; ++k) {
      if (query.words.size() < kQueryWordsMax) query.words.push_back(look_up(index, words[k]));
    }
  }
}

// The text where it is an IRI, or a prefix of the data and a local name; and the words in it that
// are not the prefix.
std::string_view take_iris(const Snapshot& snapshot, std::string_view text, NameQuery& query) {
  if (text.find_first_of(kBlanks) != std::string_view::npos) return text;
  if (text.size() > 2 && text.front() == '<' && text.back() == '>') {
    query.iris.emplace_back(text.substr(1, text.size() - 2));
    return text;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return text;
  for (const auto& [name, iri] : snapshot.prefixes()) {
    if (name != text.substr(0, colon)) continue;
    query.iris.push_back(iri + std::string(text.substr(colon + 1)));
    return text.substr(colon + 1);
  }
  if (has_iri_scheme(text)) query.iris.emplace_back(text);
  return text;
}

}  // namespace

NameQuery parse_name_query(const Snapshot& snapshot, const TextIndex& index,
                           std::string_view text) {
  NameQuery query;
  text = trimmed(text.substr(0, utf8_valid_prefix(text.substr(0, 4 * kTextBytesMax))));
  std::string_view rest = take_iris(snapshot, text, query);
  std::string scratch;
  const bool is_whole_iri = !query.iris.empty() && rest.size() == text.size();
  if (is_whole_iri) rest = local_name(query.iris.front(), scratch);
  WordSplitter splitter;
  add_words(index, splitter.split(rest), query);
  if (!splitter.is_cut()) query.whole = splitter.whole();
  // Said twice is said once.
  for (std::size_t i = 0; i < query.words.size(); ++i) {
    const auto same = [&](const QueryWord& other) { return other.text == query.words[i].text; };
    query.words.erase(std::remove_if(query.words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     query.words.end(), same),
                      query.words.end());
  }
  return query;
}

}  // namespace helve::store
