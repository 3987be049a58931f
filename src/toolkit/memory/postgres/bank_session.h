// BankSession: a connection of a bank in PostgreSQL. Statements are queued, sent together and
// answered in order; those that are run often are prepared once. sources/sql/postgres/connection.h
// is what it stands on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_options.h"
#include "sources/sql/postgres/connection.h"

namespace helve::memory {

// A value of a statement, as the text that the server reads.
struct PgParameter {
  PgParameter() = default;  // NULL
  // Implicit: lists of values read as what they are.
  PgParameter(std::int64_t number) : text(std::to_string(number)) {}  // NOLINT
  PgParameter(std::string value) : text(std::move(value)) {}          // NOLINT
  PgParameter(const std::vector<std::string>& list);                  // NOLINT
  PgParameter(const std::vector<std::int64_t>& list);                 // NOLINT
  static PgParameter truth(bool value) { return {std::string(value ? "true" : "false")}; }
  static PgParameter bytes(std::string_view value);

  std::optional<std::string> text;
};

// The bytes of a value of type bytea as the server writes it; empty for anything else.
std::string bytes_of(std::string_view text);

// One row of an answer. REQUIRES: it is there, and so are the columns.
class PgRow {
 public:
  PgRow(const sql::ResultPtr& answer, int row) : rows_(answer.get()), row_(row) {}

  std::int64_t integer(int column) const { return rows_.number<std::int64_t>(row_, column); }
  std::string_view text(int column) const { return rows_.view(row_, column); }
  bool is_null(int column) const { return rows_.is_null(row_, column); }

 private:
  sql::PgRows rows_;
  int row_;
};
inline int rows_of(const sql::ResultPtr& answer) { return sql::PgRows(answer.get()).rows(); }

enum class BankAccess : std::uint8_t { Read, Write };

// Not thread-safe.
class BankSession {
 public:
  static Result<std::unique_ptr<BankSession>> open(const sql::DatabaseOptions& options, Env& env,
                                                   const OpContext& context);

  // False when the server has gone in the meantime. Does not wait.
  bool is_alive() { return !is_lost_ && connection_->is_alive(); }
  // No more use: what was being run may have been done or not.
  bool is_lost() const { return is_lost_; }

  // Queues the beginning of a transaction, with the time that the context leaves it. Reading is of
  // one state; what is written is on the disk of the server once it is committed.
  void begin(BankAccess access, const OpContext& context);
  // Queues a statement. It is prepared when it first comes here. REQUIRES: it stays where it is.
  void add(const std::string& sql, std::vector<PgParameter> parameters = {});
  // Queues a statement that is not worth preparing.
  void add_once(std::string sql);
  // Queues the end.
  void commit();
  // Sends all that is queued. The answers of add() and add_once() in order. After an error of the
  // server the transaction is rolled back, and the session can be used again.
  Result<std::vector<sql::ResultPtr>> run(const OpContext& context);
  void roll_back(const OpContext& context);

 private:
  struct Step {
    const std::string* sql = nullptr;  // null: `once`
    std::string once;
    std::vector<std::optional<std::string>> parameters;
    bool is_told = true;  // its answer is handed out
    bool is_commit = false;
  };
  struct Sent {
    const std::string* prepared = nullptr;  // it was the preparing of this
    bool is_told = false;
    bool is_commit = false;
  };

  explicit BankSession(std::unique_ptr<sql::Connection> connection)
      : connection_(std::move(connection)) {}
  Result<std::vector<sql::ResultPtr>> exchange(const std::vector<Step>& steps,
                                               const OpContext& context);
  Result<std::vector<Sent>> send(const std::vector<Step>& steps);
  Result<std::vector<sql::ResultPtr>> receive(const std::vector<Sent>& sent,
                                              const OpContext& context);
  std::string name_of(const std::string& sql);

  std::unique_ptr<sql::Connection> connection_;
  std::vector<Step> steps_;
  std::map<const std::string*, std::string> names_;  // that statements have or shall have
  std::set<const std::string*> prepared_;            // those that the server has
  bool is_in_transaction_ = false;
  bool is_lost_ = false;
};

}  // namespace helve::memory
