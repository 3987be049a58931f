#include "sources/sql/mysql/catalogue_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kTablesMax = 5'000;
constexpr std::size_t kColumnsMax = 100'000;
constexpr std::size_t kKeysMax = 100'000;

// As bytes: no character of a name ends the text.
std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += list.empty() ? "_utf8mb4 0x" : ", _utf8mb4 0x";
    for (const char c : name) list += fmt::format("{:02X}", static_cast<unsigned char>(c));
  }
  return list;
}

const std::string& text_at(const TextRow& row, std::size_t i) {
  static const std::string none;
  return i < row.size() && row[i] ? *row[i] : none;
}

class CatalogueReader {
 public:
  CatalogueReader(Connection& connection, const std::vector<std::string>& databases)
      : connection_(connection),
        condition_(databases.empty()
                       ? "NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')"
                       : fmt::format("IN ({})", list_of(databases))) {
    if (!databases.empty()) catalogue_.default_schema = databases.front();
  }

  Result<Catalogue> read() {
    HELVE_TRY(read_tables());
    HELVE_TRY(read_columns());
    HELVE_TRY(read_indexes());
    HELVE_TRY(read_foreign_keys());
    HELVE_TRY(read_checks());
    auto& tables = catalogue_.tables;
    // What has no column that can be read cannot be read.
    std::erase_if(tables, [](const TableInfo& table) { return table.columns.empty(); });
    std::sort(tables.begin(), tables.end(), [](const TableInfo& a, const TableInfo& b) {
      return std::tie(a.schema, a.name) < std::tie(b.schema, b.name);
    });
    return std::move(catalogue_);
  }

 private:
  // What every one of the statements ends with.
  std::string those_of_users(std::string_view order, std::size_t rows_max) const {
    return fmt::format(
        " WHERE TABLE_SCHEMA {} ORDER BY TABLE_SCHEMA <> DATABASE(), TABLE_SCHEMA, TABLE_NAME{} "
        "LIMIT {}",
        condition_, order, rows_max + 1);
  }

  Result<std::vector<TextRow>> ask(const std::string& sql, std::size_t rows_max) {
    HELVE_ASSIGN(auto rows, connection_.ask(sql));
    if (rows.size() > rows_max) {
      catalogue_.is_complete = false;
      rows.resize(rows_max);
    }
    return rows;
  }

  TableInfo* table_of(const TextRow& row) {
    const auto found = places_.find({text_at(row, 0), text_at(row, 1)});
    return found == places_.end() ? nullptr : &catalogue_.tables[found->second];
  }

  Result<void> read_tables() {
    HELVE_ASSIGN(const auto rows,
                 ask("SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_ROWS, TABLE_COMMENT FROM "
                     "information_schema.TABLES" +
                         those_of_users("", kTablesMax),
                     kTablesMax));
    for (const TextRow& row : rows) {
      const std::string& type = text_at(row, 2);
      if (type == "SEQUENCE" || type == "SYSTEM VIEW") continue;
      TableInfo table;
      table.schema = text_at(row, 0);
      table.name = text_at(row, 1);
      if (type == "VIEW") {
        table.kind = TableInfo::Kind::View;
      } else {
        table.comment = text_at(row, 4);
        const std::string& digits = text_at(row, 3);
        std::uint64_t count = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
        if (read.ec == std::errc() && !digits.empty()) table.rows = count;
      }
      places_.emplace(std::pair(table.schema, table.name), catalogue_.tables.size());
      catalogue_.tables.push_back(std::move(table));
    }
    return {};
  }

  Result<void> read_columns() {
    HELVE_ASSIGN(const auto rows,
                 ask("SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, "
                     "COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT, DATA_TYPE, "
                     "FIND_IN_SET('select', PRIVILEGES) FROM information_schema.COLUMNS" +
                         those_of_users(", ORDINAL_POSITION", kColumnsMax),
                     kColumnsMax));
    for (const TextRow& row : rows) {
      TableInfo* const table = table_of(row);
      if (table == nullptr || text_at(row, 9) == "0") continue;
      ColumnInfo column;
      column.name = text_at(row, 2);
      column.type = text_at(row, 3);
      column.is_nullable = text_at(row, 4) == "YES";
      column.comment = text_at(row, 7);
      const std::string extra = ascii_lower(text_at(row, 6));
      const bool has_expression = extra.find("default_generated") != std::string::npos;
      column.is_generated = !has_expression && extra.find("generated") != std::string::npos;
      if (row.size() > 5 && row[5] && table->kind == TableInfo::Kind::Table) {
        column.otherwise = default_of(*row[5], text_at(row, 8), has_expression);
      }
      if (extra.find("auto_increment") != std::string::npos) column.otherwise = "auto_increment";
      table->columns.push_back(std::move(column));
    }
    return {};
  }

