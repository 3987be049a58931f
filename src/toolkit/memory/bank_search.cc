#include "toolkit/memory/bank_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "toolkit/memory/item_row.h"

namespace helve::memory {

namespace {

using sqlite::StoreStatement;

// Rows that the filter may pass over for each candidate that there may be.
constexpr std::size_t kLooksForEach = 25;

// A term in the language of FTS5.
std::string quoted(const std::string& term) { return "\"" + term + "\""; }

class Search {
 public:
  Search(sqlite::Store& store, const CandidateRequest& request, Candidates& found)
      : store_(store),
        request_(request),
        found_(found),
        looks_left_(request.candidates_max * kLooksForEach) {}

  Result<void> run() {
    HELVE_TRY(read_numbers());
    std::vector<std::size_t> order = known_terms();
    // All rare terms at once, as long as all of their items can be looked at.
    std::string rare;
    std::uint64_t items = 0;
    std::size_t taken = 0;
    for (; taken < order.size(); ++taken) {
      const std::uint64_t more = found_.frequencies[order[taken]];
      const bool is_small = found_.documents <= request_.candidates_max;
      if (!is_small && items + more > request_.candidates_max) break;
      items += more;
      rare += (rare.empty() ? "" : " OR ") + quoted(request_.terms[order[taken]]);
    }
    if (!rare.empty()) HELVE_TRY(look(rare));
    order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken));
    if (order.empty()) return {};
    found_.is_complete = false;
    return look_for_common(order);
  }

 private:
  Result<void> read_numbers() {
    {
      HELVE_ASSIGN(StoreStatement total, store_.prepare("SELECT items, length FROM total"));
      HELVE_ASSIGN(const bool has_row, total.step());
      if (has_row) {
        found_.documents = static_cast<std::uint64_t>(std::max<std::int64_t>(0, total.integer(0)));
        found_.total_length =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, total.integer(1)));
      }
    }
    for (const std::string& term : request_.terms) {
      HELVE_ASSIGN(StoreStatement row, store_.prepare("SELECT items FROM term WHERE term = ?"));
      HELVE_TRY(row.bind({term}));
      HELVE_ASSIGN(const bool is_known, row.step());
      found_.frequencies.push_back(
          is_known ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer(0))) : 0);
    }
    return {};
  }

  // Places of the terms that some item has, the rarest first.
  std::vector<std::size_t> known_terms() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < request_.terms.size(); ++i) {
      if (found_.frequencies[i] > 0) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      const auto& counts = found_.frequencies;
      return counts[left] != counts[right] ? counts[left] < counts[right]
                                           : request_.terms[left] < request_.terms[right];
    });
    return order;
  }

  // Of terms that too many items have, the items that have many of them: all, then all but the
  // most common one, and so on; at last, the newest with the rarest.
  Result<void> look_for_common(const std::vector<std::size_t>& order) {
    constexpr std::size_t kTogetherMax = 8;
    for (std::size_t count = std::min(order.size(), kTogetherMax); count > 0; --count) {
      if (is_full()) return {};
      std::string all;
      for (std::size_t i = 0; i < count; ++i) {
        all += (all.empty() ? "" : " AND ") + quoted(request_.terms[order[i]]);
      }
      HELVE_TRY(look(all));
    }
    return {};
  }

  bool is_full() const { return found_.items.size() >= request_.candidates_max; }

  // The newest first.
  Result<void> look(const std::string& match) {
    const ItemFilter& filter = request_.filter;
    HELVE_ASSIGN(
        StoreStatement rows,
        store_.prepare(
            "SELECT n, id, tags, retrieved, helped, hurt, created_at, last_used_at, length, bag "
            "FROM item_terms CROSS JOIN item ON item.n = item_terms.rowid "
            "WHERE item_terms MATCH ?1 AND (?2 < 0 OR src = ?2) AND (?3 = '' OR domain = ?3) "
            "AND (?4 OR quarantined = 0) AND (?5 OR superseded_by = '') "
            "AND (?6 OR retracted_at IS NULL) ORDER BY item_terms.rowid DESC LIMIT ?7"));
    HELVE_TRY(rows.bind({match, filter.polarity ? static_cast<std::int64_t>(*filter.polarity) : -1,
                         filter.domain, std::int64_t{filter.with_quarantined},
                         std::int64_t{filter.with_superseded}, std::int64_t{filter.with_retracted},
                         static_cast<std::int64_t>(looks_left_)}));
    while (true) {
      HELVE_ASSIGN(const bool has_row, rows.step());
      if (!has_row) return {};
      if (is_full()) {
        found_.is_complete = false;
        return {};
      }
      if (looks_left_ > 0) --looks_left_;
      take(rows);
    }
  }

  void take(const StoreStatement& row) {
    if (!seen_.insert(row.integer(0)).second) return;
    const std::string_view tags = row.text(2);
    for (const std::string& tag : request_.filter.tags) {
      if (tags.find("," + tag + ",") == std::string_view::npos) return;
    }
    Candidate one;
    one.id = row.text(1);
    const auto count = [&](int column) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer(column)));
    };
    one.counters = {count(3), count(4), count(5)};
    one.created_at = time_of(row.integer(6));
    if (!row.is_null(7)) one.last_used_at = time_of(row.integer(7));
    one.length = count(8);
    one.bag = Bag::from_bytes(row.text(9));
    found_.items.push_back(std::move(one));
  }

  sqlite::Store& store_;
  const CandidateRequest& request_;
  Candidates& found_;
  std::size_t looks_left_;
  std::unordered_set<std::int64_t> seen_;
};

}  // namespace

Result<Candidates> find_candidates(sqlite::Store& store, const CandidateRequest& request) {
  Candidates found;
  HELVE_TRY(Search(store, request, found).run());
  return found;
}

}  // namespace helve::memory
