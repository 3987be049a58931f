#include "toolkit/memory/bank_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/utc.h"
#include "toolkit/memory/bank_file.h"
#include "toolkit/memory/item_json.h"
#include "toolkit/memory/item_row.h"

namespace helve::memory {

namespace {

using sqlite::StoreStatement;

constexpr std::size_t kLaterMax = 1'000;  // links from an item to those that superseded it

// What changes are compared by: an item without what use alone changes.
std::string state_of(const Item& item) {
  constexpr std::size_t kShown = 16;
  Item bare = item;
  bare.counters = {};
  bare.last_used_at.reset();
  return digest_hex(DigestKind::Sha256, to_json(bare, ItemForm::Full)).substr(0, kShown);
}

Error no_item(std::string_view id) {
  return {ErrorCode::NotFound, fmt::format("there is no item {}", id),
          "search for it: ids are in the results"};
}

std::string joined(const std::vector<std::string>& terms) {
  return fmt::format("{}", fmt::join(terms, " "));
}

}  // namespace

Result<std::optional<StoredItem>> BankRows::find(std::string_view id) {
  static const std::string sql = fmt::format("SELECT {} FROM item WHERE id = ?", kItemColumns);
  HELVE_ASSIGN(StoreStatement row, store_.prepare(sql));
  HELVE_TRY(row.bind({id}));
  HELVE_ASSIGN(const bool is_there, row.step());
  if (!is_there) return std::optional<StoredItem>();
  HELVE_ASSIGN(StoredItem stored, read_row(row));
  return std::optional(std::move(stored));
}

Result<StoredItem> BankRows::get(std::string_view id) {
  HELVE_ASSIGN(auto found, find(id));
  if (!found) return no_item(id);
  return *std::move(found);
}

Result<bool> BankRows::next(std::int64_t after, std::vector<StoredItem>& items, std::size_t most) {
  static const std::string sql =
      fmt::format("SELECT {} FROM item WHERE n > ? ORDER BY n LIMIT ?", kItemColumns);
  HELVE_ASSIGN(StoreStatement rows, store_.prepare(sql));
  HELVE_TRY(rows.bind({after, static_cast<std::int64_t>(most)}));
  items.clear();
  while (true) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) return items.size() == most;
    HELVE_ASSIGN(StoredItem stored, read_row(rows));
    items.push_back(std::move(stored));
  }
}

Result<void> BankRows::index(std::int64_t row, const std::vector<std::string>& terms, int sign,
                             std::uint64_t length) {
  const std::string text = joined(terms);
  if (sign > 0) {
    HELVE_TRY(store_.run("INSERT INTO item_terms(rowid, terms) VALUES (?, ?)", {row, text}));
  } else {
    HELVE_TRY(store_.run("INSERT INTO item_terms(item_terms, rowid, terms) VALUES ('delete', ?, ?)",
                         {row, text}));
  }
  for (const std::string& term : terms) latest_.terms[term] += sign;
  latest_.items += sign;
  latest_.length += sign * static_cast<std::int64_t>(length);
  return {};
}

Result<void> BankRows::insert(const Item& item) {
  std::vector<std::string> terms;
  const std::string bag = Bag::of(item, terms).bytes();
  const std::uint64_t length = length_of(item);
  const std::string tags = tags_text(item);
  const std::string provenance = provenance_text(item);
  HELVE_TRY(store_.run(
      "INSERT INTO item(id, src, scope, quarantined, superseded_by, retracted_at, domain, tags, "
      "retrieved, helped, hurt, created_at, last_used_at, verified_at, length, bag, title, desc, "
      "content, fingerprint, provenance) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      {item.id,
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
       static_cast<std::int64_t>(length),
       sqlite::Blob{bag},
       item.title,
       item.desc,
       item.content,
       item.schema_fingerprint,
       provenance}));
  return index(store_.last_row(), terms, 1, length);
}

Result<void> BankRows::remove(const StoredItem& old) {
  std::vector<std::string> terms;
  (void)Bag::of(old.item, terms);
  HELVE_TRY(index(old.row, terms, -1, length_of(old.item)));
  return store_.run("DELETE FROM item WHERE n = ?", {old.row});
}

