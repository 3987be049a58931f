// Each way to match has a band of scores, so that a better way comes first whatever else is said of
// a name; a way is gone only while there are fewer hits than wanted. Within a band, names come in
// the order of their degree, and a walk ends when nothing behind it can be better.
#include "sources/store/text_index_search.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/ascii.h"
#include "base/paced_check.h"
#include "base/utf8.h"
#include "sources/store/text_index_fuzzy.h"
#include "sources/store/text_index_hits.h"
#include "sources/store/text_index_lists.h"
#include "sources/store/text_index_query.h"
#include "sources/store/text_index_words.h"

namespace helve::store {

namespace {

enum class Way : std::uint8_t { Words, Beginnings, Spelling };

constexpr double kIriScore = 140;
constexpr double kIriBeginningScore = 120;
constexpr double kWholeScore = 100;
constexpr double kPartScore = 20;  // times the share of the words

constexpr double band_of(Way way) {
  switch (way) {
    case Way::Words:
      return 80;
    case Way::Beginnings:
      return 60;
    case Way::Spelling:
      break;
  }
  return 40;
}

// What a match of one word is worth beside its field. All stays below the height of a band.
constexpr double kExactQuality = 3;
constexpr double kBeginningQuality = 1;

double near_quality(std::uint32_t distance) { return 1 - static_cast<double>(distance); }

class NameSearch {
 public:
  NameSearch(const Snapshot& snapshot, const TextIndex& index, const FindRequest& request,
             const OpContext& context, SearchWork& work)
      : snapshot_(snapshot),
        index_(index),
        request_(request),
        context_(context),
        work_(work),
        paced_(context),
        hits_max_(std::min(request.hits_max, kHitsMax)) {
    if (request.kind != NameKind::Any) {
      kinds_ = {request.kind};
    } else {
      kinds_ = {NameKind::Class, NameKind::Property, NameKind::Instance};
    }
  }

  Result<std::vector<NameHit>> run() {
    query_ = parse_name_query(snapshot_, index_, request_.text);
    if (query_.iris.empty() && query_.words.empty()) {
      return Error{ErrorCode::InvalidInput, "there are no words to look for",
                   "give words of a name or label, or an IRI"};
    }
    HELVE_TRY(context_.check());
    find_iris();
    if (is_wanting()) find_wholes();
    if (!query_.words.empty()) {
      HELVE_TRY(find_words(Way::Words));
      HELVE_TRY(find_words(Way::Beginnings));
      if (request_.is_fuzzy) HELVE_TRY(find_words(Way::Spelling));
      if (query_.words.size() > 1) HELVE_TRY(find_some());
    }
    return make_hits();
  }

 private:
  struct Found {
    Name name = 0;
    double score = 0;

    // For a heap that has the least on top.
    friend bool operator<(const Found& a, const Found& b) {
      return a.score != b.score ? a.score > b.score : a.name < b.name;
    }
  };

  bool is_wanting() const { return found_.size() < hits_max_; }
  bool has_kind(Name name) const {
    return request_.kind == NameKind::Any || index_.kind_of(name) == request_.kind;
  }
  void add(Name name, double score) {
    if (seen_.insert(name).second) found_.push_back({name, score});
  }

  double degree_points(Name name) const {
    const NameKind kind = index_.kind_of(name);
    const double degree = degree_of(count_of(snapshot_, index_.codes[name], kind)) / 8.0;
    const double bonus = kind == NameKind::Class ? 1.5 : kind == NameKind::Property ? 1.0 : 0.0;
    return std::min(degree, 20.0) * 0.4 + bonus;
  }

  void find_iris() {
    const FrontCoded& iris = snapshot_.dictionary().section(Tag::Iri).strings;
    for (const std::string& iri : query_.iris) {
      std::vector<Name> names;
      const std::uint64_t first = iris.lower_bound(iri);
      const std::uint64_t last = std::min(iris.size(), first + kIrisLookedAt);
      std::optional<Name> exact;
      iris.for_each(first, last, [&](std::uint64_t code, std::string_view text) {
        if (code >= index_.names.size() || !text.starts_with(iri)) return;
        const Name name = index_.names[code];
        if (name >= index_.size() || !has_kind(name)) return;
        if (text.size() == iri.size()) exact = name;
        names.push_back(name);
      });
      work_.list_steps += last - first;
      std::sort(names.begin(), names.end());
      if (exact) add(*exact, kIriScore);
      for (const Name name : names) {
        if (is_wanting()) add(name, kIriBeginningScore + degree_points(name));
      }
    }
  }

