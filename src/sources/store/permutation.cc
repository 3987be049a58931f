// Finding rows.
#include "sources/store/permutation.h"

namespace helve::store {

RowRange Permutation::find(std::span<const Code> prefix) const {
  if (prefix.empty()) return all();
  RowRange range = rows_of(prefix[0]);
  for (std::size_t depth = 1; depth < prefix.size(); ++depth) {
    range = narrow(range, depth, prefix[depth]);
  }
  return range;
}

Code Permutation::leading(std::uint64_t row) const {
  const std::uint64_t behind =
      starts_.lower_bound(0, starts_.size(), static_cast<std::uint32_t>(row + 1));
  return first_code_ + static_cast<Code>(behind == 0 ? 0 : behind - 1);
}

std::size_t Permutation::column_bytes() const {
  std::size_t bytes = 0;
  for (const auto& column : columns_) bytes += column.bytes();
  return bytes;
}

}  // namespace helve::store
