#include "toolkit/memory/sqlite_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "toolkit/memory/bank_file.h"
#include "toolkit/memory/bank_index.h"
#include "toolkit/memory/item_row.h"

namespace helve::memory {

namespace {

using sqlite::StoreStatement;

// Whether an index finds the same by both.
bool has_same_words(const Item& left, const ItemTerms& left_terms, const Item& right,
                    const ItemTerms& right_terms) {
  return left.is_active() == right.is_active() && left.src == right.src &&
         left.domain == right.domain && left.tags == right.tags &&
         left_terms.bag == right_terms.bag && left_terms.length == right_terms.length;
}

}  // namespace

Result<std::optional<StoredItem>> SqliteRows::find(std::string_view id) {
  static const std::string sql = fmt::format("SELECT {} FROM item WHERE id = ?", kItemColumns);
  HELVE_ASSIGN(StoreStatement row, store_.prepare(sql));
  HELVE_TRY(row.bind({id}));
  HELVE_ASSIGN(const bool is_there, row.step());
  if (!is_there) return std::optional<StoredItem>();
  HELVE_ASSIGN(StoredItem stored, read_row(row));
  return std::optional(std::move(stored));
}

Result<bool> SqliteRows::next(std::int64_t& last, std::vector<StoredItem>& items,
                              std::vector<std::string>& damaged, std::size_t most) {
  static const std::string sql =
      fmt::format("SELECT {} FROM item WHERE n > ? ORDER BY n LIMIT ?", kItemColumns);
  HELVE_ASSIGN(StoreStatement rows, store_.prepare(sql));
  HELVE_TRY(rows.bind({last, static_cast<std::int64_t>(most)}));
  items.clear();
  for (std::size_t count = 0;; ++count) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) return count == most;
    last = rows.integer(0);
    auto stored = read_row(rows);
    if (stored) {
      items.push_back(*std::move(stored));
    } else {
      damaged.emplace_back(rows.text(1));
    }
  }
}

Result<void> SqliteRows::insert(const Item& item) {
  const auto found =
      prepared_ == nullptr ? PreparedTerms::const_iterator() : prepared_->find(item.id);
  const bool is_prepared = prepared_ != nullptr && found != prepared_->end();
  const ItemTerms made = is_prepared ? ItemTerms() : item_terms(item);
  const ItemTerms& terms = is_prepared ? found->second : made;
  const std::string bag = terms.bag.bytes();
  const std::string tags = tags_text(item);
  const std::string provenance = provenance_text(item);
  HELVE_ASSIGN(const std::int64_t slot, BankIndex(store_).take_slot(terms.length));
  return store_.run(
      "INSERT INTO item(id, slot, src, scope, quarantined, superseded_by, retracted_at, domain, "
      "tags, "
      "retrieved, helped, hurt, created_at, last_used_at, verified_at, length, bag, title, desc, "
      "content, fingerprint, provenance) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      {item.id,
       slot,
       static_cast<std::int64_t>(item.src),
       static_cast<std::int64_t>(item.scope),
       std::int64_t{item.quarantined},
       item.superseded_by,
       seconds_of(item.retracted_at),
       item.domain,
       tags,
       static_cast<std::int64_t>(item.counters.retrieved),
       static_cast<std::int64_t>(item.counters.helped),
       static_cast<std::int64_t>(item.counters.hurt),
       seconds_of(item.created_at),
       seconds_of(item.last_used_at),
       seconds_of(item.verified_at),
       static_cast<std::int64_t>(terms.length),
       sqlite::Blob{bag},
       item.title,
       item.desc,
       item.content,
       item.schema_fingerprint,
       provenance});
}

Result<std::int64_t> SqliteRows::slot_of(const StoredItem& stored) {
  HELVE_ASSIGN(StoreStatement row, store_.prepare("SELECT slot FROM item WHERE n = ?"));
  HELVE_TRY(row.bind({stored.row}));
  HELVE_ASSIGN(const bool is_there, row.step());
  if (!is_there) return no_item(stored.item.id);
  return row.integer(0);
}

