#include "toolkit/memory/bank_search.h"

#include "toolkit/memory/candidate_search.h"
#include "toolkit/memory/item_row.h"

namespace helve::memory {

namespace {

using sqlite::StoreStatement;

// In the language of FTS5.
std::string text_of(const TermMatch& match) {
  std::string text;
  for (const std::string& term : match.terms) {
    if (!text.empty()) text += match.is_all ? " AND " : " OR ";
    text += "\"" + term + "\"";
  }
  return text;
}

class FileRows final : public CandidateRows {
 public:
  explicit FileRows(sqlite::Store& store) : store_(store) {}

  Result<void> read_numbers(const std::vector<std::string>& terms, Candidates& found) override {
    {
      HELVE_ASSIGN(StoreStatement total, store_.prepare("SELECT items, length FROM total"));
      HELVE_ASSIGN(const bool has_row, total.step());
      if (has_row) {
        found.documents = count_at(total, 0);
        found.total_length = count_at(total, 1);
      }
    }
    for (const std::string& term : terms) {
      HELVE_ASSIGN(StoreStatement row, store_.prepare("SELECT items FROM term WHERE term = ?"));
      HELVE_TRY(row.bind({term}));
      HELVE_ASSIGN(const bool is_known, row.step());
      found.frequencies.push_back(is_known ? count_at(row, 0) : 0);
    }
    return {};
  }

  Result<void> look(const TermMatch& match, const ItemFilter& filter, std::size_t rows_max,
                    const Judge& judge, std::vector<Candidate>& items) override {
    const std::string text = text_of(match);
    HELVE_ASSIGN(
        StoreStatement rows,
        store_.prepare(
            "SELECT n, id, tags, retrieved, helped, hurt, created_at, last_used_at, length, bag "
            "FROM item_terms CROSS JOIN item ON item.n = item_terms.rowid "
            "WHERE item_terms MATCH ?1 AND (?2 < 0 OR src = ?2) AND (?3 = '' OR domain = ?3) "
            "AND (?4 OR quarantined = 0) AND (?5 OR superseded_by = '') "
            "AND (?6 OR retracted_at IS NULL) ORDER BY item_terms.rowid DESC LIMIT ?7"));
    HELVE_TRY(rows.bind({text, filter.polarity ? static_cast<std::int64_t>(*filter.polarity) : -1,
                         filter.domain, std::int64_t{filter.with_quarantined},
                         std::int64_t{filter.with_superseded}, std::int64_t{filter.with_retracted},
                         static_cast<std::int64_t>(rows_max)}));
    while (true) {
      HELVE_ASSIGN(const bool has_row, rows.step());
      if (!has_row) return {};
      const Verdict verdict = judge(rows.integer(0), rows.text(2));
      if (verdict == Verdict::Stop) return {};
      if (verdict == Verdict::Take) items.push_back(read_candidate(rows, 1, rows.text(9)));
    }
  }

 private:
  sqlite::Store& store_;
};

}  // namespace

Result<Candidates> find_candidates(sqlite::Store& store, const CandidateRequest& request) {
  FileRows rows(store);
  return find_candidates(rows, request);
}

}  // namespace helve::memory
