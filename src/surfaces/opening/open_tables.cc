#include "surfaces/opening/open_tables.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "base/text.h"
#include "sources/sql/open/open_database.h"
#include "surfaces/opening/sample_tables.h"
#include "surfaces/opening/source_uri.h"

namespace helve::opening {

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

Result<std::string> first_bytes(const std::string& path, Env& env) {
  HELVE_ASSIGN(const auto file, env.files().open_read(path));
  std::string first(kMagic.size(), '\0');
  std::size_t size = 0;
  while (size < first.size()) {
    HELVE_ASSIGN(const std::size_t count, file->read(std::span(first).subspan(size)));
    if (count == 0) break;
    size += count;
  }
  first.resize(size);
  return first;
}

// Nobody writes to the file, so that it can be read where nothing can be written.
Result<std::shared_ptr<const TableSource>> open_sample_tables(const TablesInput& input, Env& env) {
  sql::DatabaseOptions options;
  HELVE_ASSIGN(const auto path, sample_tables_file(input.read_variable, env));
  options.address.path = path.string();
  options.address.options = {{"immutable", "1"}};
  options.name = input.name;
  options.uri = kSampleTables;
  options.worker_command = input.worker_command;
  return sql::open_database(std::move(options), env);
}

}  // namespace

Result<sql::DatabaseAddress> read_address(std::string_view uri,
                                          const std::filesystem::path& folder) {
  constexpr std::string_view kFile = "file:";
  HELVE_ASSIGN(sql::DatabaseAddress address, sql::read_database_uri(uri));
  if (!address.path.empty()) address.path = (folder / address.path).string();
  if (address.password_reference.starts_with(kFile)) {
    const std::filesystem::path path = address.password_reference.substr(kFile.size());
    address.password_reference = std::string(kFile) + (folder / path).string();
  }
  return address;
}

Result<std::shared_ptr<const TableSource>> open_tables(const TablesInput& input, Env& env) {
  if (is_sample_tables(input.uri)) return open_sample_tables(input, env);
  sql::DatabaseOptions options;
  HELVE_ASSIGN(options.address, read_address(input.uri, input.folder));
  options.name = input.name;
  options.worker_command = input.worker_command;
  options.read_variable = input.read_variable;
  options.is_writable = input.is_writable;
  const std::string path = options.address.path;
  auto opened = sql::open_database(std::move(options), env);
  if (!opened && opened.error().code == ErrorCode::NotFound && !path.empty()) {
    Error error = std::move(opened).error();
    if (path.find('?') != std::string::npos) {
      error.hint =
          "addresses of SQLite have no options, and it is always opened to be read: "
          "write sqlite:PATH";
    } else if (input.uri.find(":///") != std::string::npos) {
      error.hint = "sqlite:/// begins a path from the root; write sqlite:PATH for one from here";
    }
    return error;
  }
  return opened;
}

Result<void> check_tables(const TablesInput& input, Env& env) {
  if (is_sample_tables(input.uri)) return {};
  HELVE_ASSIGN(const sql::DatabaseAddress address, read_address(input.uri, input.folder));
  if (address.dialect != SqlDialect::Sqlite) {
    HELVE_TRY(sql::read_password(address, env, input.read_variable));
    return {};
  }
  const auto first = first_bytes(address.path, env);
  if (!first) {
    Error error = first.error();
    error.code = ErrorCode::Unavailable;
    return error;
  }
  // An empty file is an empty database.
  if (first->empty() || *first == kMagic) return {};
  return Error{ErrorCode::Unavailable,
               fmt::format("'{}' is no SQLite database, or it is encrypted",
                           escape_for_terminal(address.path)),
               "name a database file of SQLite 3; encrypted ones cannot be read"};
}

Result<void> check_no_database(const std::vector<std::string>& paths, Env& env) {
  for (const std::string& path : paths) {
    // Addresses are not repeated: they may have a password in them.
    const bool is_uri = is_tables_uri(path);
    if (!is_uri && (path == "-" || !is_sqlite_file(path, env))) continue;
    const std::string shown = is_uri ? "URI" : "sqlite:" + escape_for_terminal(path);
    return Error{ErrorCode::InvalidInput,
                 is_uri ? "a SQL database is no graph"
                        : fmt::format("{} is a SQLite database, no RDF", escape_for_terminal(path)),
                 fmt::format("ask it with the tools: helve explore {0}, or helve call --source "
                             "NAME={0} query_execute sql='SELECT ...'",
                             shown)};
  }
  return {};
}

bool is_sqlite_file(const std::string& path, Env& env) {
  const auto status = env.files().status(path);
  if (!status || status->kind != FileKind::Regular) return false;
  const auto first = first_bytes(path, env);
  return first && *first == kMagic;
}

}  // namespace helve::opening
