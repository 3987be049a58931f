#include "toolkit/memory/bank_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>

#include "toolkit/memory/bank_index.h"
#include "toolkit/memory/item_row.h"
#include "toolkit/memory/rank.h"

namespace helve::memory {

namespace {

using sqlite::StoreStatement;

// Entries of lists that one search reads at most, and rows that the filter may pass over for each
// candidate that there may be.
constexpr std::uint64_t kEntriesMax = 2'000'000;
constexpr std::size_t kBankLooksForEach = 10;

// What the filter asks of a row, but for its tags.
constexpr std::string_view kLetsThrough =
    "((?2 < 0 OR src = ?2) AND (?3 = '' OR domain = ?3) AND (?4 OR quarantined = 0) AND "
    "(?5 OR superseded_by = '') AND (?6 OR retracted_at IS NULL))";

struct SearchTerm {
  std::size_t place = 0;  // in the request
  std::uint32_t hash = 0;
  std::uint64_t listed = 0;  // entries in lists
  double rarity = 0;
};

// Scores of slots, a word at a time, the rarest first. What the words that were not read could add
// at most is known: as soon as it is less than what the candidates have, nothing else can be one.
class BankSearch {
 public:
  BankSearch(sqlite::Store& store, const CandidateRequest& request, Candidates& found)
      : store_(store), request_(request), found_(found) {}

  Result<void> run() {
    HELVE_TRY(read_numbers());
    HELVE_TRY(read_newest());
    HELVE_TRY(read_frequencies());
    HELVE_TRY(read_filter());
    HELVE_TRY(read_lists());
    return read_rows();
  }

 private:
  Result<void> read_numbers() {
    HELVE_ASSIGN(StoreStatement total,
                 store_.prepare("SELECT items, length, next_slot, settled FROM total"));
    HELVE_ASSIGN(const bool has_row, total.step());
    if (!has_row) return {};
    found_.documents = count_at(total, 0);
    found_.total_length = count_at(total, 1);
    settled_ = count_at(total, 3);
    if (settled_ > count_at(total, 2) || settled_ > kSlotsMax) return broken_index();
    average_ = std::max(1.0, static_cast<double>(found_.total_length) /
                                 static_cast<double>(std::max<std::uint64_t>(found_.documents, 1)));
    for (std::size_t i = 0; i < request_.terms.size(); ++i) {
      terms_.push_back({i, Bag::hash_of(request_.terms[i]), 0, 0});
    }
    found_.frequencies.resize(terms_.size());
    return {};
  }

  // Those that are in no list yet: their own words tell.
  Result<void> read_newest() {
    static const std::string sql =
        fmt::format("SELECT slot, length, bag, tags, {} FROM item WHERE slot >= ?1", kLetsThrough);
    HELVE_ASSIGN(StoreStatement rows, store_.prepare(sql));
    HELVE_TRY(bind(rows, static_cast<std::int64_t>(settled_)));
    while (true) {
      HELVE_ASSIGN(const bool has_row, rows.step());
      if (!has_row) return {};
      Newest one{rows.integer(0), static_cast<double>(count_at(rows, 1)), {}};
      for (const SearchTerm& term : terms_) {
        const std::uint32_t weight = Bag::weight_in(rows.text(2), term.hash);
        if (weight == 0) continue;
        one.weights.emplace_back(term.place, weight);
        ++found_.frequencies[term.place];
      }
      const bool is_let_through = rows.integer(4) != 0 && has_tags(rows.text(3));
      if (is_let_through && !one.weights.empty()) newest_.push_back(std::move(one));
    }
  }

  Result<void> read_frequencies() {
    for (SearchTerm& term : terms_) {
      HELVE_ASSIGN(term.listed, count_listed(term.hash));
      HELVE_ASSIGN(StoreStatement gone, store_.prepare("SELECT items FROM gone WHERE term = ?"));
      HELVE_TRY(gone.bind({std::int64_t{term.hash}}));
      HELVE_ASSIGN(const bool are_some_gone, gone.step());
      const std::uint64_t dead = are_some_gone ? count_at(gone, 0) : 0;
      found_.frequencies[term.place] += term.listed - std::min(dead, term.listed);
      term.rarity = term_rarity(found_.documents, found_.frequencies[term.place]);
    }
    std::erase_if(terms_,
                  [&](const SearchTerm& term) { return found_.frequencies[term.place] == 0; });
    std::sort(terms_.begin(), terms_.end(), [](const SearchTerm& left, const SearchTerm& right) {
      return left.rarity != right.rarity ? left.rarity > right.rarity : left.place < right.place;
    });
    return {};
  }

