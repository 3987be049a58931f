#include "toolkit/memory/candidate_search.h"

#include <algorithm>
#include <unordered_set>

namespace helve::memory {

namespace {

// Rows that the filter may pass over for each candidate that there may be.
constexpr std::size_t kRowLooksForEach = 25;

class RowSearch {
 public:
  RowSearch(CandidateRows& rows, const CandidateRequest& request, Candidates& found)
      : rows_(rows),
        request_(request),
        found_(found),
        looks_left_(request.candidates_max * kRowLooksForEach) {}

  Result<void> run() {
    HELVE_TRY(rows_.read_numbers(request_.terms, found_));
    std::vector<std::size_t> order = known_terms();
    // All rare terms at once, as long as all of their items can be looked at.
    TermMatch rare;
    std::uint64_t items = 0;
    std::size_t taken = 0;
    for (; taken < order.size(); ++taken) {
      const std::uint64_t more = found_.frequencies[order[taken]];
      const bool is_small = found_.documents <= request_.candidates_max;
      if (!is_small && items + more > request_.candidates_max) break;
      items += more;
      rare.terms.push_back(request_.terms[order[taken]]);
    }
    if (!rare.terms.empty()) HELVE_TRY(look(rare));
    order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken));
    if (order.empty()) return {};
    found_.is_complete = false;
    return look_for_common(order);
  }

 private:
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
      TermMatch all{{}, true};
      for (std::size_t i = 0; i < count; ++i) all.terms.push_back(request_.terms[order[i]]);
      HELVE_TRY(look(all));
    }
    return {};
  }

  bool is_full() const { return found_.items.size() >= request_.candidates_max; }

  Result<void> look(const TermMatch& match) {
    const auto judge = [this](std::int64_t row, std::string_view tags) {
      if (is_full()) {
        found_.is_complete = false;
        return CandidateRows::Verdict::Stop;
      }
      if (looks_left_ > 0) --looks_left_;
      const bool is_new = seen_.insert(row).second;
      return is_new && has_tags(tags) ? CandidateRows::Verdict::Take : CandidateRows::Verdict::Pass;
    };
    return rows_.look(match, request_.filter, looks_left_, judge, found_.items);
  }

  bool has_tags(std::string_view tags) const {
    const auto& wanted = request_.filter.tags;
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& tag) {
      return tags.find("," + tag + ",") != std::string_view::npos;
    });
  }

  CandidateRows& rows_;
  const CandidateRequest& request_;
  Candidates& found_;
  std::size_t looks_left_;
  std::unordered_set<std::int64_t> seen_;
};

}  // namespace

Result<Candidates> find_candidates(CandidateRows& rows, const CandidateRequest& request) {
  Candidates found;
  HELVE_TRY(RowSearch(rows, request, found).run());
  return found;
}

}  // namespace helve::memory
