// Items and changes as rows of tables, whichever database has them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite_store.h"
#include "toolkit/memory/bank_rows.h"

namespace helve::memory {

// The columns that read_row() wants, in its order, from 0 on.
inline constexpr std::string_view kItemColumns =
    "n, id, src, scope, quarantined, superseded_by, retracted_at, domain, tags, retrieved, helped, "
    "hurt, created_at, last_used_at, verified_at, title, \"desc\", content, fingerprint, "
    "provenance";

std::string tags_text(const Item& item);        // ",a,b," or ""
std::string provenance_text(const Item& item);  // JSON
std::vector<std::string> tags_of(std::string_view text);
Result<Provenance> provenance_of(std::string_view text);

std::int64_t seconds_of(WallTime time);
sqlite::Value seconds_of(const std::optional<WallTime>& time);
WallTime time_of(std::int64_t seconds);

Error unreadable_item(std::string_view id);
ChangeKind change_kind_of(std::int64_t number);
Result<std::optional<Item>> item_before(std::string_view json);  // empty: there was none

// A Row has integer(), text() and is_null() of a column.
template <typename Row>
std::optional<WallTime> time_at(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return time_of(row.integer(column));
}

template <typename Row>
std::uint64_t count_at(const Row& row, int column) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer(column)));
}

template <typename Row>
Result<StoredItem> read_row(const Row& row) {
  StoredItem stored;
  Item& item = stored.item;
  stored.row = row.integer(0);
  item.id = row.text(1);
  const std::int64_t src = row.integer(2);
  if (src < 0 || src >= static_cast<std::int64_t>(kItemSources)) return unreadable_item(item.id);
  item.src = static_cast<ItemSource>(src);
  item.scope = row.integer(3) == 0 ? ItemScope::General : ItemScope::Exception;
  item.quarantined = row.integer(4) != 0;
  item.superseded_by = row.text(5);
  item.retracted_at = time_at(row, 6);
  item.domain = row.text(7);
  item.tags = tags_of(row.text(8));
  item.counters = {count_at(row, 9), count_at(row, 10), count_at(row, 11)};
  item.created_at = time_of(row.integer(12));
  item.last_used_at = time_at(row, 13);
  item.verified_at = time_at(row, 14);
  item.title = row.text(15);
  item.desc = row.text(16);
  item.content = row.text(17);
  item.schema_fingerprint = row.text(18);
  auto provenance = provenance_of(row.text(19));
  if (!provenance) return unreadable_item(item.id);
  item.provenance = *std::move(provenance);
  if (item.id != id_of(item)) return unreadable_item(item.id);
  return stored;
}

// Of change, at, kind, item, undoes, before, and the change that undid it.
template <typename Row>
Result<ChangeEntry> read_change(const Row& row) {
  ChangeEntry entry;
  entry.change = count_at(row, 0);
  entry.at = time_of(row.integer(1));
  entry.kind = change_kind_of(row.integer(2));
  entry.item = row.text(3);
  if (!row.is_null(4)) entry.undoes = count_at(row, 4);
  HELVE_ASSIGN(entry.before, item_before(row.text(5)));
  if (!row.is_null(6)) entry.undone_by = count_at(row, 6);
  return entry;
}

// Of id, tags, retrieved, helped, hurt, created_at, last_used_at, length; the bag comes as bytes.
template <typename Row>
Candidate read_candidate(const Row& row, int first, std::string_view bag) {
  Candidate one;
  one.id = row.text(first);
  one.counters = {count_at(row, first + 2), count_at(row, first + 3), count_at(row, first + 4)};
  one.created_at = time_of(row.integer(first + 5));
  one.last_used_at = time_at(row, first + 6);
  one.length = count_at(row, first + 7);
  one.bag = Bag::from_bytes(bag);
  return one;
}

}  // namespace helve::memory
