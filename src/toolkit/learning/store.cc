#include "toolkit/learning/store.h"

namespace helve::learning {

namespace {

Result<std::optional<memory::Item>> find(memory::MemoryRepository& bank, const std::string& id,
                                         const OpContext& context) {
  auto items = bank.get({id}, context);
  if (items) return std::optional(std::move(items->front()));
  if (items.error().code == ErrorCode::NotFound) return std::optional<memory::Item>();
  return std::move(items).error();
}

// What somebody has verified now is what nobody had verified before.
Result<void> release(memory::MemoryRepository& bank, const memory::Item& lesson,
                     StoredLesson& stored, const OpContext& context) {
  memory::ItemEdit edit;
  edit.quarantined = false;
  edit.verified_at = lesson.verified_at;
  edit.src = lesson.src;
  // All that the id does not cover comes from the lesson: somebody else may have written the rest.
  edit.desc = lesson.desc;
  edit.tags = lesson.tags;
  edit.domain = lesson.domain;
  edit.scope = lesson.scope;
  edit.provenance = lesson.provenance;
  if (!lesson.schema_fingerprint.empty()) edit.schema_fingerprint = lesson.schema_fingerprint;
  HELVE_ASSIGN(const memory::ChangeReport changed, bank.edit(lesson.id, edit, context));
  stored.state = StoreState::Released;
  stored.is_quarantined = false;
  stored.change = changed.change;
  return {};
}

Result<StoredLesson> release_if_verified(memory::MemoryRepository& bank, const memory::Item& lesson,
                                         const memory::Item& known, const OpContext& context) {
  StoredLesson stored{lesson.id, StoreState::Exists, known.quarantined, {}};
  if (known.retracted_at) {
    stored.state = StoreState::Retracted;
  } else if (known.quarantined && !lesson.quarantined && known.superseded_by.empty()) {
    HELVE_TRY(release(bank, lesson, stored, context));
  }
  return stored;
}

}  // namespace

Result<StoredLesson> store_lesson(memory::MemoryRepository& bank, memory::Item lesson, WallTime now,
                                  const OpContext& context) {
  if (!lesson.quarantined) {
    lesson.verified_at = std::chrono::time_point_cast<std::chrono::seconds>(now);
  }
  // Looking is cheaper than writing, and most patterns are there.
  HELVE_ASSIGN(const std::optional<memory::Item> known, find(bank, lesson.id, context));
  if (known) return release_if_verified(bank, lesson, *known, context);
  return add_or_release(bank, std::move(lesson), now, context);
}

Result<StoredLesson> release_known(memory::MemoryRepository& bank, memory::Item item, WallTime now,
                                   const OpContext& context) {
  HELVE_ASSIGN(const std::optional<memory::Item> known, find(bank, item.id, context));
  if (!known) return Error{ErrorCode::Unavailable, "the bank changes at the moment", "try again"};
  if (!item.verified_at) item.verified_at = std::chrono::time_point_cast<std::chrono::seconds>(now);
  return release_if_verified(bank, item, *known, context);
}

Result<StoredLesson> add_or_release(memory::MemoryRepository& bank, memory::Item item, WallTime now,
                                    const OpContext& context) {
  HELVE_ASSIGN(const memory::AddReport added, bank.add({item}, context));
  if (added.items.front().state != memory::AddState::Added) {
    return release_known(bank, std::move(item), now, context);
  }
  return StoredLesson{item.id, StoreState::Added, item.quarantined, added.change};
}

}  // namespace helve::learning
