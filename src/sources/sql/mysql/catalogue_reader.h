// What a MySQL or MariaDB server knows of its tables, from information_schema in a few statements.
#pragma once

#include <string_view>

#include "base/result.h"
#include "sources/sql/mysql/connection.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

// At most 5,000 tables with 100,000 columns of these databases, or of all where none is given;
// those of the first, which is the connection's, come first. Blocks: under a watch only.
Result<Catalogue> read_catalogue(Connection& connection, const std::vector<std::string>& databases);

}  // namespace helve::sql::mysql
