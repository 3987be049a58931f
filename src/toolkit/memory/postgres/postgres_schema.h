// The tables of a bank on a server: making them, and bringing those of an older version to this
// one.
#pragma once

#include <string>
#include <vector>

#include "toolkit/memory/postgres/bank_session.h"
#include "toolkit/memory/postgres/bank_sql.h"

namespace helve::memory {

// Looks at the bank, and makes or migrates it where that is wanted and needed; of several servers
// one does it. What its owner should know is added to `warnings`. NotFound: there is none;
// InvalidInput: the schema or the database is no place for one; Unavailable: a newer Helve made it.
Result<void> prepare_schema(BankSession& session, const BankSql& sql, const std::string& schema,
                            bool is_made, std::vector<std::string>& warnings,
                            const OpContext& context);

}  // namespace helve::memory
