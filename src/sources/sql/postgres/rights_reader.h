// What a connection to PostgreSQL could do beyond reading, and the script for a role that cannot.
#pragma once

#include <string>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_uri.h"
#include "sources/sql/postgres/connection.h"
#include "sources/table_source.h"

namespace helve::sql {

Result<SourceRights> read_rights(Connection& connection, const OpContext& context);

// For psql, run by the owner of the database.
std::string role_script(const DatabaseAddress& address);

}  // namespace helve::sql
