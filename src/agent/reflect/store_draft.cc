// Putting a draft into a bank, where it may be already, and beside or before what it refines.
#include <fmt/format.h>

#include "agent/reflect/reflection.h"
#include "toolkit/learning/store.h"

namespace helve::agent {

namespace {

using learning::StoreState;
using memory::Item;

Error retracted(const std::string& id) {
  return {ErrorCode::Denied, fmt::format("item {} was retracted", id),
          fmt::format("helve memory history {} has the change to undo", id)};
}

Error superseded(const Item& item) {
  return {ErrorCode::Denied,
          fmt::format("item {} was superseded by {}", item.id, item.superseded_by),
          fmt::format("refine that one: --refine {}", item.superseded_by)};
}

// What the id does not cover.
bool is_alike(const Item& one, const Item& other) {
  return one.desc == other.desc && one.tags == other.tags && one.domain == other.domain &&
         one.scope == other.scope;
}

Result<void> edit_to(memory::MemoryRepository& repository, const Item& item, StoredDraft& stored,
                     const OpContext& context) {
  memory::ItemEdit edit;
  edit.desc = item.desc;
  edit.tags = item.tags;
  edit.domain = item.domain;
  edit.scope = item.scope;
  edit.src = item.src;
  edit.quarantined = item.quarantined;
  edit.verified_at = item.verified_at;
  HELVE_ASSIGN(const auto changed, repository.edit(item.id, edit, context));
  stored.changes.push_back(changed.change);
  return {};
}

// Another description or other tags alone: it stays the same item.
Result<StoredDraft> refine_in_place(memory::MemoryRepository& repository, const Item& item,
                                    const Item& refined, const OpContext& context) {
  if (item.quarantined && (!refined.quarantined || is_alike(item, refined))) {
    return Error{ErrorCode::InvalidInput, fmt::format("nothing of item {} is refined", refined.id),
                 "say what is to be other, or leave --yes out and look at the draft"};
  }
  StoredDraft stored;
  stored.id = item.id;
  stored.state =
      refined.quarantined && !item.quarantined ? DraftState::Released : DraftState::Changed;
  stored.is_quarantined = item.quarantined;
  HELVE_TRY(edit_to(repository, item, stored, context));
  return stored;
}

Result<StoredDraft> store_lesson(memory::MemoryRepository& repository, const Item& item,
                                 const OpContext& context) {
  HELVE_ASSIGN(
      const auto done,
      learning::store_lesson(repository, item, item.verified_at.value_or(WallTime()), context));
  if (done.state == StoreState::Retracted) return retracted(item.id);
  StoredDraft stored;
  stored.id = item.id;
  stored.is_quarantined = done.is_quarantined;
  if (done.change) stored.changes.push_back(*done.change);
  if (done.state == StoreState::Released) stored.state = DraftState::Released;
  if (done.state != StoreState::Exists) return stored;
  stored.state = DraftState::Exists;
  HELVE_ASSIGN(const auto known, repository.get({item.id}, context));
  if (!known.front().superseded_by.empty()) return superseded(known.front());
  if (!item.quarantined && !is_alike(known.front(), item)) {
    stored.state = DraftState::Changed;
    HELVE_TRY(edit_to(repository, item, stored, context));
  }
  return stored;
}

}  // namespace

Result<void> check_refined(const Item& item) {
  if (item.retracted_at) return retracted(item.id);
  if (!item.superseded_by.empty()) return superseded(item);
  return {};
}

Result<StoredDraft> store_draft(memory::MemoryBank& bank, Item item, const Reflection& reflection,
                                const OpContext& context) {
  memory::MemoryRepository& repository = bank.repository();
  item.id = memory::id_of(item);
  const std::optional<Item>& refined = reflection.refined;
  if (refined) HELVE_TRY(check_refined(*refined));
  if (refined && refined->id == item.id) {
    return refine_in_place(repository, item, *refined, context);
  }
  HELVE_ASSIGN(StoredDraft stored, store_lesson(repository, item, context));
  if (refined && !stored.is_quarantined) {
    HELVE_ASSIGN(const auto changed, repository.supersede(refined->id, item.id, context));
    stored.changes.push_back(changed.change);
  }
  return stored;
}

}  // namespace helve::agent
