// What a SQLite file tells of its tables, from plain statements over its schema. The texts of
// CREATE are looked at for what SQLite itself does not tell (sqlite_definition.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "sources/row_sink.h"
#include "sources/table_source.h"

namespace helve::sql {

// Runs a statement of ours; true where there were more rows than `rows_max`.
using AskSqlite =
    std::function<Result<bool>(const std::string& sql, std::uint64_t rows_max, RowSink& sink)>;

Result<std::shared_ptr<const Catalogue>> read_sqlite_catalogue(const AskSqlite& ask);

}  // namespace helve::sql
