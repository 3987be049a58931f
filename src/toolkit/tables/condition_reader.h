// Conditions of a WHERE or ON, read from its words. statement_outline.h puts them together.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "toolkit/tables/statement_outline.h"

namespace helve::toolkit {

// Words that are no name of a column or an alias.
bool is_sql_keyword(const SqlToken& token);

using ValueOfMark = std::function<const SqlValue*(const SqlToken&)>;

// What must all hold, apart. A condition with OR in it is one.
std::vector<SqlCondition> read_conditions(std::span<const SqlToken> tokens, SqlDialect dialect,
                                          const ValueOfMark& value_of_mark);

}  // namespace helve::toolkit
