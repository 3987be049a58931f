#include "sources/table_source.h"

#include <algorithm>

#include "base/ascii.h"

namespace helve {

std::string_view name_of(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::Sqlite:
      return "sqlite";
    case SqlDialect::PostgreSql:
      return "postgresql";
    case SqlDialect::MySql:
      return "mysql";
  }
  return "";
}

const ColumnInfo* TableInfo::find_column(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const ColumnInfo& one) {
    return is_same_in_any_case(one.name, column);
  });
  return found == columns.end() ? nullptr : &*found;
}

const TableInfo* Catalogue::find(std::string_view table) const {
  const TableInfo* elsewhere = nullptr;
  for (const TableInfo& one : tables) {
    if (is_same_in_any_case(one.name, table)) {
      if (is_same_in_any_case(one.schema, default_schema)) return &one;
      if (elsewhere == nullptr) elsewhere = &one;
    }
    const bool has_schema = table.size() == one.schema.size() + 1 + one.name.size() &&
                            !one.schema.empty() && table[one.schema.size()] == '.';
    if (has_schema && is_same_in_any_case(table.substr(0, one.schema.size()), one.schema) &&
        is_same_in_any_case(table.substr(one.schema.size() + 1), one.name)) {
      return &one;
    }
  }
  return elsewhere;
}

std::string quote_name(std::string_view name, SqlDialect dialect) {
  const char mark = dialect == SqlDialect::MySql ? '`' : '"';
  std::string quoted(1, mark);
  for (const char c : name) {
    if (c == mark) quoted += mark;
    quoted += c;
  }
  quoted += mark;
  return quoted;
}

std::string quote_table(const TableInfo& table, const Catalogue& catalogue, SqlDialect dialect) {
  if (table.schema.empty() || table.schema == catalogue.default_schema) {
    return quote_name(table.name, dialect);
  }
  return quote_name(table.schema, dialect) + "." + quote_name(table.name, dialect);
}

}  // namespace helve