  // Of each kind, the first that are called just so.
  void find_wholes() {
    if (query_.whole.empty()) return;
    const std::uint32_t sum = whole_checksum(query_.whole);
    const std::uint64_t first = index_.wholes.lower_bound(0, index_.wholes.size(), sum);
    std::uint64_t last = index_.wholes.size();
    if (sum != 0xFFFFFFFF) last = index_.wholes.lower_bound(first, last, sum + 1);
    for (const NameKind kind : kinds_) {
      const auto [from, to] = index_.names_of(kind);
      std::uint64_t at = index_.holders.lower_bound(first, last, from * 4);
      for (std::size_t n = 0; n < 2 * hits_max_ && at < last; ++n, ++at) {
        const TextIndex::Holder holder = index_.holder(at);
        if (holder.name >= to) break;
        ++work_.labels;
        if (!is_whole_of(snapshot_, index_, holder, query_.whole)) continue;
        add(holder.name,
            kWholeScore + field_points(holder.field) + kExactQuality + degree_points(holder.name));
      }
    }
  }

  // A union for each word, of the lists that this way allows.
  std::vector<ListUnion> unions_for(Way way, NameKind kind) {
    std::vector<ListUnion> unions;
    for (std::size_t i = 0; i < query_.words.size(); ++i) {
      const QueryWord& word = query_.words[i];
      ListUnion& lists = unions.emplace_back(index_);
      if (word.exact) lists.add_word(index_, *word.exact, kExactQuality);
      if (way == Way::Words) continue;
      const LongerWords longer = best_longer_words(index_, word, kind, kPrefixWordsMax);
      work_.prefix_words += longer.looked_at;
      for (const std::uint64_t one : longer.words) lists.add_word(index_, one, kBeginningQuality);
      if (way == Way::Beginnings) continue;
      for (const NearWord& near : near_words(i)) {
        lists.add_word(index_, near.word, near_quality(near.distance));
      }
    }
    return unions;
  }

  const std::vector<NearWord>& near_words(std::size_t i) {
    if (near_.empty()) near_.resize(query_.words.size());
    if (near_[i]) return *near_[i];
    const QueryWord& word = query_.words[i];
    near_[i].emplace();
    const bool has_digit = std::any_of(word.text.begin(), word.text.end(), is_digit);
    if (!word.is_spelt || has_digit) return *near_[i];
    NearWords near = find_near_words(index_.words, word.text, edits_allowed(utf8_length(word.text)),
                                     kNearWordsMax, kNearStepsMax);
    work_.near_steps += near.steps;
    *near_[i] = std::move(near.words);
    return *near_[i];
  }

  Result<void> find_words(Way way) {
    if (!is_wanting()) return {};
    std::vector<Found> best;
    for (const NameKind kind : kinds_) {
      const auto names = index_.names_of(kind);
      if (names.first == names.second) continue;
      std::vector<ListUnion> unions = unions_for(way, kind);
      HELVE_TRY(walk(unions, names, band_of(way), best));
    }
    std::sort(best.begin(), best.end());
    for (const Found& found : best) {
      if (is_wanting()) add(found.name, found.score);
    }
    return {};
  }

  // Names that all unions have, best ones into `best`, of which no more than needed are kept.
  Result<void> walk(std::vector<ListUnion>& unions, std::pair<Name, Name> names, double band,
                    std::vector<Found>& best) {
    const std::size_t wanted = hits_max_ - found_.size();
    const auto words = static_cast<double>(unions.size());
    for (Name at = names.first; meet(unions, at, names.second); ++at) {
      const double degree = degree_points(at);
      double points = 0;
      double points_left = 0;
      for (const ListUnion& lists : unions) {
        points += lists.points();
        points_left += lists.points_left();
      }
      const bool is_full = best.size() >= wanted;
      if (is_full && best.front().score >= band + points_left / words + degree) break;
      const Found found{at, band + points / words + degree};
      if (seen_.contains(at) || (is_full && !(found < best.front()))) continue;
      if (is_full) {
        std::pop_heap(best.begin(), best.end());
        best.pop_back();
      }
      best.push_back(found);
      std::push_heap(best.begin(), best.end());
      HELVE_TRY(paced_.add(0));
    }
    return {};
  }

