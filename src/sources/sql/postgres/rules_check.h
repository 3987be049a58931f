// Whether the rights of a connection back the rules for tables: PostgreSQL enforces them by grants,
// for views and functions of rows go around any reading of statements.
#pragma once

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/postgres/connection.h"
#include "sources/table_source.h"

namespace helve::sql {

// Denied, with the statements that would make it so, where the connection could read what the rules
// deny.
Result<void> check_rules(Connection& connection, const TableRules& rules, const OpContext& context);

}  // namespace helve::sql
