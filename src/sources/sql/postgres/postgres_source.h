// PostgreSQL through libpq.
#pragma once

#include <memory>

#include "base/env.h"
#include "base/result.h"
#include "sources/sql/database_options.h"
#include "sources/table_source.h"

namespace helve::sql {

// Connects to nothing yet: the first call does.
Result<std::shared_ptr<const TableSource>> open_postgres(DatabaseOptions options, Env& env);

}  // namespace helve::sql
