// Opens any database by its address. The one place that names the adapters.
#pragma once

#include <memory>

#include "base/env.h"
#include "base/result.h"
#include "sources/sql/database_options.h"
#include "sources/table_source.h"

namespace helve::sql {

// Connects to nothing yet: the first call does. NotFound where a file is not there.
Result<std::shared_ptr<const TableSource>> open_database(DatabaseOptions options, Env& env);

}  // namespace helve::sql
