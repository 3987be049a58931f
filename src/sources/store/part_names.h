// PartNames: the codes of a part that has few different ones, as predicates and graphs mostly are,
// and where each stands in the list of them, which is what columns of that part hold (CodeColumn).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sources/store/code_column.h"
#include "sources/store/column.h"

namespace helve::store {

// Immutable; thread-safe.
class PartNames {
 public:
  // Too many codes to be listed: the column holds the codes themselves.
  PartNames() = default;
  // All codes of the part, ascending. More than CodeColumn::kNamesMax are too many.
  explicit PartNames(std::vector<Code> codes);

  // Empty: too many, or none.
  const Column<Code>& list() const { return list_; }
  static constexpr Code kUnknown = 0xFFFFFFFF;  // no code: there are fewer
  // What a column holds for a code; kUnknown where there is a list without it.
  Code value_of(Code code) const {
    if (list_.empty()) return code;
    std::size_t slot = slot_of(code);
    while (slots_[slot].code != code && slots_[slot].code != kUnknown) slot = (slot + 1) & mask_;
    return slots_[slot].value;
  }

 private:
  struct Slot {
    Code code = kUnknown;
    Code value = kUnknown;
  };

  std::size_t slot_of(Code code) const { return (code * 0x9E3779B97F4A7C15ull >> 32) & mask_; }

  Column<Code> list_;
  std::vector<Slot> slots_;  // a hash table: codes may lie far apart
  std::size_t mask_ = 0;
};

}  // namespace helve::store
