#include "toolkit/memory/bank_rows.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "toolkit/memory/item_json.h"
#include "toolkit/memory/item_row.h"

namespace helve::memory {

namespace {

constexpr std::size_t kLaterMax = 1'000;  // links from an item to those that superseded it

// What changes are compared by: an item without what use alone changes.
std::string state_of(const Item& item) {
  constexpr std::size_t kShown = 16;
  Item bare = item;
  bare.counters = {};
  bare.last_used_at.reset();
  return digest_hex(DigestKind::Sha256, to_json(bare, ItemForm::Full)).substr(0, kShown);
}

}  // namespace

Error no_item(std::string_view id) {
  return {ErrorCode::NotFound, fmt::format("there is no item {}", escape_for_terminal(id)),
          "search for it: ids are in the results"};
}

Result<StoredItem> BankRows::get(std::string_view id) {
  HELVE_ASSIGN(auto found, find(id));
  if (!found) return no_item(id);
  return *std::move(found);
}

Result<AddReport> BankRows::add(std::vector<Item> items) {
  AddReport report;
  std::vector<std::string> ids;
  ids.reserve(items.size());
  for (const Item& item : items) ids.push_back(item.id);
  HELVE_TRY(expect(ids));
  for (Item& item : items) {
    HELVE_ASSIGN(const auto found, find(item.id));
    if (found) {
      report.items.push_back(
          {item.id, found->item.retracted_at ? AddState::Retracted : AddState::Exists});
      continue;
    }
    if (item.created_at == WallTime{}) item.created_at = now_;
    HELVE_TRY(insert(item));
    if (!report.change) {
      HELVE_ASSIGN(report.change, next_change());
    }
    HELVE_TRY(record(*report.change, ChangeKind::Add, item.id, std::nullopt, item));
    report.items.push_back({item.id, AddState::Added});
  }
  return report;
}

// The old one stays, and says what took its place.
Result<ChangeReport> BankRows::replace(const StoredItem& old, Item item) {
  HELVE_ASSIGN(const auto taken, find(item.id));
  if (taken) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("there is an item with this title and content: {}", item.id),
                 "supersede the one by the other instead"};
  }
  item.counters = {};
  item.created_at = now_;
  item.last_used_at.reset();
  Item gone = old.item;
  gone.superseded_by = item.id;
  HELVE_ASSIGN(const std::uint64_t change, next_change());
  HELVE_TRY(update(old, gone));
  HELVE_TRY(record(change, ChangeKind::Edit, gone.id, old.item, gone));
  HELVE_TRY(insert(item));
  HELVE_TRY(record(change, ChangeKind::Edit, item.id, std::nullopt, item));
  return ChangeReport{change, item.id};
}

Result<ChangeReport> BankRows::edit(const std::string& id, const ItemEdit& edit) {
  HELVE_ASSIGN(const StoredItem old, get(id));
  if (old.item.retracted_at) {
    return Error{ErrorCode::Denied, fmt::format("item {} is retracted", id),
                 "undo that first, or add another one"};
  }
  if (!old.item.superseded_by.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("item {} is superseded by {}", id, old.item.superseded_by),
                 "edit that one"};
  }
  Item item = edited(old.item, edit);
  HELVE_TRY(check_item(item));
  if (item == old.item) {
    return Error{ErrorCode::InvalidInput, fmt::format("item {} is so already", id),
                 "say what is to be other"};
  }
  if (item.id != old.item.id) return replace(old, std::move(item));
  HELVE_ASSIGN(const std::uint64_t change, next_change());
  HELVE_TRY(update(old, item));
  HELVE_TRY(record(change, ChangeKind::Edit, id, old.item, item));
  return ChangeReport{change, id};
}

Result<ChangeReport> BankRows::supersede(const std::string& id, const std::string& by) {
  HELVE_ASSIGN(const StoredItem old, get(id));
  HELVE_ASSIGN(StoredItem later, get(by));
  if (!old.item.superseded_by.empty()) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("item {} is superseded by {} already", id, old.item.superseded_by)};
  }
  if (later.item.retracted_at) {
    return Error{ErrorCode::Denied, fmt::format("item {} is retracted", by),
                 "name one that is not"};
  }
  for (std::size_t i = 0; later.item.id != id && !later.item.superseded_by.empty(); ++i) {
    if (i == kLaterMax) return Error{ErrorCode::LimitExceeded, "too many items in a row"};
    HELVE_ASSIGN(later, get(later.item.superseded_by));
  }
  if (later.item.id == id) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("item {} cannot be superseded by {}, which it superseded", id, by)};
  }
  Item gone = old.item;
  gone.superseded_by = by;
  HELVE_ASSIGN(const std::uint64_t change, next_change());
  HELVE_TRY(update(old, gone));
  HELVE_TRY(record(change, ChangeKind::Supersede, id, old.item, gone));
  return ChangeReport{change, by};
}

