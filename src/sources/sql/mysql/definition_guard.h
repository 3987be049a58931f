// Which definitions pass write_guard.h: of tables, indexes and views.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql_tokens.h"
#include "sources/write_shape.h"

namespace helve::sql::mysql {

// By the bytes where they begin.
struct DefinitionWords {
  std::vector<std::size_t> words;  // that reads may not have
  std::vector<std::size_t> lists;  // before a parenthesis, and no call
  std::vector<std::string> references;
  bool takes_rows = false;  // rows of the table go or are written anew
};

// Denied for all but: CREATE, ALTER, DROP, TRUNCATE and RENAME TABLE, CREATE and DROP INDEX, CREATE
// and DROP VIEW. What is not known in them is Denied, too.
Result<DefinitionWords> read_definition(std::string_view sql, const std::vector<SqlToken>& tokens,
                                        const WriteShape& shape);

}  // namespace helve::sql::mysql