// Everything but the id.
Result<void> BankRows::update(const StoredItem& old, const Item& item) {
  HELVE_CHECK(old.item.id == item.id);
  std::vector<std::string> terms_before;
  std::vector<std::string> terms;
  (void)Bag::of(old.item, terms_before);
  const std::string bag = Bag::of(item, terms).bytes();
  const std::uint64_t length = length_of(item);
  const std::string tags = tags_text(item);
  const std::string provenance = provenance_text(item);
  HELVE_TRY(store_.run(
      "UPDATE item SET src = ?, scope = ?, quarantined = ?, superseded_by = ?, retracted_at = ?, "
      "domain = ?, tags = ?, verified_at = ?, length = ?, bag = ?, desc = ?, fingerprint = ?, "
      "provenance = ? WHERE n = ?",
      {static_cast<std::int64_t>(item.src), static_cast<std::int64_t>(item.scope),
       std::int64_t{item.quarantined}, item.superseded_by, seconds_of(item.retracted_at),
       item.domain, tags, seconds_of(item.verified_at), static_cast<std::int64_t>(length),
       sqlite::Blob{bag}, item.desc, item.schema_fingerprint, provenance, old.row}));
  if (terms == terms_before && length == length_of(old.item)) return {};
  HELVE_TRY(index(old.row, terms_before, -1, length_of(old.item)));
  return index(old.row, terms, 1, length);
}

void BankRows::keep_change() {
  for (const auto& [term, change] : latest_.terms) counts_.terms[term] += change;
  counts_.items += latest_.items;
  counts_.length += latest_.length;
  latest_ = {};
}

Result<void> BankRows::flush() {
  for (const auto& [term, change] : counts_.terms) {
    if (change == 0) continue;
    HELVE_TRY(
        store_.run("INSERT INTO term(term, items) VALUES (?1, ?2) "
                   "ON CONFLICT(term) DO UPDATE SET items = items + ?2",
                   {term, change}));
    if (change < 0) {
      HELVE_TRY(store_.run("DELETE FROM term WHERE term = ? AND items <= 0", {term}));
    }
  }
  if (counts_.items != 0 || counts_.length != 0) {
    HELVE_TRY(store_.run("UPDATE total SET items = items + ?, length = length + ?",
                         {counts_.items, counts_.length}));
  }
  counts_ = {};
  return {};
}