  // MariaDB gives an expression; MySQL gives texts without their marks.
  std::optional<std::string> default_of(const std::string& text, std::string_view type,
                                        bool has_expression) const {
    if (connection_.is_mariadb()) {
      if (text == "NULL") return std::nullopt;
      return text;
    }
    const bool is_plain = has_expression || type.find("int") != std::string_view::npos ||
                          type == "decimal" || type == "float" || type == "double" || type == "bit";
    if (is_plain) return text;
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\'') quoted += c;
      quoted += c;
    }
    return quoted + "'";
  }

  Result<void> read_indexes() {
    const auto sql = [this](std::string_view expression) {
      return fmt::format(
          "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, {} FROM "
          "information_schema.STATISTICS{}",
          expression,
          those_of_users(", INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX", kKeysMax));
    };
    auto rows = ask(sql(connection_.is_mariadb() ? "NULL" : "EXPRESSION"), kKeysMax);
    if (!rows && rows.error().code == ErrorCode::NotFound) rows = ask(sql("NULL"), kKeysMax);
    if (!rows) return std::move(rows).error();
    for (const TextRow& row : *rows) {
      TableInfo* const table = table_of(row);
      if (table == nullptr) continue;
      const std::string& name = text_at(row, 2);
      auto& indexes = table->indexes;
      if (indexes.empty() || indexes.back().name != name) {
        indexes.push_back({name, {}, text_at(row, 3) == "0", name == "PRIMARY"});
      }
      const std::string column = row[4] ? *row[4] : fmt::format("({})", text_at(row, 5));
      indexes.back().columns.push_back(column);
      if (name == "PRIMARY") table->primary_key.push_back(column);
    }
    return {};
  }

  Result<void> read_foreign_keys() {
    HELVE_ASSIGN(const auto rows,
                 ask("SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, "
                     "REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM "
                     "(SELECT * FROM information_schema.KEY_COLUMN_USAGE WHERE "
                     "REFERENCED_TABLE_NAME IS NOT NULL) k" +
                         those_of_users(", CONSTRAINT_NAME, ORDINAL_POSITION", kKeysMax),
                     kKeysMax));
    for (const TextRow& row : rows) {
      TableInfo* const table = table_of(row);
      if (table == nullptr) continue;
      auto& keys = table->foreign_keys;
      if (keys.empty() || keys.back().name != text_at(row, 2)) {
        const std::string& schema = text_at(row, 4);
        keys.push_back(
            {text_at(row, 2), {}, schema == table->schema ? "" : schema, text_at(row, 5), {}});
      }
      keys.back().columns.push_back(text_at(row, 3));
      keys.back().other_columns.push_back(text_at(row, 6));
    }
    return {};
  }

  Result<void> read_checks() {
    const std::string sql =
        connection_.is_mariadb()
            ? "SELECT CONSTRAINT_SCHEMA AS TABLE_SCHEMA, TABLE_NAME, CHECK_CLAUSE FROM "
              "information_schema.CHECK_CONSTRAINTS"
            : "SELECT t.TABLE_SCHEMA, t.TABLE_NAME, c.CHECK_CLAUSE FROM "
              "information_schema.CHECK_CONSTRAINTS c JOIN information_schema.TABLE_CONSTRAINTS t "
              "USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)";
    const auto rows = ask("SELECT * FROM (" + sql + ") k" + those_of_users("", kKeysMax), kKeysMax);
    if (!rows) {
      // Servers from before there were checks.
      return rows.error().code == ErrorCode::NotFound ? Result<void>() : rows.error();
    }
    for (const TextRow& row : *rows) {
      if (TableInfo* const table = table_of(row)) table->checks.push_back(text_at(row, 2));
    }
    return {};
  }

  Connection& connection_;
  std::string condition_;  // of the databases
  Catalogue catalogue_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace

Result<Catalogue> read_catalogue(Connection& connection,
                                 const std::vector<std::string>& databases) {
  return CatalogueReader(connection, databases).read();
}

}  // namespace helve::sql::mysql
