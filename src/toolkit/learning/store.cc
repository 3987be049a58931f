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
  if (!lesson.schema_fingerprint.empty()) edit.schema_fingerprint = lesson.schema_fingerprint;
  HELVE_ASSIGN(const memory::ChangeReport changed, bank.edit(lesson.id, edit, context));
  stored.state = StoreState::Released;
  stored.is_quarantined = false;
  stored.change = changed.change;
  return {};
}

}  // namespace

Result<StoredLesson> store_lesson(memory::MemoryRepository& bank, memory::Item lesson, WallTime now,
                                  const OpContext& context) {
  if (!lesson.quarantined) {
    lesson.verified_at = std::chrono::time_point_cast<std::chrono::seconds>(now);
  }
  StoredLesson stored{lesson.id, StoreState::Exists, lesson.quarantined, {}};
  // Looking is cheaper than writing, and most patterns are there.
  HELVE_ASSIGN(std::optional<memory::Item> known, find(bank, lesson.id, context));
  if (!known) {
    HELVE_ASSIGN(const memory::AddReport added, bank.add({lesson}, context));
    stored.change = added.change;
    if (added.items.front().state == memory::AddState::Added) {
      stored.state = StoreState::Added;
      return stored;
    }
    HELVE_ASSIGN(known, find(bank, lesson.id, context));  // somebody else was quicker
    if (!known) return Error{ErrorCode::Unavailable, "the bank changes at the moment", "try again"};
  }
  stored.is_quarantined = known->quarantined;
  if (known->retracted_at) {
    stored.state = StoreState::Retracted;
  } else if (known->quarantined && !lesson.quarantined && known->superseded_by.empty()) {
    HELVE_TRY(release(bank, lesson, stored, context));
  }
  return stored;
}

}  // namespace helve::learning
