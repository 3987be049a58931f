// What can be told of a statement without a database: by the guard of its dialect and, for changes,
// by the names of tables and columns in it. The same code decides in calls, which ask the database
// besides.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sources/table_source.h"
#include "sources/table_writer.h"

namespace helve::sql {

struct StatementOutlook {
  // Denied: it is refused whatever the database has. InvalidInput: it is no statement.
  std::optional<Error> error;
  // Of a change that is not refused.
  WriteKind kind = WriteKind::Insert;
  std::string verb;
};

StatementOutlook outlook_of_read(std::string_view sql, SqlDialect dialect, const TableRules& rules);

// `rules` refuse only what they would refuse in whichever schema a name without one is found.
StatementOutlook outlook_of_write(std::string_view sql, SqlDialect dialect,
                                  const TableRules& rules);

}  // namespace helve::sql
