// SQLite files, each asked by worker processes that can be killed.
#pragma once

#include <memory>

#include "base/env.h"
#include "base/result.h"
#include "sources/sql/database_options.h"
#include "sources/table_source.h"

namespace helve::sql {

// Connects to nothing yet: the first call does. NotFound where the file is not there.
Result<std::shared_ptr<const TableSource>> open_sqlite(DatabaseOptions options, Env& env);

}  // namespace helve::sql
