// What a user may do, read from SHOW GRANTS; and whether rules about tables are backed by it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/sql/mysql/connection.h"
#include "sources/table_source.h"

namespace helve::sql::mysql {

// `lines` as SHOW GRANTS gives them; passwords in them are not repeated.
SourceRights read_grants(const std::vector<std::string>& lines, std::string_view database);

// Beyond these nothing is known.
inline constexpr std::size_t kReadableColumnsMax = 200'000;
inline constexpr std::size_t kReadableViewsMax = 5'000;

// What may be read, one for each column: from information_schema.COLUMNS.
struct ReadableColumn {
  std::string schema;
  std::string table;
  std::string column;
  std::string expression = {};  // of a generated column
};
// What the rules deny and the connection could read: "shop.customer.email".
std::vector<std::string> beyond_rules(const std::vector<ReadableColumn>& readable,
                                      const TableRules& rules, std::string_view database);

// The statement that gives all ReadableColumns, and its rows.
std::string readable_columns_sql();
std::vector<ReadableColumn> read_readable_columns(const std::vector<TextRow>& rows);

// Views show what their owner may read, whoever asks.
struct ReadableView {
  std::string schema;
  std::string name;
  std::string definition;  // empty: the user may not see it
};
// Those that the rules do not allow by their names.
struct ViewVerdicts {
  std::vector<std::string> beyond;   // they use what is denied: "the view shop.v"
  std::vector<ReadableView> unseen;  // what they use is not known, be it through others
};
ViewVerdicts judge_views(const std::vector<ReadableView>& views, const TableRules& rules,
                         std::string_view database);
std::string readable_views_sql();
std::vector<ReadableView> read_readable_views(const std::vector<TextRow>& rows);

// What the owner of the database runs so that there is a user who can read, and nothing else; with
// rules, who can read what they allow and nothing else. It may be run again.
std::string setup_script(std::string_view database);
std::string setup_script(std::string_view database, const TableRules& rules,
                         const std::vector<ReadableColumn>& readable,
                         const std::vector<ReadableView>& views);

}  // namespace helve::sql::mysql
