// Names of tables and columns as a statement would write them, for table_cards.h.
#pragma once

#include <string>
#include <string_view>

#include "sources/table_source.h"

namespace helve::context {

// Whether it has to be quoted in a statement: other characters than letters, digits and '_', a word
// of SQL, or capitals where the dialect folds them.
bool needs_quotes(std::string_view name, SqlDialect dialect);

// Quoted where it must be, and harmless whatever it is; a very long one is elided.
std::string shown_name(std::string_view name, SqlDialect dialect);
// With its schema where that is not the default one.
std::string shown_table(const TableInfo& table, const Catalogue& catalogue, SqlDialect dialect);

// Expressions and types as the database spells them: on one line, harmless and bounded.
std::string shown_expression(std::string_view text, std::size_t width);

}  // namespace helve::context
