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
    const Column<Code>& in = column(depth);
    const auto [first, last] =
        std::equal_range(in.begin() + range.first, in.begin() + range.last, prefix[depth]);
    range = {static_cast<std::uint64_t>(first - in.begin()),
             static_cast<std::uint64_t>(last - in.begin())};
  }
  return range;
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
