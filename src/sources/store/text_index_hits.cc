#include "sources/store/text_index_hits.h"

#include <algorithm>
#include <limits>
#include <string>

#include "sources/store/text_index_words.h"

namespace helve::store {

namespace {

constexpr std::size_t kLabelsLookedAt = 32;
constexpr std::uint64_t kLongerLookedAt = 4'096;  // one by one

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

// A word, or a group of them, by the best name it has.
struct Ranked {
  Name best = 0;
  std::uint64_t place = 0;

  friend bool operator<(const Ranked& a, const Ranked& b) {
    return a.best != b.best ? a.best < b.best : a.place < b.place;
  }
};

void keep_best(std::vector<Ranked>& ranked, std::size_t most) {
  if (ranked.size() > most) {
    const auto middle = ranked.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(ranked.begin(), middle, ranked.end());
    ranked.erase(middle, ranked.end());
  }
  std::sort(ranked.begin(), ranked.end());
}

// The least name of a word that is not less than `from`.
Name best_name(const TextIndex& index, std::uint64_t word, Name from) {
  Name best = std::numeric_limits<Name>::max();
  for (std::size_t i = 0; i < kTextFields; ++i) {
    const RowRange rows = index.list_of(word, static_cast<TextField>(i));
    if (rows.empty()) continue;
    const std::uint64_t first = index.lists.lower_bound(rows.first, rows.last, from);
    if (first < rows.last) best = std::min(best, index.lists[first]);
  }
  return best;
}

std::vector<std::uint64_t> best_groups(const TextIndex& index, RowRange groups, NameKind kind,
                                       std::size_t most) {
  std::vector<Ranked> ranked;
  const std::uint64_t column = static_cast<std::uint64_t>(kind) - 1;
  for (std::uint64_t group = groups.first; group < groups.last; ++group) {
    const Name best = index.bests[group * TextIndex::kKinds + column];
    if (best < index.size()) ranked.push_back({best, group});
  }
  keep_best(ranked, most);
  std::vector<std::uint64_t> best;
  best.reserve(ranked.size());
  for (const Ranked& one : ranked) best.push_back(one.place);
  return best;
}

}  // namespace

LongerWords best_longer_words(const TextIndex& index, const QueryWord& word, NameKind kind,
                              std::size_t words_max) {
  const std::pair<Name, Name> names = index.names_of(kind);
  std::vector<Ranked> longer;
  LongerWords result;
  const auto look = [&](RowRange words) {
    for (std::uint64_t one = words.first; one < words.last; ++one) {
      const Name best = best_name(index, one, names.first);
      if (best < names.second) longer.push_back({best, one});
    }
    result.looked_at += words.size();
  };
  const RowRange all{word.longer_first, word.longer_last};
  if (all.size() <= kLongerLookedAt) {
    look(all);
  } else {
    // The groups that are all of longer words, and what is before and behind them.
    constexpr std::uint64_t kGroup = TextIndex::kGroupWords;
    const RowRange groups{TextIndex::groups_of(all.first), all.last / kGroup};
    look({all.first, groups.first * kGroup});
    look({groups.last * kGroup, all.last});
    for (const std::uint64_t group : best_groups(index, groups, kind, words_max)) {
      look({group * kGroup, (group + 1) * kGroup});
    }
    result.looked_at += groups.size();
  }
  keep_best(longer, words_max);
  for (const Ranked& one : longer) result.words.push_back(one.place);
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
