// Opening SQL databases by their URIs, for all surfaces. open_graph.h does it for graphs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "sources/sql/database_uri.h"
#include "sources/table_source.h"

namespace helve::opening {

struct TablesInput {
  std::string name;
  std::string uri;               // sqlite:PATH, postgresql://..., mysql://..., sample-tables:
  std::filesystem::path folder;  // that paths in it are relative to; empty: where the process is
  std::vector<std::string> worker_command;  // of SQLite
  sql::ReadVariable read_variable;          // of the environment, for passwords and the cache
  // Some caller's policy lets it be changed; the bundled database never is.
  bool is_writable = false;
};

// Connects to nothing yet; the bundled database is made where it is not there. InvalidInput for
// what is no such URI, NotFound for files that are not there.
Result<std::shared_ptr<const TableSource>> open_tables(const TablesInput& input, Env& env);

// What can be seen without connecting: whether the password is to be had, and whether a file is a
// SQLite database. Unavailable where not, and where the file cannot be read.
Result<void> check_tables(const TablesInput& input, Env& env);

// InvalidInput with the way to ask it where one of the paths is a database: its URI, or a file of
// SQLite.
Result<void> check_no_database(const std::vector<std::string>& paths, Env& env);

// Whether the file begins as those of SQLite do. False for what cannot be read.
bool is_sqlite_file(const std::string& path, Env& env);

// The address, with paths relative to the folder; what can be told before opening.
Result<sql::DatabaseAddress> read_address(std::string_view uri,
                                          const std::filesystem::path& folder);

}  // namespace helve::opening