  // Moves all unions to the first name from `at` on that they share; false when there is none.
  bool meet(std::vector<ListUnion>& unions, Name& at, Name end) {
    std::size_t agreed = 0;
    for (std::size_t i = 0; agreed < unions.size(); i = (i + 1) % unions.size()) {
      if (++work_.list_steps > kStepsMax || !unions[i].seek(at)) return false;
      if (unions[i].name() >= end) return false;
      agreed = unions[i].name() == at ? agreed + 1 : 1;
      at = unions[i].name();
    }
    return true;
  }

  // Names that have some of the words: rare words count for more.
  Result<void> find_some() {
    if (!is_wanting()) return {};
    const Way way = request_.is_fuzzy ? Way::Spelling : Way::Beginnings;
    std::vector<Found> best;
    for (const NameKind kind : kinds_) {
      HELVE_TRY(context_.check());
      const auto names = index_.names_of(kind);
      std::vector<Name> candidates;
      for (ListUnion& lists : unions_for(way, kind)) {
        const std::size_t taken = std::max<std::size_t>(32, 2 * hits_max_);
        Name at = names.first;
        for (std::size_t n = 0; n < taken && lists.seek(at) && lists.name() < names.second; ++n) {
          at = lists.name() + 1;
          candidates.push_back(at - 1);
          ++work_.list_steps;
        }
      }
      std::sort(candidates.begin(), candidates.end());
      candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
      weigh_some(unions_for(way, kind), candidates, best);
    }
    std::sort(best.begin(), best.end());
    for (const Found& found : best) {
      if (is_wanting()) add(found.name, found.score);
    }
    return {};
  }

  void weigh_some(std::vector<ListUnion> unions, const std::vector<Name>& candidates,
                  std::vector<Found>& best) {
    double total = 0;
    std::vector<double> weights;
    const auto all = static_cast<double>(index_.size());
    for (const ListUnion& lists : unions) {
      weights.push_back(std::log2(1 + all / (1 + static_cast<double>(lists.size()))));
      total += weights.back();
    }
    for (const Name name : candidates) {
      double share = 0;
      double points = 0;
      for (std::size_t i = 0; i < unions.size(); ++i) {
        if (!unions[i].seek(name) || unions[i].name() != name) continue;
        share += weights[i] / total;
        points += unions[i].points() / static_cast<double>(unions.size());
      }
      best.push_back({name, kPartScore * share + (points + degree_points(name)) * 0.1});
    }
  }

  Result<std::vector<NameHit>> make_hits() {
    std::sort(found_.begin(), found_.end());
    if (found_.size() > hits_max_) found_.resize(hits_max_);
    std::vector<NameHit> hits;
    for (const Found& found : found_) {
      HELVE_TRY(context_.check());
      hits.push_back(make_hit(snapshot_, index_, found.name, found.score, query_));
    }
    return hits;
  }

  static constexpr std::uint64_t kIrisLookedAt = 256;

  const Snapshot& snapshot_;
  const TextIndex& index_;
  const FindRequest& request_;
  const OpContext& context_;
  SearchWork& work_;
  PacedCheck paced_;
  std::size_t hits_max_;
  std::vector<NameKind> kinds_;
  NameQuery query_;
  std::vector<std::optional<std::vector<NearWord>>> near_;  // by word
  std::vector<Found> found_;
  std::unordered_set<Name> seen_;
};

}  // namespace

Result<std::vector<NameHit>> search_names(const Snapshot& snapshot, const TextIndex& index,
                                          const FindRequest& request, const OpContext& context,
                                          SearchWork* work) {
  SearchWork unwatched;
  return NameSearch(snapshot, index, request, context, work != nullptr ? *work : unwatched).run();
}

}  // namespace helve::store
