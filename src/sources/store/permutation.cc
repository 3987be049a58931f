// Finding rows.
#include "sources/store/permutation.h"

#include <algorithm>

namespace helve::store {

RowRange Permutation::rows_of(Code leading) const {
  if (leading < first_code_ || leading - first_code_ + 1 >= starts_.size()) return {};
  const Code place = leading - first_code_;
  return {starts_[place], starts_[place + 1]};
}

RowRange Permutation::find(std::span<const Code> prefix) const {
  if (prefix.empty()) return all();
  RowRange range = rows_of(prefix[0]);
  for (std::size_t depth = 1; depth < prefix.size(); ++depth) {
    range = narrow(range, depth, prefix[depth]);
  }
  return range;
}

std::uint64_t Permutation::seek(RowRange rows, std::size_t depth, Code code) const {
  const Column<Code>& in = column(depth);
  if (rows.empty() || in[rows.first] >= code) return rows.first;
  std::uint64_t less = rows.first;  // in[less] < code
  std::uint64_t behind = less + 1;
  for (std::uint64_t step = 1; behind < rows.last && in[behind] < code; step *= 2) {
    less = behind;
    behind = std::min(less + step, rows.last);
  }
  const auto* const found = std::lower_bound(in.begin() + less + 1, in.begin() + behind, code);
  return static_cast<std::uint64_t>(found - in.begin());
}

RowRange Permutation::narrow(RowRange rows, std::size_t depth, Code code) const {
  constexpr std::uint64_t kWorthSearching = 16;
  const Column<Code>& in = column(depth);
  if (rows.size() > kWorthSearching) {
    const auto [first, last] =
        std::equal_range(in.begin() + rows.first, in.begin() + rows.last, code);
    return {static_cast<std::uint64_t>(first - in.begin()),
            static_cast<std::uint64_t>(last - in.begin())};
  }
  while (rows.first < rows.last && in[rows.first] < code) ++rows.first;
  std::uint64_t last = rows.first;
  while (last < rows.last && in[last] == code) ++last;
  return {rows.first, last};
}

void Permutation::read(RowRange rows, std::size_t depth, Code* out) const {
  const Column<Code>& in = column(depth);
  std::copy(in.begin() + rows.first, in.begin() + rows.last, out);
}

Code Permutation::leading(std::uint64_t row) const {
  const auto* const behind = std::upper_bound(starts_.begin(), starts_.end(), row);
  return first_code_ + static_cast<Code>(behind - starts_.begin() - 1);
}

std::size_t Permutation::column_bytes() const {
  std::size_t bytes = 0;
  for (const auto& column : columns_) bytes += column.bytes();
  return bytes;
}

}  // namespace helve::store