  Result<std::uint64_t> count_listed(std::uint32_t hash) {
    std::uint64_t count = 0;
    for (const char* sql : {"SELECT sum(items) FROM long_list WHERE term = ?",
                            "SELECT sum(items) FROM short_list WHERE term = ?"}) {
      HELVE_ASSIGN(StoreStatement row, store_.prepare(sql));
      HELVE_TRY(row.bind({std::int64_t{hash}}));
      HELVE_ASSIGN(const bool has_row, row.step());
      if (has_row) count += count_at(row, 0);
    }
    return count;
  }

  // Calls `visit(slot, weight)` for each entry of a word.
  template <typename Visit>
  Result<void> visit_lists(std::uint32_t hash, const Visit& visit) {
    for (const char* sql : {"SELECT first, entries FROM long_list WHERE term = ?",
                            "SELECT first, entries FROM short_list WHERE term = ?"}) {
      HELVE_ASSIGN(StoreStatement rows, store_.prepare(sql));
      HELVE_TRY(rows.bind({std::int64_t{hash}}));
      while (true) {
        HELVE_ASSIGN(const bool has_row, rows.step());
        if (!has_row) break;
        HELVE_ASSIGN(const Span* const span, know_span(rows.integer(0)));
        const auto first = static_cast<std::uint64_t>(rows.integer(0));
        const bool is_read = visit_entries(
            rows.text(1), span->slots, [&](std::uint32_t place, std::uint32_t weight) {
              visit(static_cast<std::size_t>(first + place), weight, length_at(*span, place));
            });
        if (!is_read) return broken_index();
      }
    }
    return {};
  }

  struct Span {
    std::uint64_t slots = 0;
    std::string lengths;
  };

  static unsigned length_at(const Span& span, std::uint32_t place) {
    const auto byte = [&](std::size_t at) {
      return static_cast<unsigned>(static_cast<unsigned char>(span.lengths[at]));
    };
    const std::size_t at = 2 * std::size_t{place};
    return byte(at) | byte(at + 1) << 8U;
  }

  // One without slots: there is none.
  Result<const Span*> know_span(std::int64_t first) {
    const auto known = spans_.find(first);
    if (known != spans_.end()) return &known->second;
    HELVE_ASSIGN(StoreStatement row,
                 store_.prepare("SELECT slots, lengths FROM span WHERE first = ?"));
    HELVE_TRY(row.bind({first}));
    HELVE_ASSIGN(const bool has_row, row.step());
    Span& span = spans_[first];
    if (!has_row || first < 0) return &span;
    const std::uint64_t slots = count_at(row, 0);
    if (row.text(1).size() != 2 * slots || static_cast<std::uint64_t>(first) + slots > settled_) {
      return &span;
    }
    span.slots = slots;
    span.lengths = row.text(1);
    return &span;
  }

  // Which slots have all that the filter asks.
  Result<void> read_filter() {
    std::vector<std::string> tokens;
    const ItemFilter& filter = request_.filter;
    if (filter.polarity) tokens.push_back(source_token(*filter.polarity));
    if (!filter.domain.empty()) tokens.push_back(domain_token(filter.domain));
    for (const std::string& tag : filter.tags) tokens.push_back(tag_token(tag));
    if (settled_ == 0) return {};
    HELVE_TRY(read_tokens(tokens));
    if (filter.with_quarantined || filter.with_superseded || filter.with_retracted) return {};
    // Otherwise a pile of what nobody verified could stand before what somebody did.
    return visit_lists(Bag::hash_of(inactive_token()),
                       [&](std::size_t slot, std::uint32_t, unsigned) {
                         if (allowed_.empty()) allowed_.assign(settled_, 1);
                         allowed_[slot] = 0;
                       });
  }

  Result<void> read_tokens(const std::vector<std::string>& tokens) {
    if (tokens.empty()) return {};
    allowed_.resize(settled_);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      HELVE_TRY(
          visit_lists(Bag::hash_of(tokens[i]), [&](std::size_t slot, std::uint32_t, unsigned) {
            if (allowed_[slot] == i) allowed_[slot] = static_cast<std::uint8_t>(i + 1);
          }));
    }
    for (std::uint8_t& one : allowed_) one = one == tokens.size() ? 1 : 0;
    return {};
  }

  Result<void> read_lists() {
    double rest = 0;
    for (const SearchTerm& term : terms_) rest += score_max(term.rarity);
    std::uint64_t entries = 0;
    for (const SearchTerm& term : terms_) {
      if (term.listed > 0) {
        entries += term.listed;
        if (entries > kEntriesMax || rest < worst_candidate()) {
          found_.is_complete = false;
          return {};
        }
        HELVE_TRY(read_list(term));
      }
      rest -= score_max(term.rarity);
    }
    return {};
  }

