#include "surfaces/opening/open_tables.h"

#include <utility>

#include "sources/sql/open/open_database.h"

namespace helve::opening {

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
  sql::DatabaseOptions options;
  HELVE_ASSIGN(options.address, read_address(input.uri, input.folder));
  options.name = input.name;
  options.worker_command = input.worker_command;
  options.read_variable = input.read_variable;
  return sql::open_database(std::move(options), env);
}

}  // namespace helve::opening
