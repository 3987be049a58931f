// What was probably meant where a database does not know a name: the nearest tables, columns and
// functions, those of the tables that the statement touches first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sources/table_source.h"
#include "toolkit/tables/statement_outline.h"

namespace helve::toolkit {

struct NameRepair {
  std::vector<std::string> did_you_mean;  // as they are written in the statement, the nearest first
  std::string hint;                       // in words of ours and of the statement
  // Tables whose columns help: those that the statement touches, or that were suggested. They point
  // into the catalogue.
  std::vector<const TableInfo*> tables;
};

// The problem is one of an unknown table, column or function.
NameRepair repair_name(const SqlProblem& problem, const StatementOutline& outline,
                       const Catalogue& catalogue, SqlDialect dialect);

// The tables of the catalogue that a statement names, each once.
std::vector<const TableInfo*> touched_tables(const StatementOutline& outline,
                                             const Catalogue& catalogue);
// The table of one use; null: a subquery, what WITH defines, or nothing that is known.
const TableInfo* table_of(const TableUse& use, const StatementOutline& outline,
                          const Catalogue& catalogue);
// The nearest tables and views, at most `most`.
std::vector<const TableInfo*> near_tables(std::string_view name, const Catalogue& catalogue,
                                          std::size_t most);

// As it is written in a statement: in quotes only where it must be.
std::string written_name(std::string_view name, SqlDialect dialect);
// With its schema where that is not the default.
std::string written_table(const TableInfo& table, const Catalogue& catalogue, SqlDialect dialect);
// For people and arguments of calls: the same without quotes.
std::string plain_table(const TableInfo& table, const Catalogue& catalogue);

}  // namespace helve::toolkit