  Result<void> read_list(const SearchTerm& term) {
    if (scores_ == nullptr)
      scores_.reset(static_cast<float*>(std::calloc(settled_, sizeof(float))));
    if (scores_ == nullptr) return Error{ErrorCode::LimitExceeded, "there is no memory to search"};
    const auto rarity = static_cast<float>(term.rarity);
    return visit_lists(term.hash, [&](std::size_t slot, std::uint32_t weight, unsigned length) {
      if (!allowed_.empty() && allowed_[slot] == 0) return;
      float& score = scores_.get()[slot];
      if (score == 0) met_.push_back(slot);
      score += rarity * static_cast<float>(term_part(weight, length_norm(length, average_)));
    });
  }

  // Of the slots met so far, the score of the last one that would be a candidate.
  double worst_candidate() {
    if (met_.size() < request_.candidates_max) return 0;
    std::vector<float> scores;
    scores.reserve(met_.size());
    for (const std::size_t slot : met_) scores.push_back(scores_.get()[slot]);
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(request_.candidates_max - 1);
    std::nth_element(scores.begin(), last, scores.end(), std::greater<>());
    return *last;
  }

  // The best slots, the newest of equals first, as far as the filter lets them through.
  Result<void> read_rows() {
    std::vector<std::pair<float, std::int64_t>> best;
    best.reserve(met_.size() + newest_.size());
    for (const std::size_t slot : met_) {
      best.emplace_back(scores_.get()[slot], static_cast<std::int64_t>(slot));
    }
    for (const Newest& one : newest_) best.emplace_back(score_of(one), one.slot);
    const std::size_t looks = std::min(best.size(), request_.candidates_max * kBankLooksForEach);
    for (std::size_t from = 0; from < looks;) {
      // As many as may be needed: most filters let most items through.
      const std::size_t to = std::min(looks, from + request_.candidates_max);
      std::partial_sort(best.begin() + static_cast<std::ptrdiff_t>(from),
                        best.begin() + static_cast<std::ptrdiff_t>(to), best.end(),
                        std::greater<>());
      for (; from < to; ++from) {
        if (found_.items.size() == request_.candidates_max) {
          found_.is_complete = false;
          return {};
        }
        HELVE_TRY(read_row(best[from].second));
      }
    }
    if (looks < best.size()) found_.is_complete = false;
    return {};
  }

  struct Newest {
    std::int64_t slot;
    double length;
    std::vector<std::pair<std::size_t, std::uint32_t>> weights;  // of terms, by their place
  };

  float score_of(const Newest& one) const {
    double score = 0;
    const double norm = length_norm(one.length, average_);
    for (const auto& [place, weight] : one.weights) {
      score += term_rarity(found_.documents, found_.frequencies[place]) * term_part(weight, norm);
    }
    return static_cast<float>(score);
  }

  Result<void> read_row(std::int64_t slot) {
    static const std::string sql = fmt::format(
        "SELECT id, tags, retrieved, helped, hurt, created_at, last_used_at, length, bag "
        "FROM item WHERE slot = ?1 AND {}",
        kLetsThrough);
    HELVE_ASSIGN(StoreStatement row, store_.prepare(sql));
    HELVE_TRY(bind(row, slot));
    HELVE_ASSIGN(const bool is_let_through, row.step());
    if (!is_let_through || !has_tags(row.text(1))) return {};
    found_.items.push_back(read_candidate(row, 0, row.text(8)));
    return {};
  }

  // A slot and the filter, in the order of kLetsThrough.
  Result<void> bind(StoreStatement& statement, std::int64_t slot) const {
    const ItemFilter& filter = request_.filter;
    return statement.bind({slot, filter.polarity ? static_cast<std::int64_t>(*filter.polarity) : -1,
                           filter.domain, std::int64_t{filter.with_quarantined},
                           std::int64_t{filter.with_superseded},
                           std::int64_t{filter.with_retracted}});
  }

  bool has_tags(std::string_view tags) const {
    const auto& wanted = request_.filter.tags;
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& tag) {
      return tags.find("," + tag + ",") != std::string_view::npos;
    });
  }

  sqlite::Store& store_;
  const CandidateRequest& request_;
  Candidates& found_;
  std::uint64_t settled_ = 0;  // slots from here on are in no list
  double average_ = 1;
  std::vector<SearchTerm> terms_;
  std::vector<Newest> newest_;
  std::map<std::int64_t, Span> spans_;  // by their first slot
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  // By slot. Zeroed by the system, which gives pages when they are touched: most searches touch
  // few.
  std::unique_ptr<float, Free> scores_;
  std::vector<std::uint8_t> allowed_;  // empty: all are
  std::vector<std::size_t> met_;       // slots with a score
};

}  // namespace

Result<Candidates> find_candidates(sqlite::Store& store, const CandidateRequest& request) {
  Candidates found;
  HELVE_TRY(BankSearch(store, request, found).run());
  return found;
}

}  // namespace helve::memory
