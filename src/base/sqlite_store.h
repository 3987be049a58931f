// SQLite files that Helve itself keeps data in: read and written by our own statements. Files of
// others are sqlite_file.h.
//
// SQLite before 3.51.3 can damage a file in WAL mode when two connections write or checkpoint at
// the same moment. So whoever uses a Store for writing holds a lock of their own as long as they
// use it; those for reading never write and never checkpoint.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/op_context.h"
#include "base/result.h"
#include "base/sqlite.h"

struct sqlite3;
struct sqlite3_stmt;

namespace helve::sqlite {

enum class StoreUse : std::uint8_t {
  Read,       // NotFound where there is none
  Immutable,  // the same, for what nobody writes: needs no files beside it
  Write,      // made where there is none
};

struct StoreOptions {
  std::string path;  // absolute: nothing in it is read as a URI
  StoreUse use = StoreUse::Read;
  std::uint64_t bytes_max = 0;  // of the file, where it is written; 0: as large as SQLite lets it
};

// One run of a statement, which is ready for the next one when this goes. Must not outlive its
// store.
class StoreStatement {
 public:
  explicit StoreStatement(sqlite3_stmt* statement, const std::string& path)
      : statement_(statement), path_(&path) {}
  StoreStatement(StoreStatement&& other) noexcept;
  StoreStatement& operator=(StoreStatement&&) = delete;
  StoreStatement(const StoreStatement&) = delete;
  StoreStatement& operator=(const StoreStatement&) = delete;
  ~StoreStatement();

  // Of all parameters, in order; copied.
  Result<void> bind(std::initializer_list<Value> values);
  // False at the end.
  Result<bool> step();
  // Of the current row; valid until the next step.
  Value value(int column) const;
  std::int64_t integer(int column) const;   // 0 where it is none
  std::string_view text(int column) const;  // empty where it is none
  bool is_null(int column) const;

 private:
  sqlite3_stmt* statement_;
  const std::string* path_;
};

// Not thread-safe.
class Store {
 public:
  // Errors of all functions: NotFound, Denied, Unavailable (locked, full, read-only, I/O), with
  // words for who owns the file; Corrupt is the reason where it is damaged or no database.
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Statements are stopped by its deadline and cancellation from now on; null: by none. It must
  // outlive its use.
  void set_context(const OpContext* context);
  // Several statements without parameters or rows.
  Result<void> execute(const std::string& sql);
  // Statements are kept ready, so the text should be one of few.
  Result<StoreStatement> prepare(std::string_view sql);
  // One statement, without rows.
  Result<void> run(std::string_view sql, std::initializer_list<Value> values);
  // The first column of the first row; 0 where there is none.
  Result<std::int64_t> number(std::string_view sql);
  std::int64_t last_row() const;       // that was inserted
  std::uint64_t changed_rows() const;  // by the last statement
  // Whether its path leads to another file by now, or to none.
  bool has_moved() const;
  // As this store sees it at one moment, into a file that must not be there.
  Result<void> copy_to(const std::string& path, const OpContext& context);

 private:
  Store(std::string path) : path_(std::move(path)) {}
  Result<void> set_up(const StoreOptions& options);
  Error error(int outcome) const;

  std::string path_;
  sqlite3* database_ = nullptr;
  const OpContext* context_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

}  // namespace helve::sqlite