Result<void> SqliteRows::remove(const StoredItem& old) {
  HELVE_ASSIGN(const std::int64_t slot, slot_of(old));
  HELVE_TRY(BankIndex(store_).leave_slot(slot, item_terms(old.item)));
  HELVE_TRY(drop_vectors(old.row));
  return store_.run("DELETE FROM item WHERE n = ?", {old.row});
}

// Everything but the id.
Result<void> SqliteRows::update(const StoredItem& old, const Item& item) {
  HELVE_CHECK(old.item.id == item.id);
  const ItemTerms before = item_terms(old.item);
  const ItemTerms terms = item_terms(item);
  const std::string bag = terms.bag.bytes();
  HELVE_ASSIGN(std::int64_t slot, slot_of(old));
  if (!has_same_words(old.item, before, item, terms)) {
    BankIndex index(store_);
    HELVE_TRY(index.leave_slot(slot, before));
    HELVE_ASSIGN(slot, index.take_slot(terms.length));
  }
  const std::string tags = tags_text(item);
  const std::string provenance = provenance_text(item);
  HELVE_TRY(store_.run(
      "UPDATE item SET slot = ?, src = ?, scope = ?, quarantined = ?, superseded_by = ?, "
      "retracted_at = ?, "
      "domain = ?, tags = ?, verified_at = ?, length = ?, bag = ?, desc = ?, fingerprint = ?, "
      "provenance = ? WHERE n = ?",
      {slot, static_cast<std::int64_t>(item.src), static_cast<std::int64_t>(item.scope),
       std::int64_t{item.quarantined}, item.superseded_by, seconds_of(item.retracted_at),
       item.domain, tags, seconds_of(item.verified_at), static_cast<std::int64_t>(terms.length),
       sqlite::Blob{bag}, item.desc, item.schema_fingerprint, provenance, old.row}));
  return item.desc == old.item.desc ? Result<void>() : drop_vectors(old.row);
}

Result<void> SqliteRows::note_usage(const UsageNote& note) {
  const auto times = static_cast<std::int64_t>(note.times);
  const std::int64_t at = seconds_of(now());
  switch (note.usage) {
    case Usage::Retrieved:
      return store_.run("UPDATE item SET retrieved = retrieved + ?, last_used_at = ? WHERE id = ?",
                        {times, at, note.id});
    case Usage::Helped:
      return store_.run("UPDATE item SET helped = helped + ?, last_used_at = ? WHERE id = ?",
                        {times, at, note.id});
    case Usage::Hurt:
      return store_.run("UPDATE item SET hurt = hurt + ?, last_used_at = ? WHERE id = ?",
                        {times, at, note.id});
  }
  return {};
}

Result<std::uint64_t> SqliteRows::next_change() {
  HELVE_ASSIGN(const std::int64_t last, store_.number("SELECT max(change) FROM change"));
  return static_cast<std::uint64_t>(last) + 1;
}

// The last first.
Result<std::vector<ChangeRow>> SqliteRows::entries_of(std::uint64_t change) {
  HELVE_ASSIGN(StoreStatement rows,
               store_.prepare("SELECT item, before, after FROM change WHERE change = ? "
                              "ORDER BY seq DESC"));
  HELVE_TRY(rows.bind({static_cast<std::int64_t>(change)}));
  std::vector<ChangeRow> entries;
  while (true) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) return entries;
    ChangeRow entry;
    entry.item = rows.text(0);
    entry.before = rows.text(1);
    entry.after = rows.text(2);
    entries.push_back(std::move(entry));
  }
}

Result<std::uint64_t> SqliteRows::latest_change() {
  HELVE_ASSIGN(const std::int64_t latest,
               store_.number("SELECT max(change) FROM change c WHERE undoes IS NULL AND NOT EXISTS "
                             "(SELECT 1 FROM change u WHERE u.undoes = c.change AND NOT EXISTS "
                             "(SELECT 1 FROM change r WHERE r.undoes = u.change))"));
  return static_cast<std::uint64_t>(latest);
}

