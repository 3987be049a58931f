// What a process and its SQLite worker say to each other, over the worker's standard input and
// output: one file, many statements. Neither side trusts the other's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sqlite.h"
#include "base/sqlite_file.h"
#include "sources/table_source.h"
#include "sources/table_writer.h"

namespace helve::sql {

// The first bytes of what a worker reads; the version is part of it.
inline constexpr std::string_view kSqliteMagic = "HLVSLF3\n";

// What stands before a value: the place of its kind in sqlite::Value.
enum class ValueTag : std::uint8_t { Null, Integer, Real, Text, Blob };

enum class SqliteFrame : std::uint8_t {
  // To the worker.
  Open = 1,
  Run = 2,
  // Of files that were not opened for reading alone.
  Begin = 3,
  Write = 4,
  Undo = 5,
  Commit = 6,
  RollBack = 7,
  // From the worker, for each Run: Columns, Rows ..., Done; or Failed, at any time. For each of the
  // others: Columns and Rows of what Write returns, Changed; or Failed.
  Columns = 16,
  Rows = 17,
  Done = 18,
  Failed = 19,
  Changed = 20,
  Over = 21,  // before Failed: the transaction is over and rolled back
};

// Whole frames are a kind, the size of the rest and the rest.
struct SqliteFrameHead {
  static constexpr std::size_t kBytes = 5;
  SqliteFrame kind;
  std::uint32_t size;
};
// nullopt: more bytes are needed.
std::optional<SqliteFrameHead> read_frame_head(std::string_view bytes);

// Takes numbers, texts and values off bytes until one is not there; then all are empty.
class FrameInput {
 public:
  explicit FrameInput(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  template <typename T>
  T number();
  std::string_view text() { return bytes(number<std::uint32_t>()); }
  std::string_view bytes(std::size_t size);
  std::uint32_t list(std::uint32_t count_max);
  sqlite::Value value();
  void check(bool condition) { is_sound_ = is_sound_ && condition; }
  bool is_sound() const { return is_sound_; }
  bool is_at_end() const { return at_ == end_; }

 private:
  const char* at_;
  const char* end_;
  bool is_sound_ = true;
};

// Appends frames to a text.
class FrameOutput {
 public:
  explicit FrameOutput(std::string& out) : out_(out) {}

  void begin(SqliteFrame kind);
  void end();
  bool is_open() const { return frame_.has_value(); }
  template <typename T>
  void number(T value);
  void text(std::string_view text);
  void value(const sqlite::Value& value);
  // All values of a row, of which size_of() gave `bytes` in all.
  void row(std::span<const sqlite::Value> values, std::size_t bytes);

 private:
  std::string& out_;
  std::optional<std::size_t> frame_;  // where the open frame starts
};

struct SqliteOpen {
  std::string_view path;
  bool is_immutable = false;
  std::uint64_t memory_bytes_max = 0;  // of SQLite in the worker
  sqlite::FileUse use = sqlite::FileUse::Read;
};

// All that is asked of an open file. The views are those of the bytes, or of whoever asks.
struct SqliteRun {
  SqliteFrame request = SqliteFrame::Run;  // not among the bytes: the frame tells
  std::optional<Duration> time;            // nullopt: no deadline
  std::uint64_t rows_max = 0;
  std::uint64_t bytes_max = 0;
  std::uint64_t changes_max = std::numeric_limits<std::uint64_t>::max();  // rows, of Write
  bool is_plan = false;  // how it would be run (Run), what it would do (Write): it is not run
  std::string_view sql;
  std::string_view rules;  // encode_rules(); "": none
  std::vector<sqlite::Value> parameters;
};

struct SqliteChanged {
  WriteKind kind = WriteKind::Insert;
  bool has_more = false;  // than the rows that were returned
  std::string table;
  std::optional<std::uint64_t> affected;
  std::uint64_t besides = 0;
  std::vector<std::string> notes;
  bool is_too_much = false;  // more than changes_max: it was stopped and undone
};

struct SqliteColumns {
  std::vector<std::string> names;
  std::vector<std::string> types;
};

void write_open(std::string& out, const SqliteOpen& open);
void write_run(std::string& out, const SqliteRun& run);
void write_columns(std::string& out, const SqliteColumns& columns);
void write_failed(std::string& out, const Error& error);
void write_done(std::string& out, bool has_more);
void write_changed(std::string& out, const SqliteChanged& changed);
void write_over(std::string& out);

// Of what is behind the head of a frame. nullopt: it makes no sense.
std::optional<SqliteOpen> read_open(std::string_view payload);
std::optional<SqliteRun> read_run(std::string_view payload);
std::optional<SqliteColumns> read_columns(std::string_view payload);
std::optional<Error> read_failed(std::string_view payload);
std::optional<bool> read_done(std::string_view payload);  // whether there are more rows
std::optional<SqliteChanged> read_changed(std::string_view payload);

std::string encode_rules(const TableRules& rules);
std::optional<TableRules> decode_rules(std::string_view bytes);

// The bytes that a value counts by.
std::size_t size_of(const sqlite::Value& value);

template <typename T>
T FrameInput::number() {
  T value{};
  if (!is_sound_ || static_cast<std::size_t>(end_ - at_) < sizeof value) {
    is_sound_ = false;
    return value;
  }
  __builtin_memcpy(&value, at_, sizeof value);
  at_ += sizeof value;
  return value;
}

template <typename T>
void FrameOutput::number(T value) {
  out_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace helve::sql
