// OpenTransactions: transactions that stay open from call to call, one for each session and source.
// Their life is bounded: what nobody uses is rolled back. tools/write_tools.h uses them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/table_source.h"
#include "sources/table_writer.h"
#include "toolkit/writes/write_session.h"

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
  bool awaits_confirmation = false;  // it may be idle for as long as it lives
  std::string store;                 // SessionWrites::id that has its snapshots
  bool is_recorded = true;           // the audit records how it ends
};

// One that was rolled back though nobody asked for that.
struct EndedTransaction {
  const WriteSession& owner;
  const std::string& source;
  const OpenTransaction& content;
  std::string_view why;  // "it was idle for 60 s"
};

// Thread-safe. Who has it sees to it that sweep() is called now and then.
class OpenTransactions {
 public:
  static constexpr Duration kIdleMax = std::chrono::seconds(60);
  static constexpr Duration kLifeMax = std::chrono::minutes(5);
  static constexpr std::size_t kOpenMax = 4;
  static constexpr std::size_t kStatementsMax = 100;  // of one transaction

  using Tell = std::function<void(const EndedTransaction& ended)>;

  // Env must outlive it. `tell` is called without a lock, by whoever rolled back.
  explicit OpenTransactions(Env& env, Tell tell = {}) : env_(env), tell_(std::move(tell)) {}
  ~OpenTransactions();
  OpenTransactions(const OpenTransactions&) = delete;
  OpenTransactions& operator=(const OpenTransactions&) = delete;

 private:
  struct Entry {
    OpenTransaction content;
    MonotonicTime begun;
    MonotonicTime used;
    bool is_in_use = false;
    std::string ending;  // why it is to be rolled back; empty: it is not
  };
  using Key = std::pair<WriteSession, std::string>;  // owner and source
  using Entries = std::vector<std::pair<Key, std::shared_ptr<Entry>>>;

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
    // It is over, rolled back where that was not done before. What it was stays readable.
    void end(const OpContext& op, std::string_view why);

   private:
    OpenTransactions* all_;
    Key key_;
    std::shared_ptr<Entry> entry_;  // null: moved away
    bool is_over_ = false;
  };

  // Whether there is room for one more. InvalidInput where the owner has one on the source,
  // LimitExceeded where there are too many.
  Result<void> check_room(const WriteSession& owner, const std::string& source);
  Result<void> add(const WriteSession& owner, const std::string& source, OpenTransaction content);
  // None where there is no transaction. Unavailable while another call uses it.
  Result<std::optional<Lease>> take(const WriteSession& owner, const std::string& source);
  bool has(const WriteSession& owner, const std::string& source) const;
  // Why the last one was ended unasked; empty: none was. Reported once.
  std::string what_became(const WriteSession& owner, const std::string& source);

  // Rolls back what was open or idle for too long, and what is to end.
  void sweep();
  // All of the owner's, or all whose snapshots are there, are over: nobody gets them any more, and
  // the next sweep() rolls them back. Does not wait for a database.
  void end_all(const WriteSession& owner, std::string_view why);
  void end_store(std::string_view store, std::string_view why);
  std::size_t count() const;

 private:
  // Why it is over; empty: it is not.
  std::string why_over(const Entry& entry) const;
  void roll_back(const Entries& entries) const;

  Env& env_;
  const Tell tell_;
  mutable std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> open_;
  std::map<Key, std::string> ended_;
};

}  // namespace helve::toolkit
