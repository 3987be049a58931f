// What statements over SQLite files may use: functions and pragmas for all of them, tables and
// columns by the rules of a caller. The worker asks here; sqlite_guard.h looks at the text before.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite_file.h"
#include "sources/sql_tokens.h"
#include "sources/table_source.h"

namespace helve::sql {

sqlite::FilePermits sqlite_permits();

// What a file has, all names in lower case.
struct SqliteNames {
  std::set<std::string, std::less<>> tables;  // views and virtual ones too
  std::set<std::string, std::less<>> views;
  std::set<std::string, std::less<>> virtuals;
  std::map<std::string, std::string, std::less<>> shadows;  // of virtual tables: to which one
  // Search indexes over the rows of another table, and that table.
  std::map<std::string, std::string, std::less<>> contents;
  // Virtual tables that tell the insides of others, or of which nothing is known.
  std::set<std::string, std::less<>> insides;
  // Columns that are computed, by "table.column", and the columns of the table that they are
  // computed from; nullopt: that is not known.
  std::map<std::string, std::optional<std::set<std::string, std::less<>>>, std::less<>> generated;
  std::set<std::string, std::less<>> triggers;
  std::set<std::string, std::less<>> replacing;  // tables with ON CONFLICT REPLACE
  // By the page where it begins: an index, with its table and columns. An expression is a column
  // without a name.
  struct Index {
    std::string table;
    std::set<std::string, std::less<>> columns;
  };
  std::map<std::int64_t, Index> indexes;
};

// What has names, definitions and sample values of all tables; in lower case.
bool is_schema_table(std::string_view table);

Result<SqliteNames> read_sqlite_names(sqlite::FileDatabase& database, const OpContext& context);

// Judges the reads of one statement after the other. Not thread-safe.
class ReadRules {
 public:
  ReadRules(const TableRules& rules, SqliteNames names);

  // Of the next statement: its words decide what SQLite does not ask about. Gives why it may not
  // be run at all.
  std::optional<sqlite::ReadRefusal> begin(std::string_view sql);
  // nullopt: it may be read.
  std::optional<sqlite::ReadRefusal> judge(std::string_view table, std::string_view column,
                                           std::string_view inside);

  // Of names in lower case.
  // Whether a table of this name may be used at all, be there one or not.
  bool may_use(const std::string& table) const;
  bool has_hidden_columns(const std::string& table) const;
  bool is_column_hidden(const std::string& table, const std::string& column) const;
  bool is_mentioned(const std::string& name) const { return mentioned_.contains(name); }
  // Those that hidden columns are in. Their order tells that of the hidden values.
  const std::set<std::int64_t>& hidden_index_pages() const { return hidden_index_pages_; }
  const SqliteNames& names() const { return names_; }

 private:
  using Names = std::set<std::string, std::less<>>;

  bool is_allowed(const std::string& table, const std::string& column, const std::string& inside);
  bool is_view_allowed(const std::string& view) const;
  bool is_computed_from_hidden(const std::string& table, const std::string& column) const;
  bool is_shadow_hidden(const std::string& table, std::string_view inside) const;
  bool is_index_hidden(const std::string& table) const;
  std::optional<sqlite::ReadRefusal> judge_words(const std::vector<SqlToken>& tokens);

  std::optional<Names> allowed_;
  Names denied_;
  Names denied_columns_;  // "table.column"
  // Of tables that show nothing but these columns.
  std::map<std::string, Names, std::less<>> shown_columns_;
  bool denies_ = false;  // any table or column
  SqliteNames names_;
  Names mentioned_;
  std::set<std::int64_t> hidden_index_pages_;
  Names defined_;  // perhaps, by WITH
  Names reached_;  // tables behind views that are allowed
};

// Denied where the statement, which may be run otherwise, reads rows in the order of an index with
// hidden columns.
Result<void> check_index_order(sqlite::FileDatabase& database, const ReadRules& rules,
                               std::string_view sql, const OpContext& context);

}  // namespace helve::sql
