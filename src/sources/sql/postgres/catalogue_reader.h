// Reading what a PostgreSQL database knows of its tables, from pg_catalog.
#pragma once

#include <memory>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/postgres/connection.h"
#include "sources/table_source.h"

namespace helve::sql {

// Tables, views, materialized views, foreign tables and partitioned tables (not their parts) that
// the connection may read, with the columns that it may read. Two round trips.
Result<std::shared_ptr<const Catalogue>> read_catalogue(Connection& connection,
                                                        const OpContext& context);

}  // namespace helve::sql
