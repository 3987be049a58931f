// IdOrder: the order of sort_key.h where ids alone tell it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sources/sparql/engine/dataset.h"

namespace helve::sparql {

class IdOrder {
 public:
  explicit IdOrder(const Snapshot& snapshot);

  // As the SortKeys of the two compare; nullopt: look closer. Undefined ids come first.
  std::optional<std::weak_ordering> compare(Id a, Id b) const;

  // Numbers that compare as the ids do, all of them; false when there are none.
  bool encode(std::span<const Id> ids, std::vector<std::uint64_t>& codes) const;

 private:
  static constexpr std::size_t kTags = 16;
  // By tag: whether its ids are in the order of their values.
  std::array<bool, kTags> is_in_order_{};
};

}  // namespace helve::sparql
