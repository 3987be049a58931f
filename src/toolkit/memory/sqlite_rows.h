// SqliteRows: items and changes as rows of a bank's file. bank_search.h finds candidates,
// sqlite_repository.cc says when.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite_store.h"
#include "toolkit/memory/bank_rows.h"

namespace helve::memory {

class SqliteRows final : public BankRows {
 public:
  SqliteRows(sqlite::Store& store, WallTime now) : BankRows(now), store_(store) {}

  Result<std::optional<StoredItem>> find(std::string_view id) override;
  // Rows behind `after`, in order; false: there are no more.
  Result<bool> next(std::int64_t after, std::vector<StoredItem>& items, std::size_t most);
  Result<void> note_usage(const UsageNote& note);
  Result<std::vector<ChangeEntry>> history(const std::optional<std::string>& id, std::size_t limit);
  Result<BankStats> stats();

  // Writes how often words occur, as of all calls; once before the commit.
  Result<void> flush();
  // The end of a change. One whose rows are rolled back counts no words either.
  void keep_change();
  void forget_change() { latest_ = {}; }

 protected:
  Result<void> insert(const Item& item) override;
  Result<void> update(const StoredItem& old, const Item& item) override;
  Result<void> remove(const StoredItem& old) override;
  Result<std::uint64_t> next_change() override;
  Result<void> put_change(const ChangeRow& row) override;
  Result<std::vector<ChangeRow>> entries_of(std::uint64_t change) override;
  Result<std::uint64_t> latest_change() override;
  Result<std::uint64_t> undone_by(std::uint64_t change) override;

 private:
  struct Counts {
    std::map<std::string, std::int64_t> terms;
    std::int64_t items = 0;
    std::int64_t length = 0;
  };

  Result<void> index(std::int64_t row, const std::vector<std::string>& terms, int sign,
                     std::uint64_t length);

  sqlite::Store& store_;
  Counts counts_;
  Counts latest_;  // of the change that is not kept yet
};

}  // namespace helve::memory
