// What a process and its SQL worker say to each other: one request over the worker's standard
// input, frames over its standard output. Neither side trusts the other's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "sources/row_sink.h"

namespace helve::toolkit {

struct SqlRequest {
  std::uint64_t rows_max = 0;
  std::uint64_t memory_bytes_max = 0;          // of SQLite in the worker
  std::optional<Duration> time;                // nullopt: no deadline
  std::string_view sql;                        // the views are those of the bytes
  std::vector<std::string_view> known_tables;  // for hints: all handles of the session
  std::vector<std::pair<std::string_view, std::string_view>> tables;  // name, RowTable::to_bytes()
};

inline constexpr std::uint64_t kSqlRequestBytesMax = std::uint64_t{2} << 30;

std::string encode(const SqlRequest& request);
Result<SqlRequest> decode_request(std::string_view bytes);

enum class SqlFrame : std::uint8_t { Columns = 1, Rows = 2, Failed = 3, Done = 4 };

struct SqlDone {
  bool has_more = false;
  std::vector<std::string> notes;
};

// Appends frames to `out`.
class SqlFrameWriter {
 public:
  explicit SqlFrameWriter(std::string& out) : out_(out) {}
  void columns(const std::vector<std::string>& names);
  void row(Row cells);
  void failed(const Error& error);
  void done(const SqlDone& done);
  void end_rows();  // closes a frame of rows; the others do it too

 private:
  void begin(SqlFrame kind);
  void end();

  std::string& out_;
  std::optional<std::size_t> frame_;  // where the open frame starts
};

// Takes bytes as they come and hands on what is whole.
class SqlFrameReader {
 public:
  explicit SqlFrameReader(RowSink& sink) : sink_(sink) {}

  // Errors: of the sink, what the worker reports, and Unavailable for bytes that make no sense.
  Result<void> take(std::string_view bytes);
  const std::optional<SqlDone>& done() const { return done_; }
  std::uint64_t rows() const { return rows_; }

 private:
  Result<void> take_frame(SqlFrame kind, std::string_view payload);
  Result<void> take_rows(std::string_view payload);

  RowSink& sink_;
  std::string pending_;
  std::optional<std::size_t> columns_;
  std::optional<SqlDone> done_;
  std::uint64_t rows_ = 0;
};

}  // namespace helve::toolkit
