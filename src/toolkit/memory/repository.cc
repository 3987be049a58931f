#include "toolkit/memory/repository.h"

#include <algorithm>
#include <array>

namespace helve::memory {

ItemFilter whole_bank() {
  ItemFilter filter;
  filter.with_quarantined = filter.with_superseded = filter.with_retracted = true;
  return filter;
}

bool ItemFilter::lets_through(const Item& item) const {
  if (polarity && item.src != *polarity) return false;
  if (!domain.empty() && item.domain != domain) return false;
  if (item.quarantined && !with_quarantined) return false;
  if (!item.superseded_by.empty() && !with_superseded) return false;
  if (item.retracted_at && !with_retracted) return false;
  return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) {
    return std::find(item.tags.begin(), item.tags.end(), tag) != item.tags.end();
  });
}

Item edited(const Item& item, const ItemEdit& edit) {
  Item now = item;
  if (edit.title) now.title = *edit.title;
  if (edit.desc) now.desc = *edit.desc;
  if (edit.content) now.content = *edit.content;
  if (edit.src) now.src = *edit.src;
  if (edit.tags) now.tags = *edit.tags;
  if (edit.scope) now.scope = *edit.scope;
  if (edit.domain) now.domain = *edit.domain;
  if (edit.schema_fingerprint) now.schema_fingerprint = *edit.schema_fingerprint;
  if (edit.quarantined) now.quarantined = *edit.quarantined;
  now.id = id_of(now);
  // What was verified, and where it came from, is another text.
  if (now.id != item.id) {
    now.verified_at.reset();
    now.provenance = {};
  }
  if (edit.verified_at) now.verified_at = *edit.verified_at;
  if (edit.provenance) now.provenance = *edit.provenance;
  return now;
}

Result<ChangeReport> MemoryRepository::evict(const std::vector<std::string>& /*ids*/,
                                             const OpContext& /*context*/) {
  return Error{ErrorCode::Unavailable, "this bank cannot evict items", "retract some by hand"};
}

std::string_view name_of(ChangeKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"add",     "edit", "supersede",
                                                      "retract", "undo", "evict"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace helve::memory
