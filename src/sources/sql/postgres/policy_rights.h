// Whether the rights of a connection back the rules for tables: PostgreSQL enforces them by grants,
// for views and functions of rows go around any reading of statements. table_facts.h is what it
// judges by.
#pragma once

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_uri.h"
#include "sources/sql/postgres/connection.h"
#include "sources/table_source.h"

namespace helve::sql {

// Beyond the rules are tables and columns that could be read and are denied, columns that are
// computed from denied ones, and, unless allowed_tables names them, views and parent tables that
// show what is denied, over any number of views. With `script_for` there is a script, too.
Result<PolicyRights> read_policy_rights(Connection& connection, const TableRules& rules,
                                        const DatabaseAddress* script_for,
                                        const OpContext& context);

}  // namespace helve::sql
