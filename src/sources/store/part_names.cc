#include "sources/store/part_names.h"

#include <bit>
#include <utility>

namespace helve::store {

PartNames::PartNames(std::vector<Code> codes) {
  if (codes.empty() || codes.size() > CodeColumn::kNamesMax) return;
  slots_.resize(std::bit_ceil(codes.size() * 4));
  mask_ = slots_.size() - 1;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::size_t slot = slot_of(codes[i]);
    while (slots_[slot].code != Slot{}.code) slot = (slot + 1) & mask_;
    slots_[slot] = {codes[i], static_cast<Code>(i)};
  }
  list_ = Column<Code>::own(std::move(codes));
}

}  // namespace helve::store
