// Pairs of rows that have the same values: those whose languages bear each other. A text without a
// language is equal to one with any, so that equality here is no equivalence.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/judge/keyed_rows.h"
#include "base/result.h"

namespace helve::agent {

// Rows of one table with the same values.
using RowGroup = std::vector<std::uint64_t>;

class LanguagePairs {
 public:
  // `blank_code` is that of all blank nodes; 0: there are none. Both outlive it.
  LanguagePairs(const KeyedRows& reference, const KeyedRows& candidate, std::uint32_t blank_code)
      : reference_(reference), candidate_(candidate), blank_code_(blank_code) {}

  // REQUIRES: the same values.
  bool are_equal(std::uint64_t reference_row, std::uint64_t candidate_row) const;

  struct Common {
    std::uint64_t found = 0;  // of the reference
    std::uint64_t right = 0;  // of the candidate
  };
  // As bags, each row has at most one partner. As sets, a row is common where it has any; rows with
  // blank nodes are counted as in bags. LimitExceeded where there are too many different languages.
  Result<Common> common(const RowGroup& reference, const RowGroup& candidate, bool is_bag);

 private:
  std::uint64_t pair_few(const RowGroup& left, const RowGroup& right) const;
  Result<std::uint64_t> pair_many(const RowGroup& left, const RowGroup& right);
  bool find_partner(std::size_t i, const RowGroup& left, const RowGroup& right,
                    std::vector<bool>& seen, std::vector<std::size_t>& partner) const;
  bool has_blanks(std::uint64_t reference_row) const;
  Result<void> take_steps(std::size_t left, std::size_t right);

  const KeyedRows& reference_;
  const KeyedRows& candidate_;
  const std::uint32_t blank_code_;
  std::uint64_t steps_ = 0;  // of all groups
};

}  // namespace helve::agent
