// Putting a lesson into a bank, where it may be already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/memory/repository.h"

namespace helve::learning {

enum class StoreState : std::uint8_t {
  Added,
  Exists,     // nothing was changed
  Released,   // it was quarantined, and this one is not: it is active now
  Retracted,  // it was taken back before; nothing was changed
};

struct StoredLesson {
  std::string id;
  StoreState state = StoreState::Added;
  bool is_quarantined = false;          // as it is in the bank now
  std::optional<std::uint64_t> change;  // none where nothing was changed
};

// A lesson that is not quarantined is dated as verified. REQUIRES: an item of extract.h.
Result<StoredLesson> store_lesson(memory::MemoryRepository& bank, memory::Item lesson, WallTime now,
                                  const OpContext& context);

// For an item whose text the bank has already: one that is not quarantined takes the place of one
// that nobody has verified, and is verified now if it does not say when. REQUIRES: a checked item.
Result<StoredLesson> release_known(memory::MemoryRepository& bank, memory::Item item, WallTime now,
                                   const OpContext& context);

// Adds an item as it is, or release_known().
Result<StoredLesson> add_or_release(memory::MemoryRepository& bank, memory::Item item, WallTime now,
                                    const OpContext& context);

}  // namespace helve::learning
