#include "toolkit/memory/postgres/postgres_search.h"

#include <algorithm>
#include <limits>
#include <map>

#include "toolkit/memory/candidate_search.h"
#include "toolkit/memory/item_row.h"
#include "toolkit/memory/postgres/postgres_rows.h"

namespace helve::memory {

namespace {

class ServerRows final : public CandidateRows {
 public:
  ServerRows(BankSession& session, const BankSql& sql, std::size_t page, const OpContext& context)
      : session_(session), sql_(sql), page_(page), context_(context) {}

  Result<void> read_numbers(const std::vector<std::string>& terms, Candidates& found) override {
    session_.begin(BankAccess::Read, context_);
    session_.add(sql_.read_bank);
    session_.add(sql_.read_terms, {terms});
    session_.add(sql_.plan_search);
    HELVE_ASSIGN(const auto answers, session_.run(context_));
    HELVE_ASSIGN(const BankNumbers numbers, read_bank_numbers(answers[0]));
    found.documents = numbers.items;
    found.total_length = numbers.length;
    std::map<std::string_view, std::uint64_t> items;
    for (int i = 0; i < rows_of(answers[1]); ++i) {
      const PgRow row(answers[1], i);
      items[row.text(0)] = count_at(row, 1);
    }
    for (const std::string& term : terms) {
      const auto known = items.find(term);
      found.frequencies.push_back(known == items.end() ? 0 : known->second);
    }
    return {};
  }

  // By pages: mostly the first one has all that is wanted, and rows are large.
  Result<void> look(const TermMatch& match, const ItemFilter& filter, std::size_t rows_max,
                    const Judge& judge, std::vector<Candidate>& items) override {
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    while (rows_max > 0) {
      const std::size_t page = std::min(rows_max, page_);
      session_.add(
          match.is_all ? sql_.look_all : sql_.look_any,
          {match.terms, last, filter.polarity ? static_cast<std::int64_t>(*filter.polarity) : -1,
           filter.domain, PgParameter::truth(filter.with_quarantined),
           PgParameter::truth(filter.with_superseded), PgParameter::truth(filter.with_retracted),
           static_cast<std::int64_t>(page)});
      HELVE_ASSIGN(const auto answers, session_.run(context_));
      const int rows = rows_of(answers[0]);
      for (int i = 0; i < rows; ++i) {
        const PgRow row(answers[0], i);
        last = row.integer(0);
        const Verdict verdict = judge(last, row.text(2));
        if (verdict == Verdict::Stop) return {};
        if (verdict == Verdict::Take) {
          items.push_back(read_candidate(row, 1, bytes_of(row.text(9))));
        }
      }
      if (static_cast<std::size_t>(rows) < page) return {};
      rows_max -= page;
    }
    return {};
  }

 private:
  BankSession& session_;
  const BankSql& sql_;
  const std::size_t page_;
  const OpContext& context_;
};

}  // namespace

Result<Candidates> find_candidates(BankSession& session, const BankSql& sql,
                                   const CandidateRequest& request, const OpContext& context) {
  // One more than may be taken: whether there are more has to be told.
  ServerRows rows(session, sql, std::max<std::size_t>(request.candidates_max, 1) + 1, context);
  auto found = find_candidates(rows, request);
  if (!session.is_lost()) session.roll_back(context);
  return found;
}

}  // namespace helve::memory
