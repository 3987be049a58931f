// Which items are candidates for a question, the same wherever they are kept: those with its rarest
// terms first, as many as may be looked at. bank_search.h asks a file, postgres/ a server.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/memory/repository.h"

namespace helve::memory {

// Items that have all of the terms, or any of them; the rarest term first.
struct TermMatch {
  std::vector<std::string> terms;
  bool is_all = false;
};

// The tables that are searched, within one state of them.
class CandidateRows {
 public:
  virtual ~CandidateRows() = default;

  // documents, total_length and frequencies.
  virtual Result<void> read_numbers(const std::vector<std::string>& terms, Candidates& found) = 0;

  enum class Verdict : std::uint8_t { Take, Pass, Stop };
  using Judge = std::function<Verdict(std::int64_t row, std::string_view tags)>;
  // Rows that match and that the filter lets through but for its tags, the newest first, until
  // there are `rows_max` or the judge stops. Those that it takes are appended to `items`.
  virtual Result<void> look(const TermMatch& match, const ItemFilter& filter, std::size_t rows_max,
                            const Judge& judge, std::vector<Candidate>& items) = 0;
};

Result<Candidates> find_candidates(CandidateRows& rows, const CandidateRequest& request);

}  // namespace helve::memory
