// Searching in long ranges.
#include "sources/store/code_column.h"

#include <algorithm>

namespace helve::store {

Code CodeColumn::value_of(Code code) const {
  if (names_.empty()) return code;
  return static_cast<Code>(std::lower_bound(names_.begin(), names_.end(), code) - names_.begin());
}

RowRange CodeColumn::narrow_many(RowRange rows, Code wanted) const {
  const Code value = value_of(wanted);
  const std::uint64_t first = values_.lower_bound(rows.first, rows.last, value);
  if (!names_.empty() && (value == names_.size() || names_[value] != wanted)) return {first, first};
  return {first, values_.seek(first, rows.last, value + 1)};
}

void CodeColumn::read(RowRange rows, Code* out) const {
  values_.read(rows.first, rows.last, out);
  if (names_.empty()) return;
  std::transform(out, out + rows.size(), out, [this](Code value) { return names_[value]; });
}

}  // namespace helve::store
