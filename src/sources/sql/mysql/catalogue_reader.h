// What a MySQL or MariaDB server knows of its tables, from information_schema in a few statements.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/sql/mysql/connection.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

// At most 5,000 tables with 100,000 columns, those of `database` first. Blocks: under a watch only.
Result<Catalogue> read_catalogue(Connection& connection, std::string_view database);

}  // namespace helve::sql::mysql
