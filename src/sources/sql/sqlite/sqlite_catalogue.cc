#include "sources/sql/sqlite/sqlite_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "sources/sql/sqlite/sqlite_definition.h"

namespace helve::sql {

namespace {

constexpr std::uint64_t kTablesMax = 10'000;
constexpr std::uint64_t kCatalogueColumnsMax = 200'000;
constexpr std::uint64_t kIndexColumnsMax = 200'000;
constexpr std::size_t kSingleMax = 1'000;

// The tables that are told of; shadow tables and those of SQLite are not.
constexpr std::string_view kListTables =
    "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' "
    "AND substr(name, 1, 7) <> 'sqlite_'";

// Texts of one row; nullptr: NULL.
class TextRow {
 public:
  explicit TextRow(Row cells) : cells_(cells) {}
  bool has(std::size_t i) const { return i < cells_.size() && cells_[i].has_value(); }
  std::string text(std::size_t i) const { return has(i) ? std::string(cells_[i]->value) : ""; }
  std::int64_t number(std::size_t i) const {
    std::int64_t value = 0;
    if (has(i)) {
      const std::string_view digits = cells_[i]->value;
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
    }
    return value;
  }

 private:
  Row cells_;
};

class RowsTo final : public RowSink {
 public:
  explicit RowsTo(std::function<void(const TextRow&)> take) : take_(std::move(take)) {}
  Result<void> columns(const std::vector<std::string>&) override { return {}; }
  Result<void> row(Row cells) override {
    take_(TextRow(cells));
    return {};
  }

 private:
  std::function<void(const TextRow&)> take_;
};

class CatalogueReader {
 public:
  explicit CatalogueReader(const AskSqlite& ask) : ask_(ask) {}

  Result<std::shared_ptr<const Catalogue>> read() {
    HELVE_TRY(read_tables());
    HELVE_TRY(read_definitions());
    HELVE_TRY(read_columns());
    HELVE_TRY(read_indexes());
    HELVE_TRY(read_foreign_keys());
    read_estimates();
    finish();
    return std::make_shared<const Catalogue>(std::move(catalogue_));
  }

 private:
  Result<void> ask(const std::string& sql, std::uint64_t rows_max,
                   std::function<void(const TextRow&)> take) {
    RowsTo rows(std::move(take));
    HELVE_ASSIGN(const bool has_more, ask_(sql, rows_max, rows));
    if (has_more) catalogue_.is_complete = false;
    return {};
  }

  TableInfo* find(const std::string& name) {
    const auto found = places_.find(ascii_lower(name));
    return found != places_.end() ? &catalogue_.tables[found->second] : nullptr;
  }

  Result<void> read_tables() {
    HELVE_TRY(
        ask(fmt::format("{} ORDER BY name", kListTables), kTablesMax, [this](const TextRow& row) {
          TableInfo table;
          table.name = row.text(0);
          const std::string type = row.text(1);
          if (type == "view") table.kind = TableInfo::Kind::View;
          if (type == "virtual") table.kind = TableInfo::Kind::Virtual;
          places_.emplace(ascii_lower(table.name), catalogue_.tables.size());
          catalogue_.tables.push_back(std::move(table));
        }));
    return {};
  }

  Result<void> read_definitions() {
    constexpr const char* kSql =
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL "
        "AND type IN ('table', 'index')";
    return ask(kSql, kCatalogueColumnsMax, [this](const TextRow& row) {
      if (row.text(0) == "index") {
        index_definitions_.emplace(row.text(1), row.text(3));
      } else if (TableInfo* table = find(row.text(1));
                 table != nullptr && table->kind == TableInfo::Kind::Table) {
        table->checks = checks_of(row.text(3));
      }
    });
  }

  void add_column(const TextRow& row) {
    TableInfo* table = find(row.text(0));
    constexpr std::int64_t kHidden = 1;  // of virtual tables; 2 and 3 are generated
    if (table == nullptr || row.number(6) == kHidden) return;
    ColumnInfo column;
    column.name = row.text(1);
    column.type = row.text(2);
    column.is_nullable = row.number(3) == 0;
    if (row.has(4)) column.otherwise = row.text(4);
    column.is_generated = row.number(6) > kHidden;
    if (const std::int64_t place = row.number(5); place > 0) {
      keys_[table].emplace_back(place, column.name);
    }
    table->columns.push_back(std::move(column));
  }

  // A view that cannot be read any more fails the statement for all: then each is asked for itself.
  Result<void> read_columns() {
    const auto sql = [](std::string_view tables) {
      return fmt::format(
          "SELECT l.name, x.name, x.type, x.\"notnull\", x.dflt_value, x.pk, x.hidden "
          "FROM ({}) l JOIN pragma_table_xinfo(l.name) x",
          tables);
    };
    const auto add = [this](const TextRow& row) { add_column(row); };
    if (ask(sql(kListTables), kCatalogueColumnsMax, add)) return {};
    for (TableInfo& table : catalogue_.tables) table.columns.clear();
    keys_.clear();
    if (catalogue_.tables.size() > kSingleMax) catalogue_.is_complete = false;
    const std::size_t count = std::min(catalogue_.tables.size(), kSingleMax);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = quoted_text(catalogue_.tables[i].name);
      auto outcome = ask(sql(fmt::format("SELECT {} AS name", name)), kCatalogueColumnsMax, add);
      if (outcome) continue;
      if (outcome.error().code == ErrorCode::Unavailable ||
          outcome.error().code == ErrorCode::Cancelled ||
          outcome.error().code == ErrorCode::LimitExceeded) {
        return outcome;
      }
      catalogue_.tables[i].comment = "it cannot be read: " + outcome.error().full_message();
    }
    return {};
  }

