#include "base/sqlite_image.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>

#include "base/sqlite_handles.h"
#include "base/text.h"

namespace helve::sqlite {

Result<std::string> database_image(const std::string& script, std::size_t bytes_max) {
  sqlite3* opened = nullptr;
  const int outcome =
      sqlite3_open_v2(":memory:", &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  const DatabasePtr database(opened);
  if (outcome != SQLITE_OK) return Error{ErrorCode::Internal, "SQLite cannot be started"};
  if (sqlite3_exec(opened, script.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Error{ErrorCode::Internal,
                 fmt::format("a script of the program fails: {}", sqlite3_errmsg(opened))};
  }
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
      sqlite3_serialize(opened, "main", &size, 0), sqlite3_free);
  if (bytes == nullptr) return Error{ErrorCode::Internal, "SQLite gives no bytes of a database"};
  if (static_cast<std::size_t>(size) > bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the database is larger than {}", format_bytes(bytes_max))};
  }
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
}

}  // namespace helve::sqlite