Result<AddReport> BankRows::add(std::vector<Item> items) {
  AddReport report;
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

Result<void> BankRows::note_usage(const UsageNote& note) {
  const auto times = static_cast<std::int64_t>(note.times);
  const std::int64_t at = seconds_of(now_);
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

Result<std::uint64_t> BankRows::next_change() {
  HELVE_ASSIGN(const std::int64_t last, store_.number("SELECT max(change) FROM change"));
  return static_cast<std::uint64_t>(last) + 1;
}

Result<void> BankRows::record(std::uint64_t change, ChangeKind kind, const std::string& id,
                              const std::optional<Item>& before, const std::optional<Item>& after,
                              std::optional<std::uint64_t> undoes) {
  const std::string text = before ? to_json(*before, ItemForm::Full) : "";
  const std::string state = after ? state_of(*after) : "";
  const auto optional_text = [](const std::string& one) {
    return one.empty() ? sqlite::Value() : sqlite::Value(one);
  };
  return store_.run(
      "INSERT INTO change(change, at, kind, item, undoes, before, after) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)",
      {static_cast<std::int64_t>(change), seconds_of(now_), static_cast<std::int64_t>(kind), id,
       undoes ? sqlite::Value(static_cast<std::int64_t>(*undoes)) : sqlite::Value(),
       optional_text(text), optional_text(state)});
}

// The last first.
Result<std::vector<BankRows::Recorded>> BankRows::entries_of(std::uint64_t change) {
  HELVE_ASSIGN(StoreStatement rows,
               store_.prepare("SELECT item, before, after FROM change WHERE change = ? "
                              "ORDER BY seq DESC"));
  HELVE_TRY(rows.bind({static_cast<std::int64_t>(change)}));
  std::vector<Recorded> entries;
  while (true) {
    HELVE_ASSIGN(const bool has_row, rows.step());
    if (!has_row) break;
    Recorded entry{std::string(rows.text(0)), std::nullopt, std::string(rows.text(2))};
    if (!rows.is_null(1)) entry.before = rows.text(1);
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) {
    return Error{ErrorCode::NotFound, fmt::format("there is no change {}", change),
                 "the history has the numbers"};
  }
  return entries;
}

Result<std::uint64_t> BankRows::latest_change() {
  HELVE_ASSIGN(const std::int64_t latest,
               store_.number("SELECT max(change) FROM change c WHERE undoes IS NULL AND NOT EXISTS "
                             "(SELECT 1 FROM change u WHERE u.undoes = c.change AND NOT EXISTS "
                             "(SELECT 1 FROM change r WHERE r.undoes = u.change))"));
  if (latest == 0) return Error{ErrorCode::NotFound, "there is nothing to undo"};
  return static_cast<std::uint64_t>(latest);
}

// An undoing can be undone in turn, and then the change can be undone again.
Result<void> BankRows::check_undoable(std::uint64_t change) {
  HELVE_ASSIGN(StoreStatement row,
               store_.prepare("SELECT change FROM change u WHERE undoes = ? AND NOT EXISTS "
                              "(SELECT 1 FROM change r WHERE r.undoes = u.change)"));
  HELVE_TRY(row.bind({static_cast<std::int64_t>(change)}));
  HELVE_ASSIGN(const bool is_undone, row.step());
  if (!is_undone) return {};
  return Error{ErrorCode::InvalidInput,
               fmt::format("change {} is undone already, by change {}", change, row.integer(0)),
               fmt::format("undo {} to have it back", row.integer(0))};
}

Result<void> BankRows::put_back(const Recorded& entry, std::uint64_t change, std::uint64_t undoes) {
  HELVE_ASSIGN(const auto now, find(entry.item));
  if ((now ? state_of(now->item) : "") != entry.after) {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("item {} was changed after change {}", entry.item, undoes),
                 fmt::format("undo the later changes first: helve memory history {}", entry.item)};
  }
  std::optional<Item> before;
  if (entry.before) {
    HELVE_ASSIGN(const JsonValue json, parse_json(*entry.before));
    HELVE_ASSIGN(ReadItem read, read_item(json));
    before = std::move(read.item);
  }
  HELVE_TRY(record(change, ChangeKind::Undo, entry.item,
                   now ? std::optional(now->item) : std::nullopt, before, undoes));
  if (!before) return now ? remove(*now) : Result<void>();
  if (!now) return insert(*before);
  return update(*now, *before);
}

Result<ChangeReport> BankRows::undo(std::optional<std::uint64_t> wanted) {
  if (!wanted) {
    HELVE_ASSIGN(wanted, latest_change());
  }
  HELVE_ASSIGN(const auto entries, entries_of(*wanted));
  HELVE_TRY(check_undoable(*wanted));
  HELVE_ASSIGN(const std::uint64_t change, next_change());
  for (const Recorded& entry : entries) HELVE_TRY(put_back(entry, change, *wanted));
  return ChangeReport{change, entries.back().item};
}

Result<std::vector<ChangeEntry>> BankRows::history(const std::optional<std::string>& id,
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
    ChangeEntry entry;
    entry.change = static_cast<std::uint64_t>(rows.integer(0));
    entry.at = time_of(rows.integer(1));
    entry.kind = static_cast<ChangeKind>(
        std::clamp<std::int64_t>(rows.integer(2), 0, static_cast<std::int64_t>(ChangeKind::Undo)));
    entry.item = rows.text(3);
    if (!rows.is_null(4)) entry.undoes = static_cast<std::uint64_t>(rows.integer(4));
    if (!rows.is_null(6)) entry.undone_by = static_cast<std::uint64_t>(rows.integer(6));
    if (!rows.is_null(5)) {
      HELVE_ASSIGN(const JsonValue json, parse_json(rows.text(5)));
      HELVE_ASSIGN(ReadItem read, read_item(json));
      entry.before = std::move(read.item);
    }
    entries.push_back(std::move(entry));
  }
}

Result<BankStats> BankRows::stats() {
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
