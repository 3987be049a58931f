#include "agent/judge/language_pairs.h"

#include <algorithm>
#include <map>

namespace helve::agent {

namespace {

constexpr std::size_t kFew = 64;  // rows that are paired in the best of all ways
constexpr std::uint64_t kStepsMax = 50'000'000;

// Rows that differ in nothing that counts here.
struct AlikeRows {
  std::uint64_t row = 0;  // one of them
  std::uint64_t count = 0;
};

std::vector<AlikeRows> alike(const KeyedRows& rows, const RowGroup& group,
                             std::uint32_t blank_code) {
  std::map<std::vector<std::uint32_t>, std::size_t> places;
  std::vector<AlikeRows> found;
  for (const std::uint64_t number : group) {
    const auto row = rows.row(number);
    std::vector<std::uint32_t> languages(row.begin() + static_cast<std::ptrdiff_t>(rows.values),
                                         row.end());
    for (std::size_t i = 0; i < languages.size(); ++i) {
      if (blank_code != 0 && row[i] == blank_code) languages[i] = 0;
    }
    const auto [place, is_new] = places.emplace(std::move(languages), found.size());
    if (is_new) found.push_back({number, 0});
    ++found[place->second].count;
  }
  return found;
}

}  // namespace

bool LanguagePairs::are_equal(std::uint64_t reference_row, std::uint64_t candidate_row) const {
  const auto left = reference_.row(reference_row);
  const auto right = candidate_.row(candidate_row);
  const std::size_t values = reference_.values;
  for (std::size_t i = 0; i < values && reference_.width > values; ++i) {
    if (blank_code_ != 0 && left[i] == blank_code_) continue;
    const std::uint32_t a = left[values + i];
    const std::uint32_t b = right[values + i];
    if (a != 0 && b != 0 && a != b) return false;
  }
  return true;
}

bool LanguagePairs::has_blanks(std::uint64_t reference_row) const {
  const auto key = reference_.key(reference_row);
  return blank_code_ != 0 && std::find(key.begin(), key.end(), blank_code_) != key.end();
}

Result<void> LanguagePairs::take_steps(std::size_t left, std::size_t right) {
  steps_ += std::uint64_t{left} * right;
  if (steps_ <= kStepsMax) return {};
  return Error{ErrorCode::LimitExceeded,
               "too many rows differ in the languages of their texts alone",
               "compare the texts without them: STR(?x)"};
}

Result<LanguagePairs::Common> LanguagePairs::common(const RowGroup& reference,
                                                    const RowGroup& candidate, bool is_bag) {
  Common found;
  if (reference.empty() || candidate.empty()) return found;
  if (is_bag || has_blanks(reference.front())) {
    if (reference.size() <= kFew && candidate.size() <= kFew) {
      found.found = pair_few(reference, candidate);
    } else {
      HELVE_ASSIGN(found.found, pair_many(reference, candidate));
    }
    found.right = found.found;
    return found;
  }
  HELVE_TRY(take_steps(reference.size(), candidate.size()));
  const auto is_found = [&](std::uint64_t row) {
    return std::any_of(candidate.begin(), candidate.end(),
                       [&](std::uint64_t other) { return are_equal(row, other); });
  };
  const auto is_right = [&](std::uint64_t row) {
    return std::any_of(reference.begin(), reference.end(),
                       [&](std::uint64_t other) { return are_equal(other, row); });
  };
  found.found =
      static_cast<std::uint64_t>(std::count_if(reference.begin(), reference.end(), is_found));
  found.right =
      static_cast<std::uint64_t>(std::count_if(candidate.begin(), candidate.end(), is_right));
  return found;
}

// The most pairs that there can be: where all partners are taken, others may move on.
std::uint64_t LanguagePairs::pair_few(const RowGroup& left, const RowGroup& right) const {
  std::vector<std::size_t> partner(right.size(), left.size());
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::vector<bool> seen(right.size());
    pairs += find_partner(i, left, right, seen, partner) ? 1U : 0U;
  }
  return pairs;
}

bool LanguagePairs::find_partner(std::size_t i, const RowGroup& left, const RowGroup& right,
                                 std::vector<bool>& seen, std::vector<std::size_t>& partner) const {
  for (std::size_t j = 0; j < right.size(); ++j) {
    if (seen[j] || !are_equal(left[i], right[j])) continue;
    seen[j] = true;
    const bool is_free = partner[j] == left.size();
    if (is_free || find_partner(partner[j], left, right, seen, partner)) {
      partner[j] = i;
      return true;
    }
  }
  return false;
}

// Rows with the same languages first, then those that bear each other, in their order.
Result<std::uint64_t> LanguagePairs::pair_many(const RowGroup& left, const RowGroup& right) {
  std::vector<AlikeRows> a = alike(reference_, left, blank_code_);
  std::vector<AlikeRows> b = alike(candidate_, right, blank_code_);
  HELVE_TRY(take_steps(a.size(), b.size()));
  const std::size_t values = reference_.values;
  const auto are_alike = [&](std::uint64_t x, std::uint64_t y) {
    const auto of_x = reference_.row(x).subspan(values);
    const auto of_y = candidate_.row(y).subspan(values);
    return std::equal(of_x.begin(), of_x.end(), of_y.begin(), of_y.end());
  };
  std::uint64_t pairs = 0;
  for (const bool is_exact : {true, false}) {
    for (AlikeRows& x : a) {
      for (AlikeRows& y : b) {
        if (x.count == 0 || y.count == 0) continue;
        if (is_exact ? !are_alike(x.row, y.row) : !are_equal(x.row, y.row)) continue;
        const std::uint64_t both = std::min(x.count, y.count);
        x.count -= both;
        y.count -= both;
        pairs += both;
      }
    }
  }
  return pairs;
}

}  // namespace helve::agent
