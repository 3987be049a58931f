// BankRows: the rules of changes, the same wherever items are kept, within a transaction of the
// caller. sqlite_rows.h has the rows of a file, postgres/postgres_rows.h those of a server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/memory/repository.h"

namespace helve::memory {

// An item and the number of its row.
struct StoredItem {
  std::int64_t row = 0;
  Item item;
};

// A row of the history.
struct ChangeRow {
  std::uint64_t change = 0;
  ChangeKind kind = ChangeKind::Add;
  std::string item;
  std::optional<std::uint64_t> undoes;
  std::string before;  // as JSON; empty: it was not there
  std::string after;   // the state that it had then; empty: it was not there
};

Error no_item(std::string_view id);

class BankRows {
 public:
  explicit BankRows(WallTime now) : now_(now) {}
  virtual ~BankRows() = default;
  BankRows(const BankRows&) = delete;
  BankRows& operator=(const BankRows&) = delete;

  // nullopt where there is none.
  virtual Result<std::optional<StoredItem>> find(std::string_view id) = 0;
  // NotFound where there is none.
  Result<StoredItem> get(std::string_view id);

  Result<AddReport> add(std::vector<Item> items);
  Result<ChangeReport> edit(const std::string& id, const ItemEdit& edit);
  Result<ChangeReport> supersede(const std::string& id, const std::string& by);
  Result<ChangeReport> retract(const std::string& id);
  Result<ChangeReport> evict(const std::vector<std::string>& ids);
  Result<ChangeReport> undo(std::optional<std::uint64_t> change);

 protected:
  // Tells of items that will be looked for, so that they can be had at once.
  virtual Result<void> expect(const std::vector<std::string>& /*ids*/) { return {}; }
  virtual Result<void> insert(const Item& item) = 0;
  // Everything but the id and the counters. REQUIRES: both have the same id.
  virtual Result<void> update(const StoredItem& old, const Item& item) = 0;
  virtual Result<void> remove(const StoredItem& old) = 0;

  virtual Result<std::uint64_t> next_change() = 0;
  virtual Result<void> put_change(const ChangeRow& row) = 0;
  // The last first; `change`, `kind` and `undoes` are not filled in. Empty: there is no such
  // change.
  virtual Result<std::vector<ChangeRow>> entries_of(std::uint64_t change) = 0;
  // The latest that is neither undone nor an undoing; 0: there is none.
  virtual Result<std::uint64_t> latest_change() = 0;
  // The change that undid it and is not undone in turn; 0: there is none.
  virtual Result<std::uint64_t> undone_by(std::uint64_t change) = 0;

  WallTime now() const { return now_; }

 private:
  Result<void> record(std::uint64_t change, ChangeKind kind, const std::string& id,
                      const std::optional<Item>& before, const std::optional<Item>& after,
                      std::optional<std::uint64_t> undoes = std::nullopt);
  Result<void> check_undoable(std::uint64_t change);
  Result<void> put_back(const ChangeRow& entry, std::uint64_t change, std::uint64_t undoes);
  Result<ChangeReport> replace(const StoredItem& old, Item item);

  const WallTime now_;
};

}  // namespace helve::memory
