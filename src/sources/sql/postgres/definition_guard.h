// Which definitions pass: write_guard.h for CREATE, ALTER, DROP, TRUNCATE and COMMENT.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "sources/sql/postgres/write_guard.h"

namespace helve::sql {

// `node` is the kind of the statement in the tree, `statement` what it has.
Result<void> read_definition(std::string_view sql, std::string_view node,
                             const JsonValue& statement, GuardedWrite& found);

// Of {"schemaname": "a", "relname": "b", "location": 1}. Denied for another database, and for null.
Result<WrittenName> name_of_relation(std::string_view sql, const JsonValue* relation);

}  // namespace helve::sql
