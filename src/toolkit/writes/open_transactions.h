// OpenTransactions: transactions that stay open from call to call, one for each session and source.
// Their life is bounded: what nobody uses is rolled back. tools/write_tools.h uses them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/table_source.h"
#include "sources/table_writer.h"

namespace helve::toolkit {

struct TransactionStatement {
  std::string verb;
  std::string table;
  std::string sql;
  std::uint64_t affected = 0;
  bool takes_all = false;
  std::vector<std::string> handles;  // of its snapshots
  std::string shown;                 // for a person: the statement, its values, what comes besides
};

struct OpenTransaction {
  std::string id;
  std::string policy;                         // fingerprint_of() the policy it is made within
  std::shared_ptr<const TableSource> source;  // kept alive
  std::unique_ptr<WriteTransaction> transaction;
  std::vector<TransactionStatement> statements;
  std::uint64_t affected = 0;
  bool waits_for_word = false;  // it may be idle for as long as it lives
};

// Thread-safe.
class OpenTransactions {
 public:
  static constexpr Duration kIdleMax = std::chrono::seconds(60);
  static constexpr Duration kLifeMax = std::chrono::minutes(5);
  static constexpr std::size_t kOpenMax = 4;
  static constexpr std::size_t kStatementsMax = 100;  // of one transaction

  // Env must outlive it.
  explicit OpenTransactions(Env& env) : env_(env) {}
  ~OpenTransactions();
  OpenTransactions(const OpenTransactions&) = delete;
  OpenTransactions& operator=(const OpenTransactions&) = delete;

 private:
  struct Entry {
    OpenTransaction content;
    MonotonicTime begun;
    MonotonicTime used;
    bool is_in_use = false;
  };
  using Key = std::pair<std::string, std::string>;  // owner and source

 public:
  // The use of a transaction by one call at a time; given back when it goes.
  class Lease {
   public:
    Lease(OpenTransactions& all, Key key, std::shared_ptr<Entry> entry)
        : all_(&all), key_(std::move(key)), entry_(std::move(entry)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) = delete;
    ~Lease();
    OpenTransaction& operator*() const { return entry_->content; }
    OpenTransaction* operator->() const { return &entry_->content; }
    Duration remaining() const;  // of its life
    // It is over, rolled back where it was not committed. What it was stays readable.
    void end(const OpContext& op);

   private:
    OpenTransactions* all_;
    Key key_;
    std::shared_ptr<Entry> entry_;  // null: moved away
    bool is_over_ = false;
  };

  // Whether there is room for one more. InvalidInput where the owner has one on the source,
  // LimitExceeded where there are too many.
  Result<void> check_room(const std::string& owner, const std::string& source);
  Result<void> add(const std::string& owner, const std::string& source, OpenTransaction content);
  // None where there is no transaction. Unavailable while another call uses it.
  Result<std::optional<Lease>> take(const std::string& owner, const std::string& source);
  // Why the last one was ended without a word; empty: none was. Told once.
  std::string what_became(const std::string& owner, const std::string& source);

  // Rolls back what was open or idle for too long.
  void sweep();
  // Rolls back all of the owner's.
  void end_all(const std::string& owner);
  std::size_t count() const;

 private:
  bool is_over_age(const Entry& entry) const;
  void roll_back(std::vector<std::shared_ptr<Entry>> entries) const;
  void watch();

  Env& env_;
  mutable std::mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopping_ = false;
  bool is_watching_ = false;
  std::thread watcher_;
  std::map<Key, std::shared_ptr<Entry>> open_;
  std::map<Key, std::string> ended_;
};

}  // namespace helve::toolkit
