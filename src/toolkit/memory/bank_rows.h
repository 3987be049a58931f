// BankRows: items and changes as rows of a bank's file, within a transaction of the caller.
// bank_search.h finds candidates, sqlite_repository.cc says when.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite_store.h"
#include "toolkit/memory/repository.h"

namespace helve::memory {

// An item and the number of its row.
struct StoredItem {
  std::int64_t row = 0;
  Item item;
};

class BankRows {
 public:
  BankRows(sqlite::Store& store, WallTime now) : store_(store), now_(now) {}

  // nullopt where there is none.
  Result<std::optional<StoredItem>> find(std::string_view id);
  // NotFound where there is none.
  Result<StoredItem> get(std::string_view id);
  // Rows behind `after`, in order; false: there are no more.
  Result<bool> next(std::int64_t after, std::vector<StoredItem>& items, std::size_t most);

  Result<AddReport> add(std::vector<Item> items);
  Result<ChangeReport> edit(const std::string& id, const ItemEdit& edit);
  Result<ChangeReport> supersede(const std::string& id, const std::string& by);
  Result<ChangeReport> retract(const std::string& id);
  Result<void> note_usage(const UsageNote& note);
  Result<ChangeReport> undo(std::optional<std::uint64_t> change);
  Result<std::vector<ChangeEntry>> history(const std::optional<std::string>& id, std::size_t limit);
  Result<BankStats> stats();

  // Writes how often words occur, as of all calls; once before the commit.
  Result<void> flush();
  // The end of a change. One whose rows are rolled back counts no words either.
  void keep_change();
  void forget_change() { latest_ = {}; }

 private:
  struct Recorded {
    std::string item;
    std::optional<std::string> before;  // as JSON
    std::string after;                  // state_of(); empty: it was not there
  };

  struct Counts {
    std::map<std::string, std::int64_t> terms;
    std::int64_t items = 0;
    std::int64_t length = 0;
  };

  Result<void> insert(const Item& item);
  Result<void> update(const StoredItem& old, const Item& item);
  Result<void> remove(const StoredItem& old);
  Result<void> index(std::int64_t row, const std::vector<std::string>& terms, int sign,
                     std::uint64_t length);
  Result<std::uint64_t> next_change();
  Result<void> record(std::uint64_t change, ChangeKind kind, const std::string& id,
                      const std::optional<Item>& before, const std::optional<Item>& after,
                      std::optional<std::uint64_t> undoes = std::nullopt);
  Result<std::vector<Recorded>> entries_of(std::uint64_t change);
  Result<std::uint64_t> latest_change();
  Result<void> check_undoable(std::uint64_t change);
  Result<void> put_back(const Recorded& entry, std::uint64_t change, std::uint64_t undoes);
  Result<ChangeReport> replace(const StoredItem& old, Item item);

  sqlite::Store& store_;
  WallTime now_;
  Counts counts_;
  Counts latest_;  // of the change that is not kept yet
};

}  // namespace helve::memory
