#include "surfaces/opening/open_bank.h"

#include <algorithm>
#include <utility>

#include "surfaces/opening/open_tables.h"
#include "toolkit/memory/postgres/postgres_repository.h"

namespace helve::opening {

namespace {

using memory::MemoryBank;

// The bank has a schema of its own: nothing else is to be found by names.
std::string take_schema(sql::DatabaseAddress& address) {
  std::string schema(memory::kDefaultSchema);
  const auto rest =
      std::remove_if(address.options.begin(), address.options.end(), [&](const auto& option) {
        if (option.first != "search_path") return false;
        schema = option.second;
        return true;
      });
  address.options.erase(rest, address.options.end());
  return schema;
}

Result<std::shared_ptr<MemoryBank>> open_on_server(sql::DatabaseAddress address,
                                                   const BankInput& input, Env& env,
                                                   const OpContext& context) {
  memory::PostgresBankOptions options;
  options.schema = take_schema(address);
  options.is_made = input.is_made;
  options.database.name = options.schema;
  options.database.address = std::move(address);
  options.database.read_variable = input.read_variable;
  const std::string name = options.schema;
  HELVE_ASSIGN(auto repository, memory::open_postgres_repository(std::move(options), env, context));
  return std::make_shared<MemoryBank>(std::move(repository), env.clock(), name);
}

}  // namespace

Result<std::shared_ptr<MemoryBank>> open_bank(const BankInput& input, Env& env,
                                              const OpContext& context) {
  if (!sql::is_database_uri(input.place)) {
    return MemoryBank::open(input.folder / input.place, input.is_made, env, context);
  }
  HELVE_ASSIGN(sql::DatabaseAddress address, read_address(input.place, input.folder));
  switch (address.dialect) {
    case SqlDialect::Sqlite:
      return MemoryBank::open(address.path, input.is_made, env, context);
    case SqlDialect::PostgreSql:
      return open_on_server(std::move(address), input, env, context);
    case SqlDialect::MySql:
      break;
  }
  return Error{ErrorCode::InvalidInput, "a memory bank cannot be in MySQL or MariaDB",
               "name a file, or a database of PostgreSQL: postgresql://user@host/database"};
}

}  // namespace helve::opening