Result<ChangeReport> BankRows::retract(const std::string& id) {
  HELVE_ASSIGN(const StoredItem old, get(id));
  if (old.item.retracted_at) {
    return Error{ErrorCode::InvalidInput, fmt::format("item {} is retracted already", id)};
  }
  Item gone = old.item;
  gone.retracted_at = now_;
  HELVE_ASSIGN(const std::uint64_t change, next_change());
  HELVE_TRY(update(old, gone));
  HELVE_TRY(record(change, ChangeKind::Retract, id, old.item, gone));
  return ChangeReport{change, id};
}

Result<ChangeReport> BankRows::evict(const std::vector<std::string>& ids) {
  if (ids.empty()) return Error{ErrorCode::InvalidInput, "no items are named", "name one at least"};
  HELVE_ASSIGN(const std::uint64_t change, next_change());
  for (const std::string& id : ids) {
    HELVE_ASSIGN(const StoredItem old, get(id));
    if (old.item.retracted_at) {
      return Error{ErrorCode::Denied, fmt::format("item {} is retracted", id),
                   "it stays, so that it does not come back"};
    }
    HELVE_TRY(remove(old));
    HELVE_TRY(record(change, ChangeKind::Evict, id, old.item, std::nullopt));
  }
  return ChangeReport{change, ids.front()};
}

Result<void> BankRows::record(std::uint64_t change, ChangeKind kind, const std::string& id,
                              const std::optional<Item>& before, const std::optional<Item>& after,
                              std::optional<std::uint64_t> undoes) {
  ChangeRow row{change, kind, id, undoes, "", ""};
  if (before) row.before = to_json(*before, ItemForm::Full);
  if (after) row.after = state_of(*after);
  return put_change(row);
}

// An undoing can be undone in turn, and then the change can be undone again.
Result<void> BankRows::check_undoable(std::uint64_t change) {
  HELVE_ASSIGN(const std::uint64_t by, undone_by(change));
  if (by == 0) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("change {} is undone already, by change {}", change, by),
               fmt::format("undo {} to have it back", by)};
}

Result<void> BankRows::put_back(const ChangeRow& entry, std::uint64_t change,
                                std::uint64_t undoes) {
  HELVE_ASSIGN(const auto now, find(entry.item));
  if ((now ? state_of(now->item) : "") != entry.after) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("item {} was changed after change {}", entry.item, undoes),
                 fmt::format("undo the later changes first: helve memory history {}", entry.item)};
  }
  HELVE_ASSIGN(const std::optional<Item> before, item_before(entry.before));
  HELVE_TRY(record(change, ChangeKind::Undo, entry.item,
                   now ? std::optional(now->item) : std::nullopt, before, undoes));
  if (!before) return now ? remove(*now) : Result<void>();
  if (!now) return insert(*before);
  return update(*now, *before);
}

Result<ChangeReport> BankRows::undo(std::optional<std::uint64_t> wanted) {
  if (!wanted) {
    HELVE_ASSIGN(const std::uint64_t latest, latest_change());
    if (latest == 0) return Error{ErrorCode::NotFound, "there is nothing to undo"};
    wanted = latest;
  }
  HELVE_ASSIGN(const auto entries, entries_of(*wanted));
  if (entries.empty()) {
    return Error{ErrorCode::NotFound, fmt::format("there is no change {}", *wanted),
                 "the history has the numbers"};
  }
  HELVE_TRY(check_undoable(*wanted));
  std::vector<std::string> ids;
  ids.reserve(entries.size());
  for (const ChangeRow& entry : entries) ids.push_back(entry.item);
  HELVE_TRY(expect(ids));
  HELVE_ASSIGN(const std::uint64_t change, next_change());
  for (const ChangeRow& entry : entries) HELVE_TRY(put_back(entry, change, *wanted));
  return ChangeReport{change, entries.back().item};
}

}  // namespace helve::memory
