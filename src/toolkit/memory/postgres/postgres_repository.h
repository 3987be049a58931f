// A MemoryRepository on a PostgreSQL server, shared by all who may connect to it.
#pragma once

#include <memory>
#include <string>

#include "base/env.h"
#include "sources/sql/database_options.h"
#include "toolkit/memory/postgres/bank_sql.h"
#include "toolkit/memory/repository.h"

namespace helve::memory {

struct PostgresBankOptions {
  sql::DatabaseOptions database;
  std::string schema{kDefaultSchema};
  bool is_made = true;  // where there is none; otherwise NotFound
};

// Env must outlive it. Whoever changes a bank has locked its one row of the table bank: changes of
// all servers are one after the other, and cannot deadlock. A connection that is lost is made
// again, and what was asked is asked again, but for a change whose commit was under way: adding
// items is repeated (their ids tell what is there), anything else is Unavailable and says that it
// is not known whether it was kept.
Result<std::unique_ptr<MemoryRepository>> open_postgres_repository(PostgresBankOptions options,
                                                                   Env& env,
                                                                   const OpContext& context);

}  // namespace helve::memory
