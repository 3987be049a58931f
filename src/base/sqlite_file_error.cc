#include "base/sqlite_file_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sqlite_file.h"
#include "base/utf8.h"

namespace helve::sqlite {

namespace {

Error error_of_statement(std::string text) {
  constexpr std::string_view kUnknown[] = {
      "no such table: ",  "no such column: ", "no such function: ",
      "no such module: ", "no such index: ",  "no such collation sequence: "};
  const bool is_unknown =
      std::any_of(std::begin(kUnknown), std::end(kUnknown),
                  [&](std::string_view start) { return text.starts_with(start); });
  return Error(is_unknown ? ErrorCode::NotFound : ErrorCode::InvalidInput,
               "SQLite rejected the statement")
      .with_detail(std::move(text));
}

Error cannot_open(int outcome, const std::string& path) {
  if (outcome == SQLITE_CANTOPEN_ISDIR) {
    return {ErrorCode::InvalidInput, fmt::format("'{}' is a folder", path),
            "name the file of the database"};
  }
  return {ErrorCode::Unavailable, fmt::format("the database '{}' cannot be opened", path),
          "let this process read the file and its folder; a database in WAL mode needs its -shm "
          "file beside it or a folder that can be written: otherwise let its owner run PRAGMA "
          "journal_mode = DELETE, or make a copy of it"};
}

Error read_only(const std::string& path) {
  return {ErrorCode::Unavailable,
          fmt::format("the database '{}' has to be recovered or has a WAL that cannot be read "
                      "without writing beside it",
                      path),
          "let its owner open it once, e.g. by the program that writes to it; Helve never writes"};
}

}  // namespace

Error file_error(sqlite3* database, int outcome, const std::string& path) {
  if (database == nullptr) return {ErrorCode::Internal, "SQLite cannot be started"};
  std::string text = sqlite3_errmsg(database);
  switch (outcome & 0xFF) {
    case SQLITE_ERROR:
      return error_of_statement(std::move(text));
    case SQLITE_AUTH:
      return Error(ErrorCode::Denied, "SQLite refuses the statement", kReadHint)
          .with_detail(std::move(text));
    case SQLITE_INTERRUPT:
      return {ErrorCode::LimitExceeded, "the deadline has passed",
              "allow more time or ask for less"};
    case SQLITE_NOMEM:
      return {ErrorCode::LimitExceeded, "the statement needs more memory than it may have",
              "join or sort less at once: filter first, or select fewer columns"};
    case SQLITE_TOOBIG:
      return Error(ErrorCode::LimitExceeded,
                   "a text or the statement is too long, or a pattern has too many %",
                   "make shorter texts, or a shorter statement")
          .with_detail(std::move(text));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error(ErrorCode::Unavailable,
                   fmt::format("the database '{}' is locked: another program writes to it", path),
                   "try again in a moment")
          .because(ErrorReason::Locked);
    case SQLITE_NOTADB:
      return {ErrorCode::Unavailable,
              fmt::format("'{}' is no SQLite database, or it is encrypted", path),
              "name a database file of SQLite 3; encrypted ones cannot be read"};
    case SQLITE_CORRUPT:
      return Error(ErrorCode::Unavailable, fmt::format("the database '{}' is damaged", path),
                   "let its owner run PRAGMA integrity_check, and restore it from a copy")
          .because(ErrorReason::Corrupt)
          .with_detail(std::move(text));
    case SQLITE_CANTOPEN:
      return cannot_open(outcome, path);
    case SQLITE_READONLY:
      return read_only(path);
    case SQLITE_FULL:
      return {ErrorCode::Unavailable,
              fmt::format("the database '{}' cannot grow so much: the disk is full, or the change "
                          "is too large",
                          path),
              "change fewer rows at once, or make room"};
    case SQLITE_PERM:
      return {ErrorCode::Denied, fmt::format("the database '{}' may not be read", path)};
    case SQLITE_MISMATCH:
      return Error(ErrorCode::InvalidInput, "invalid value for its type")
          .with_detail(std::move(text));
    case SQLITE_CONSTRAINT:
      return Error(ErrorCode::InvalidInput, "the change breaks a rule of the table")
          .with_detail(std::move(text));
    case SQLITE_RANGE:
      return Error(ErrorCode::InvalidInput, "a parameter has no place in the statement")
          .with_detail(std::move(text));
    default:
      return Error(ErrorCode::Unavailable, "SQLite failed").with_detail(std::move(text));
  }
}

void place(Error& error, std::string_view sql, int byte) {
  const bool is_of_statement =
      error.code == ErrorCode::InvalidInput || error.code == ErrorCode::NotFound;
  if (!is_of_statement || byte < 0 || static_cast<std::size_t>(byte) > sql.size()) return;
  const std::string_view before = sql.substr(0, static_cast<std::size_t>(byte));
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  TextPosition position;
  position.line = 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  position.column = 1 + (utf8_valid_prefix(line) == line.size() ? utf8_length(line) : line.size());
  error.at("sql", position);
}

}  // namespace helve::sqlite
