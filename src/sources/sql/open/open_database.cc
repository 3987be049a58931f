#include "sources/sql/open/open_database.h"

#include <utility>

#include "sources/sql/mysql/mysql_source.h"
#include "sources/sql/postgres/postgres_source.h"
#include "sources/sql/sqlite/sqlite_source.h"

namespace helve::sql {

Result<std::shared_ptr<const TableSource>> open_database(DatabaseOptions options, Env& env) {
  options.connections_max = options.address.connections.value_or(options.connections_max);
  switch (options.address.dialect) {
    case SqlDialect::Sqlite:
      return open_sqlite(std::move(options), env);
    case SqlDialect::PostgreSql:
      return open_postgres(std::move(options), env);
    case SqlDialect::MySql:
      return open_mysql(std::move(options), env);
  }
  return Error{ErrorCode::Internal, "a dialect without an adapter"};
}

}  // namespace helve::sql
