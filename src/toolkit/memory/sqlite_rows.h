// SqliteRows: items and changes as rows of a bank's file. bank_search.h finds candidates,
// sqlite_repository.cc says when.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/sqlite_store.h"
#include "toolkit/memory/bank_rows.h"

namespace helve::memory {

class SqliteRows final : public BankRows {
 public:
  SqliteRows(sqlite::Store& store, WallTime now) : BankRows(now), store_(store) {}

  Result<std::optional<StoredItem>> find(std::string_view id) override;
  // At most so many rows behind `last`, in order, which is the last of them then; false: there are
  // no more. Items that are damaged are named instead: they must not keep the others from being
  // saved.
  Result<bool> next(std::int64_t& last, std::vector<StoredItem>& items,
                    std::vector<std::string>& damaged, std::size_t most);
  Result<void> note_usage(const UsageNote& note);
  Result<std::vector<ChangeEntry>> history(const std::optional<std::string>& id, std::size_t limit);
  Result<BankStats> stats();
  Result<void> put_vectors(const std::string& model, const std::vector<ItemVector>& vectors);
  Result<std::optional<VectorTable>> vectors(const VectorRequest& request);
  Result<std::vector<Item>> without_vectors(const std::string& model, std::size_t most);

  // What add() would make of items again, by their ids; must outlive its use.
  using PreparedTerms = std::unordered_map<std::string, ItemTerms>;
  void use_prepared(const PreparedTerms* prepared) { prepared_ = prepared; }

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
  Result<std::int64_t> slot_of(const StoredItem& stored);

  Result<void> drop_vectors(std::int64_t row);

  sqlite::Store& store_;
  const PreparedTerms* prepared_ = nullptr;
};

}  // namespace helve::memory
