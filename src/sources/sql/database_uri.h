// Where a database is, as users write it: sqlite:PATH, postgresql://user@host:5432/name,
// mysql://user@host:3306/name. Passwords are named, never written: ?password=env:NAME or file:PATH.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "sources/table_source.h"

namespace helve::sql {

struct DatabaseAddress {
  SqlDialect dialect = SqlDialect::Sqlite;
  std::string path;  // of SQLite
  std::string host;  // may be empty; a path is the folder of a socket (PostgreSQL) or the socket
  std::optional<std::uint16_t> port;
  std::string user;
  std::string database;
  std::optional<std::size_t> connections;  // at most, at the same time
  std::string password_reference;          // "env:NAME", "file:PATH"; empty: none, or .pgpass
  std::vector<std::pair<std::string, std::string>> options;  // those of database_options()

  // Without options: what may be shown to anybody.
  std::string shown() const;
};

// InvalidInput for what is no such URI, an unknown option (with the nearest), or a password that is
// written out; the error does not repeat it.
Result<DatabaseAddress> read_database_uri(std::string_view uri);
bool is_database_uri(std::string_view uri);

// The password itself, read anew each time. Unavailable where there is none to be had.
using ReadVariable = std::function<const char*(const char* name)>;
Result<std::string> read_password(const DatabaseAddress& address, Env& env,
                                  const ReadVariable& read_variable);

}  // namespace helve::sql