  Result<void> read_indexes() {
    const std::string sql = fmt::format(
        "SELECT l.name, i.name, i.\"unique\", i.origin, x.seqno, x.name "
        "FROM ({} AND type <> 'view') l JOIN pragma_index_list(l.name) i "
        "JOIN pragma_index_xinfo(i.name) x WHERE x.key = 1 ORDER BY l.name, i.seq, x.seqno",
        kListTables);
    return ask(sql, kIndexColumnsMax, [this](const TextRow& row) {
      TableInfo* table = find(row.text(0));
      if (table == nullptr) return;
      const std::string name = row.text(1);
      if (table->indexes.empty() || table->indexes.back().name != name) {
        IndexInfo index;
        index.name = name;
        index.is_unique = row.number(2) != 0;
        index.is_primary = row.text(3) == "pk";
        table->indexes.push_back(std::move(index));
      }
      std::string part = row.text(5);
      if (!row.has(5)) part = expression_of(name, static_cast<std::size_t>(row.number(4)));
      table->indexes.back().columns.push_back(std::move(part));
    });
  }

  std::string expression_of(const std::string& index, std::size_t place) const {
    const auto definition = index_definitions_.find(index);
    if (definition == index_definitions_.end()) return "(expression)";
    const std::vector<std::string> parts = parts_of(definition->second);
    if (place >= parts.size()) return "(expression)";
    return fmt::format("({})", parts[place]);
  }

  Result<void> read_foreign_keys() {
    const std::string sql = fmt::format(
        "SELECT l.name, f.id, f.\"table\", f.\"from\", f.\"to\" "
        "FROM ({} AND type = 'table') l JOIN pragma_foreign_key_list(l.name) f "
        "ORDER BY l.name, f.id, f.seq",
        kListTables);
    std::pair<const TableInfo*, std::int64_t> last{nullptr, 0};
    return ask(sql, kCatalogueColumnsMax, [this, &last](const TextRow& row) {
      TableInfo* table = find(row.text(0));
      if (table == nullptr) return;
      if (last != std::pair<const TableInfo*, std::int64_t>(table, row.number(1))) {
        last = {table, row.number(1)};
        table->foreign_keys.emplace_back().table = row.text(2);
      }
      table->foreign_keys.back().columns.push_back(row.text(3));
      if (row.has(4)) table->foreign_keys.back().other_columns.push_back(row.text(4));
    });
  }

  // The first number is that of all rows, when ANALYZE was run. Most files have no such table.
  void read_estimates() {
    (void)ask("SELECT tbl, stat FROM sqlite_stat1", kIndexColumnsMax, [this](const TextRow& row) {
      TableInfo* table = find(row.text(0));
      const std::int64_t rows = row.number(1);
      if (table == nullptr || rows < 0 || !row.has(1)) return;
      table->rows = std::max(table->rows.value_or(0), static_cast<std::uint64_t>(rows));
    });
  }

  void finish() {
    for (TableInfo& table : catalogue_.tables) {
      auto& key = keys_[&table];
      std::sort(key.begin(), key.end());
      for (auto& [place, name] : key) table.primary_key.push_back(name);
      if (!table.primary_key.empty()) add_key_of_rows(table);
    }
    for (TableInfo& table : catalogue_.tables) {
      for (ForeignKeyInfo& foreign : table.foreign_keys) {
        if (!foreign.other_columns.empty()) continue;
        if (const TableInfo* other = find(foreign.table))
          foreign.other_columns = other->primary_key;
      }
    }
  }

  // A key that is the number of the row has no index of its own.
  static void add_key_of_rows(TableInfo& table) {
    const bool has_index = std::any_of(table.indexes.begin(), table.indexes.end(),
                                       [](const IndexInfo& one) { return one.is_primary; });
    if (has_index) return;
    for (ColumnInfo& column : table.columns) {
      if (column.name == table.primary_key.front()) column.is_nullable = false;
    }
    table.indexes.insert(table.indexes.begin(), IndexInfo{"rowid", table.primary_key, true, true});
  }

  static std::string quoted_text(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
    return quoted + "'";
  }

  const AskSqlite& ask_;
  Catalogue catalogue_;
  std::map<std::string, std::size_t> places_;  // by name in lower case
  std::map<const TableInfo*, std::vector<std::pair<std::int64_t, std::string>>> keys_;
  std::map<std::string, std::string> index_definitions_;
};

}  // namespace

Result<std::shared_ptr<const Catalogue>> read_sqlite_catalogue(const AskSqlite& ask) {
  return CatalogueReader(ask).read();
}

}  // namespace helve::sql