Result<std::uint64_t> SqliteRows::undone_by(std::uint64_t change) {
  HELVE_ASSIGN(StoreStatement row,
               store_.prepare("SELECT change FROM change u WHERE undoes = ? AND NOT EXISTS "
                              "(SELECT 1 FROM change r WHERE r.undoes = u.change)"));
  HELVE_TRY(row.bind({static_cast<std::int64_t>(change)}));
  HELVE_ASSIGN(const bool is_undone, row.step());
  return is_undone ? static_cast<std::uint64_t>(row.integer(0)) : 0;
}

Result<void> SqliteRows::put_change(const ChangeRow& row) {
  const auto optional_text = [](const std::string& one) {
    return one.empty() ? sqlite::Value() : sqlite::Value(one);
  };
  return store_.run(
      "INSERT INTO change(change, at, kind, item, undoes, before, after) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)",
      {static_cast<std::int64_t>(row.change), seconds_of(now()),
       static_cast<std::int64_t>(row.kind), row.item,
       row.undoes ? sqlite::Value(static_cast<std::int64_t>(*row.undoes)) : sqlite::Value(),
       optional_text(row.before), optional_text(row.after)});
}

Result<std::vector<ChangeEntry>> SqliteRows::history(const std::optional<std::string>& id,
                                                     std::size_t limit) {
  static const std::string sql =
      "SELECT change, at, kind, item, undoes, before, (SELECT max(u.change) FROM change u WHERE "
      "u.undoes = c.change AND NOT EXISTS (SELECT 1 FROM change r WHERE r.undoes = u.change)) "
      "FROM change c ";
  // Two texts, so that the index of items is used where there is one.
  HELVE_ASSIGN(StoreStatement rows,
               store_.prepare(sql + (id ? "WHERE item = ?1 " : "WHERE ?1 IS NULL ") +
                              "ORDER BY seq DESC LIMIT ?2"));
  HELVE_TRY(
      rows.bind({id ? sqlite::Value(*id) : sqlite::Value(), static_cast<std::int64_t>(limit)}));
  std::vector<ChangeEntry> entries;
  while (true) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) return entries;
    HELVE_ASSIGN(ChangeEntry entry, read_change(rows));
    entries.push_back(std::move(entry));
  }
}

Result<BankStats> SqliteRows::stats() {
  constexpr const char* kActive = "superseded_by = '' AND quarantined = 0 AND retracted_at IS NULL";
  BankStats stats;
  const auto count = [&](const std::string& where, std::uint64_t& into) -> Result<void> {
    HELVE_ASSIGN(const std::int64_t number,
                 store_.number("SELECT count(*) FROM item WHERE " + where));
    into = static_cast<std::uint64_t>(number);
    return {};
  };
  HELVE_TRY(count("1", stats.items));
  HELVE_TRY(count(kActive, stats.active));
  HELVE_TRY(count("quarantined <> 0", stats.quarantined));
  HELVE_TRY(count("superseded_by <> ''", stats.superseded));
  HELVE_TRY(count("retracted_at IS NOT NULL", stats.retracted));
  for (std::size_t i = 0; i < kItemSources; ++i) {
    std::uint64_t number = 0;
    HELVE_TRY(count(fmt::format("{} AND src = {}", kActive, i), number));
    if (number > 0) stats.sources.emplace_back(name_of(static_cast<ItemSource>(i)), number);
  }
  HELVE_ASSIGN(StoreStatement rows,
               store_.prepare(fmt::format("SELECT domain, count(*) AS c FROM item WHERE {} AND "
                                          "domain <> '' GROUP BY domain ORDER BY c DESC, domain "
                                          "LIMIT 20",
                                          kActive)));
  while (true) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) break;
    stats.domains.emplace_back(rows.text(0), static_cast<std::uint64_t>(rows.integer(1)));
  }
  HELVE_ASSIGN(const std::int64_t changes,
               store_.number("SELECT count(DISTINCT change) FROM change"));
  stats.changes = static_cast<std::uint64_t>(changes);
  stats.schema_version = kSchemaVersion;
  return stats;
}

}  // namespace helve::memory
