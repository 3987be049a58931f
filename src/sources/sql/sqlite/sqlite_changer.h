// The side of a SQLite worker that changes its file: one transaction, and what statements do in it.
// sqlite_worker.h answers by it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite_file.h"
#include "sources/sql/sqlite/sqlite_change_rules.h"

namespace helve::sql {

// Not thread-safe. Rules are bytes of encode_rules(); "": none.
class SqliteChanger {
 public:
  // Errors as FileDatabase::open(). With FileUse::Examine nothing but prepare_*() can be done.
  static Result<std::unique_ptr<SqliteChanger>> open(const sqlite::FileOptions& options,
                                                     const OpContext& context);

  // Unavailable while another process writes, after the time of the context.
  Result<void> begin(const OpContext& context);
  Result<std::unique_ptr<sqlite::FileStatement>> prepare_read(std::string_view sql,
                                                              std::string_view rules,
                                                              const OpContext& context);
  // Judged and compiled; outline() tells what it would do.
  Result<std::unique_ptr<sqlite::FileStatement>> prepare_change(std::string_view sql,
                                                                std::string_view rules,
                                                                const OpContext& context);
  const ChangeOutline& outline() const { return outline_; }

  // Around the steps of a statement of prepare_change(), which has gone before one of the others is
  // called: its rows can be undone then, or are undone at once.
  // More rows than `changes_max` are stopped where that loses nothing else: has_stopped().
  Result<void> start(std::uint64_t changes_max);
  sqlite::ChangeCount finish() const { return database_->changes(); }
  bool has_stopped() const { return database_->has_stopped(); }
  Error undo_failed(Error error, const OpContext& context);  // what may be told of it
  // After one that was stopped: the transaction goes on without it, or is over.
  void undo_stopped(const OpContext& context);

  Result<void> undo();
  // Ends the transaction, also where it fails: then everything is rolled back.
  Result<void> commit(const OpContext& context);
  Result<void> roll_back();
  // It was begun, and has been ended or rolled back.
  bool is_over() const { return is_over_; }

 private:
  SqliteChanger() = default;

  Result<void> check_running() const;
  Result<void> apply_rules(std::string_view bytes, const OpContext& context);
  Result<void> check_view(std::string_view sql, const OpContext& context);
  Result<void> set_reading(bool is_reading, const OpContext& context);
  Result<void> bound_growth(const OpContext& context);
  Result<std::int64_t> number_of(std::string_view sql, const OpContext& context);
  void judge_by_rules();

  std::string rules_bytes_;
  std::unique_ptr<ChangeRules> rules_;  // null: to be made before the next statement
  ChangeOutline outline_;
  std::uint32_t savepoints_ = 0;
  bool is_writable_ = false;
  bool is_reading_ = true;
  bool is_begun_ = false;
  bool is_over_ = false;
  std::unique_ptr<sqlite::FileDatabase> database_;
};

}  // namespace helve::sql
