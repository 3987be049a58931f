// IdTable: ids by the checksum of what they stand for, in one array without nodes. Different things
// may have the same checksum: whoever looks one up says which it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sources/rdf/id.h"

namespace helve::store {

// Not thread-safe.
class IdTable {
 public:
  // Of one entry of many, while none is erased.
  static constexpr std::size_t kBytesMax = 48;

  std::size_t size() const { return size_; }

  // REQUIRES: a defined id.
  void insert(std::uint64_t checksum, rdf::Id id) {
    if ((size_ + 1) * 3 > slots_.size() * 2) grow();
    std::size_t at = home_of(checksum);
    while (slots_[at].id.is_defined()) at = after(at);
    slots_[at] = {checksum, id};
    ++size_;
  }

  // The first with the checksum of which `is` says so.
  template <typename Is>
  std::optional<rdf::Id> find(std::uint64_t checksum, const Is& is) const {
    if (slots_.empty()) return std::nullopt;
    for (std::size_t at = home_of(checksum); slots_[at].id.is_defined(); at = after(at)) {
      if (slots_[at].checksum == checksum && is(slots_[at].id)) return slots_[at].id;
    }
    return std::nullopt;
  }

  void erase(std::uint64_t checksum, rdf::Id id) {
    if (slots_.empty()) return;
    std::size_t hole = home_of(checksum);
    while (slots_[hole].id != id) {
      if (!slots_[hole].id.is_defined()) return;
      hole = after(hole);
    }
    // Those behind it close up, so that a free slot always means that nothing follows.
    for (std::size_t at = after(hole); slots_[at].id.is_defined(); at = after(at)) {
      const std::size_t home = home_of(slots_[at].checksum);
      const bool reaches_hole = ((at - home) & mask()) >= ((at - hole) & mask());
      if (reaches_hole) slots_[std::exchange(hole, at)] = slots_[at];
    }
    slots_[hole] = {};
    --size_;
  }

 private:
  struct Slot {
    std::uint64_t checksum = 0;
    rdf::Id id;  // undefined: free
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home_of(std::uint64_t checksum) const { return checksum & mask(); }
  std::size_t after(std::size_t at) const { return (at + 1) & mask(); }

  void grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : slots_.size() * 2));
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.id.is_defined()) insert(slot.checksum, slot.id);
    }
  }

  std::vector<Slot> slots_;  // as many as a power of two
  std::size_t size_ = 0;
};

}  // namespace helve::store
