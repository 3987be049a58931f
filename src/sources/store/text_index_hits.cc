#include "sources/store/text_index_hits.h"

#include <algorithm>
#include <limits>
#include <string>

#include "sources/store/text_index_words.h"

namespace helve::store {

namespace {

constexpr std::size_t kLabelsLookedAt = 32;
constexpr std::uint64_t kLongerLookedAt = 4'096;

std::string iri_of(const Snapshot& snapshot, Code code) {
  std::string iri;
  const Id id = snapshot.dictionary().id_of(code);
  if (id.tag() == Tag::Iri) snapshot.dictionary().section(Tag::Iri).strings.get(id.payload(), iri);
  return iri;
}

// How many words of the query stand in a text; all of them and one more for the whole.
std::size_t words_in(const std::vector<Word>& words, std::string_view whole,
                     const NameQuery& query) {
  if (!query.whole.empty() && whole == query.whole) return query.words.size() + 1;
  return static_cast<std::size_t>(
      std::count_if(query.words.begin(), query.words.end(), [&](const QueryWord& wanted) {
        return std::any_of(words.begin(), words.end(),
                           [&](const Word& word) { return word.text.starts_with(wanted.text); });
      }));
}

// The label that matched best; the preferred one where others are no better.
const LabelText* label_to_show(const std::vector<LabelText>& labels, const NameQuery& query) {
  const LabelText* best = preferred_label(labels);
  if (labels.size() < 2 || best == nullptr) return best;
  WordSplitter splitter;
  const auto matched = [&](const LabelText& label) {
    const auto& words = splitter.split(label.text);
    return words_in(words, splitter.whole(), query);
  };
  std::size_t most = matched(*best);
  for (const LabelText& label : labels) {
    const std::size_t count = matched(label);
    if (count > most) {
      most = count;
      best = &label;
    }
  }
  return best;
}

}  // namespace

LongerWords best_longer_words(const TextIndex& index, const QueryWord& word,
                              std::pair<Name, Name> names, std::size_t words_max) {
  struct Longer {
    Name best = 0;
    std::uint64_t word = 0;
  };
  std::vector<Longer> longer;
  LongerWords result;
  const std::uint64_t last = std::min(word.longer_last, word.longer_first + kLongerLookedAt);
  for (std::uint64_t one = word.longer_first; one < last; ++one) {
    Name best = std::numeric_limits<Name>::max();
    for (std::size_t i = 0; i < kTextFields; ++i) {
      const RowRange rows = index.list_of(one, static_cast<TextField>(i));
      if (rows.empty()) continue;
      const std::uint64_t first = index.lists.lower_bound(rows.first, rows.last, names.first);
      if (first < rows.last) best = std::min(best, index.lists[first]);
    }
    if (best < names.second) longer.push_back({best, one});
  }
  result.looked_at = last - std::min(last, word.longer_first);
  const auto is_better = [](const Longer& a, const Longer& b) {
    return a.best != b.best ? a.best < b.best : a.word < b.word;
  };
  if (longer.size() > words_max) {
    const auto middle = longer.begin() + static_cast<std::ptrdiff_t>(words_max);
    std::nth_element(longer.begin(), middle, longer.end(), is_better);
    longer.resize(words_max);
  }
  std::sort(longer.begin(), longer.end(), is_better);
  for (const Longer& one : longer) result.words.push_back(one.word);
  return result;
}

bool is_whole_of(const Snapshot& snapshot, const TextIndex& index, TextIndex::Holder holder,
                 std::string_view whole) {
  if (holder.name >= index.size()) return false;
  const Code code = index.codes[holder.name];
  WordSplitter splitter;
  if (holder.field == TextField::LocalName) {
    std::string scratch;
    const std::string iri = iri_of(snapshot, code);
    splitter.split(local_name(iri, scratch));
    return splitter.whole() == whole;
  }
  for (const LabelText& label :
       labels_of(snapshot, index.labels, code, 2 * kLabelsLookedAt, kTextBytesMax + 1)) {
    if (label.field != holder.field) continue;
    splitter.split(label.text);
    if (splitter.whole() == whole) return true;
  }
  return false;
}

NameHit make_hit(const Snapshot& snapshot, const TextIndex& index, Name name, double score,
                 const NameQuery& query) {
  const Code code = index.codes[name];
  NameHit hit;
  hit.iri = iri_of(snapshot, code);
  hit.kind = index.kind_of(name);
  hit.count = count_of(snapshot, code, hit.kind);
  hit.score = score;
  const auto labels = labels_of(snapshot, index.labels, code, kLabelsLookedAt);
  if (const LabelText* const label = label_to_show(labels, query)) {
    hit.label = label->text;
    hit.language = label->language;
  }
  return hit;
}

}  // namespace helve::store
