// CharacteristicSets::star_counts: the sets that have all of some predicates.
#include <algorithm>
#include <cmath>
#include <vector>

#include "sources/store/characteristic_sets.h"
#include "sources/store/set_bitmaps.h"

namespace helve::store {

namespace {

// A predicate's sets: a list that is read from the front or, where there are many, a bitmap.
struct Postings {
  std::size_t predicate = 0;
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  std::uint32_t at = 0;
  const SetBitmap* bitmap = nullptr;

  std::uint32_t size() const { return end - start; }
  bool is_functional() const { return bitmap != nullptr && bitmap->is_functional(); }

  // True when `set` is among them; without a bitmap, `at` is then its place. REQUIRES: sets ascend
  // from call to call.
  bool reach(const Column<std::uint32_t>& sets, std::uint32_t set) {
    if (bitmap != nullptr) return bitmap->has(set);
    std::uint32_t behind = at;
    for (std::uint32_t step = 1; behind < end && sets[behind] < set; step *= 2) {
      at = behind + 1;
      behind = step < end - behind ? behind + step : end;
    }
    const auto* const found = std::lower_bound(sets.begin() + at, sets.begin() + behind, set);
    at = static_cast<std::uint32_t>(found - sets.begin());
    return at < end && sets[at] == set;
  }
};

class Star {
 public:
  Star(const CharacteristicSets& sets, std::vector<Postings> wanted)
      : sets_(sets), wanted_(std::move(wanted)) {
    std::sort(wanted_.begin(), wanted_.end(),
              [](const Postings& a, const Postings& b) { return a.size() < b.size(); });
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (!wanted_[i].is_functional()) repeated_.push_back(i);
    }
  }

  sparql::StarCounts count() {
    add_others();
    if (wanted_.empty()) {
      for (std::uint32_t set = 0; set < sets_.subjects.size(); ++set) add(set);
    } else if (wanted_[0].bitmap != nullptr) {
      walk_bitmaps();  // the rarest has one, and so all have
    } else {
      walk_rarest();
    }
    return counts_;
  }

 private:
  void walk_rarest() {
    for (Postings& rarest = wanted_[0]; rarest.at < rarest.end; ++rarest.at) {
      const std::uint32_t set = sets_.sets[rarest.at];
      const bool has_all = std::all_of(wanted_.begin() + 1, wanted_.end(), [&](Postings& postings) {
        return postings.reach(sets_.sets, set);
      });
      if (has_all) add(set);
    }
  }

  void walk_bitmaps() {
    const std::size_t words = wanted_[0].bitmap->words().size();
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t word = ~std::uint64_t{0};
      for (const Postings& postings : wanted_) word &= postings.bitmap->words()[i];
      for (; word != 0; word &= word - 1) {
        const auto set = static_cast<std::uint32_t>(
            i * SetBitmap::kWordBits + static_cast<std::size_t>(std::countr_zero(word)));
        add(set);
      }
    }
  }

  // A set that has all; postings without a bitmap stand at it.
  void add(std::uint32_t set) {
    const auto subjects = static_cast<double>(sets_.subjects[set]);
    double rows = subjects;
    for (const std::size_t i : repeated_) {
      const Postings& postings = wanted_[i];
      const SetBitmap* const bitmap = postings.bitmap;
      const std::uint32_t triples =
          sets_.triples[bitmap != nullptr ? postings.start + bitmap->rank(set) : postings.at];
      if (triples != sets_.subjects[set]) rows *= triples / subjects;
    }
    counts_.subjects += subjects;
    counts_.rows += rows;
  }

  // The subjects left out, of which only single predicates are known. Predicates of one subject are
  // rarely independent: each further one, the rarest first, counts with half the weight in the
  // exponent of that before, which lies between independence and the rarest alone.
  void add_others() {
    if (sets_.other_subjects == 0) return;
    const auto all = static_cast<double>(sets_.other_subjects);
    std::vector<double> fractions;
    double rows_for_each = 1;
    for (const Postings& postings : wanted_) {
      const double with = sets_.other_subjects_with[postings.predicate];
      if (with == 0) return;
      fractions.push_back(with / all);
      rows_for_each *= sets_.other_triples[postings.predicate] / with;
    }
    std::sort(fractions.begin(), fractions.end());
    double subjects = all;
    double weight = 1;
    for (const double fraction : fractions) {
      subjects *= std::pow(fraction, weight);
      weight /= 2;
    }
    counts_.subjects += subjects;
    counts_.rows += subjects * rows_for_each;
  }

  const CharacteristicSets& sets_;
  std::vector<Postings> wanted_;       // the rarest first
  std::vector<std::size_t> repeated_;  // those that a subject may have several times
  sparql::StarCounts counts_;
};

}  // namespace

sparql::StarCounts CharacteristicSets::star_counts(std::span<const Code> wanted) const {
  std::vector<Postings> postings;
  postings.reserve(wanted.size());
  for (const Code code : wanted) {
    const auto* const found = std::lower_bound(predicates.begin(), predicates.end(), code);
    if (found == predicates.end() || *found != code) return {};
    const auto place = static_cast<std::size_t>(found - predicates.begin());
    postings.push_back(
        {place, starts[place], starts[place + 1], starts[place], bitmaps->find(*this, place)});
  }
  return Star(*this, std::move(postings)).count();
}

}  // namespace helve::store
