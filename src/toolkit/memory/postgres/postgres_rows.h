// PostgresRows: items and changes as rows on a server, within a transaction that has locked the
// bank. What is written is queued, and sent with the commit.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "toolkit/memory/bank_rows.h"
#include "toolkit/memory/postgres/bank_session.h"
#include "toolkit/memory/postgres/bank_sql.h"

namespace helve::memory {

// The row of the table bank.
struct BankNumbers {
  int version = 0;
  std::uint64_t items = 0;
  std::uint64_t length = 0;
  std::int64_t last_item = 0;
  std::uint64_t last_change = 0;
};
// Unavailable where a newer Helve made it, or where it is not there.
Result<BankNumbers> read_bank_numbers(const sql::ResultPtr& answer);

class PostgresRows final : public BankRows {
 public:
  PostgresRows(BankSession& session, const BankSql& sql, const BankNumbers& numbers, WallTime now,
               const OpContext& context)
      : BankRows(now), session_(session), sql_(sql), numbers_(numbers), context_(context) {}

  // The answer to find_items for these ids.
  Result<void> know(const std::vector<std::string>& ids, const sql::ResultPtr& answer);
  Result<std::optional<StoredItem>> find(std::string_view id) override;
  void note_usage(const UsageNote& note);
  Result<void> put_vectors(const std::string& model, const std::vector<ItemVector>& vectors);
  // Queues how often words occur, and the numbers of the bank; once before the commit.
  void flush();

 protected:
  Result<void> expect(const std::vector<std::string>& ids) override;
  Result<void> insert(const Item& item) override;
  Result<void> update(const StoredItem& old, const Item& item) override;
  Result<void> remove(const StoredItem& old) override;
  Result<std::uint64_t> next_change() override { return numbers_.last_change + 1; }
  Result<void> put_change(const ChangeRow& row) override;
  Result<std::vector<ChangeRow>> entries_of(std::uint64_t change) override;
  Result<std::uint64_t> latest_change() override;
  Result<std::uint64_t> undone_by(std::uint64_t change) override;

 private:
  // The answer to a statement, behind all that is queued.
  Result<sql::ResultPtr> ask(const std::string& sql, std::vector<PgParameter> parameters);
  Result<std::uint64_t> number(const std::string& sql, std::vector<PgParameter> parameters);
  void index(std::int64_t row, const std::vector<std::string>& terms, int sign);
  void count(int sign, std::uint64_t length);

  BankSession& session_;
  const BankSql& sql_;
  BankNumbers numbers_;
  const OpContext& context_;
  // As they are within this transaction; none: there is no such item.
  std::unordered_map<std::string, std::optional<StoredItem>> known_;
  std::map<std::string, std::int64_t> terms_;  // by how much they changed
  std::int64_t items_ = 0;
  std::int64_t length_ = 0;
  std::int64_t place_ = 0;  // of the next entry of the last change
  bool is_changed_ = false;
};

}  // namespace helve::memory
