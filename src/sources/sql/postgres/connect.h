// Making a connection to PostgreSQL without blocking. connection.h is what becomes of it.
#pragma once

#include <libpq-fe.h>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "sources/sql/database_options.h"

namespace helve::sql {

// A connection that is ready and does not block; the caller finishes it. Every session begins
// read-only, with texts written the one way that values.h reads. The password is read, used and
// forgotten. Errors: Unavailable, Denied, NotFound; by the context LimitExceeded and Cancelled.
Result<PGconn*> connect(const DatabaseOptions& options, Env& env, const OpContext& context);

// The settings a session begins with, for the server's command line: "-c a=b ...".
std::string session_settings(const DatabaseAddress& address);

}  // namespace helve::sql
