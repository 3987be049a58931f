// What a connection to PostgreSQL could do beyond reading. role_script.h makes a role that cannot.
#pragma once

#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/postgres/connection.h"
#include "sources/table_source.h"

namespace helve::sql {

Result<SourceRights> read_rights(Connection& connection, const OpContext& context);

}  // namespace helve::sql
