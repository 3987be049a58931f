// A remembered query as one that can be asked: what depends on a slot goes, the rest stays.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sources/sparql/algebra/query.h"
#include "sources/table_source.h"

namespace helve::learning {

// Whether a query has slots at all.
bool has_slots(const sparql::Query& query);
// ASK whether its pattern matches anything, with slots as variables: without the conditions,
// BIND values and exclusions that have slots in them, which would match nothing.
sparql::Query relaxed(const sparql::Query& query);

// Statements that show whether a SQL pattern still fits. Slots are NULL in them.
struct SqlProbe {
  std::string statement;            // to be explained
  std::optional<std::string> rows;  // gives a row if any could match; nullopt: cannot be told
};
Result<SqlProbe> sql_probe(std::string_view pattern, SqlDialect dialect);

}  // namespace helve::learning
