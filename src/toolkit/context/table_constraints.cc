// L1 of SQL databases: what goes wrong first, then keys, joins, values and types.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/ascii.h"
#include "toolkit/context/table_cards.h"
#include "toolkit/context/table_names.h"

namespace helve::context {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kExpressionWidth = 120;
constexpr std::size_t kTypeWidth = 60;

std::string dialect_line(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::Sqlite:
      return "SQLite: dates are texts or numbers; integers divide to integers; = heeds case, LIKE "
             "does not.";
    case SqlDialect::PostgreSql:
      return "PostgreSQL: unquoted names fold to lower case; = and LIKE heed case, ILIKE does not; "
             "integers divide to integers.";
    case SqlDialect::MySql:
      return "MySQL: = usually ignores case; double quotes are strings; / gives decimals, DIV "
             "integers.";
  }
  return {};
}

// Types that are not what they seem, or that need a function to be looked into.
std::string_view care_of(std::string_view type, SqlDialect dialect) {
  struct Care {
    std::string_view part;
    std::string_view why;
  };
  constexpr std::array<Care, 12> kCares = {{{"json", "look into it with functions"},
                                            {"xml", "look into it with functions"},
                                            {"blob", "bytes"},
                                            {"bytea", "bytes"},
                                            {"binary", "bytes"},
                                            {"[]", "an array"},
                                            {"money", "by the locale"},
                                            {"interval", "a duration"},
                                            {"time zone", "in the zone of the session"},
                                            {"timestamptz", "in the zone of the session"},
                                            {"float", "not exact"},
                                            {"double", "not exact"}}};
  const std::string lower = ascii_lower(type);
  if (lower.find("without time zone") != std::string::npos) return {};
  for (const Care& care : kCares) {
    if (lower.find(care.part) != std::string::npos) return care.why;
  }
  if (lower == "real") return "not exact";
  if (lower.starts_with("tinyint(1)")) return "a truth: 0 or 1";
  const bool is_time = lower.starts_with("date") || lower.starts_with("time");
  if (dialect == SqlDialect::Sqlite && is_time) return "a text or a number";
  return {};
}

// Everything that is said of a database, collected in one walk over its catalogue.
class Constraints {
 public:
  explicit Constraints(const TableFacts& facts)
      : catalogue_(*facts.catalogue), dialect_(facts.dialect) {
    for (const TableInfo& table : catalogue_.tables) {
      keys_of_[{table.schema, table.name}] = &table.primary_key;
    }
    for (const TableInfo& table : catalogue_.tables) {
      walk_columns(table);
      if (table.kind == TableInfo::Kind::View) continue;
      walk_keys(table);
      walk_foreign_keys(table);
      for (const std::string& check : table.checks) {
        checks_.push_back(
            fmt::format("{}: {}", name(table), shown_expression(check, kExpressionWidth)));
      }
    }
  }

  LayerText pack(std::size_t budget) const {
    LayerBuilder builder(budget);
    add(builder, "avoid", "Avoid joins that leave open which way is meant: ", two_ways_);
    add(builder, "avoid",
        "Avoid inner joins on these where all rows are wanted, they may be NULL: ", open_ends_);
    add(builder, "avoid",
        "Avoid joins by a part of a key; these have several columns: ", wide_keys_);
    add(builder, "avoid", "Avoid counting rows without DISTINCT, there is no key: ", without_key_);
    add(builder, "avoid", "Avoid these names without quotes: ", quoted_);
    add(builder, "avoid", "Avoid bare columns that many tables have: ", common_columns());
    builder.add_line("dialect", dialect_line(dialect_));
    // That the rest has room too.
    builder.set_share(builder.room() * 3 / 5);
    add(builder, "joins", "Joins, to the key where no column is named: ", joins_);
    builder.set_share(budget);
    add(builder, "keys", "Keys: ", keys_);
    add(builder, "values", "Values: ", enums_);
    add(builder, "checks", "Checks: ", checks_);
    add(builder, "unique", "Unique: ", unique_);
    add(builder, "types", "Types that need care: ", types_);
    add(builder, "not null", "Never NULL beside keys: ", never_null_);
    return std::move(builder).finish();
  }

 private:
  static void add(LayerBuilder& builder, std::string_view part, std::string_view head,
                  const Words& words) {
    if (!words.empty()) builder.add_list(part, head, words);
  }

  std::string name(const TableInfo& table) const {
    return shown_table(table, catalogue_, dialect_);
  }
  std::string names(const std::vector<std::string>& columns) const {
    Words shown;
    for (const std::string& column : columns) shown.push_back(shown_name(column, dialect_));
    return fmt::format("{}", fmt::join(shown, ", "));
  }

  void walk_columns(const TableInfo& table) {
    note_quotes(table.name);
    Words never_null;
    for (const ColumnInfo& column : table.columns) {
      note_quotes(column.name);
      ++columns_[column.name];
      const std::string place = name(table) + "." + shown_name(column.name, dialect_);
      const std::string type = shown_expression(column.type, kTypeWidth);
      if (ascii_lower(column.type).starts_with("enum")) {
        enums_.push_back(fmt::format("{} {}", place, type));
      }
      if (const auto why = care_of(column.type, dialect_); !why.empty()) {
        types_.push_back(fmt::format("{} {} ({})", place, type, why));
      }
      if (table.kind != TableInfo::Kind::View && !column.is_nullable && !is_key(table, column)) {
        never_null.push_back(shown_name(column.name, dialect_));
      }
    }
    if (!never_null.empty()) {
      never_null_.push_back(fmt::format("{} ({})", name(table), fmt::join(never_null, ", ")));
    }
  }

  void walk_keys(const TableInfo& table) {
    if (table.primary_key.empty()) {
      without_key_.push_back(name(table));
    } else {
      const std::string key = fmt::format("{} ({})", name(table), names(table.primary_key));
      keys_.push_back(key);
      if (table.primary_key.size() > 1) wide_keys_.push_back(key);
    }
    for (const IndexInfo& index : table.indexes) {
      if (!index.is_unique || index.is_primary) continue;
      unique_.push_back(fmt::format("{} ({})", name(table), names(index.columns)));
    }
  }

  void walk_foreign_keys(const TableInfo& table) {
    std::map<std::string, Words> ways;  // to each table
    for (const ForeignKeyInfo& key : table.foreign_keys) {
      TableInfo other;
      other.schema = key.schema.empty() ? table.schema : key.schema;
      other.name = key.table;
      const std::string target = name(other);
      const auto known = keys_of_.find({other.schema, other.name});
      const bool is_key = known != keys_of_.end() && *known->second == key.other_columns;
      joins_.push_back(fmt::format("{} ({}) -> {}", name(table), names(key.columns), target));
      if (!is_key) joins_.back() += fmt::format(" ({})", names(key.other_columns));
      ways[target].push_back(names(key.columns));
      for (const std::string& one : key.columns) {
        const ColumnInfo* column = table.find_column(one);
        if (column == nullptr || !column->is_nullable) continue;
        open_ends_.push_back(name(table) + "." + shown_name(one, dialect_));
      }
    }
    for (const auto& [target, by] : ways) {
      if (by.size() < 2) continue;
      two_ways_.push_back(
          fmt::format("{} to {} by {}", name(table), target, fmt::join(by, " or ")));
    }
  }

  static bool is_key(const TableInfo& table, const ColumnInfo& column) {
    return std::find(table.primary_key.begin(), table.primary_key.end(), column.name) !=
           table.primary_key.end();
  }

  void note_quotes(const std::string& one) {
    if (!needs_quotes(one, dialect_)) return;
    std::string shown = shown_name(one, dialect_);
    if (std::find(quoted_.begin(), quoted_.end(), shown) == quoted_.end() &&
        quoted_.size() < kQuotedMax) {
      quoted_.push_back(std::move(shown));
    }
  }

  Words common_columns() const {
    std::vector<std::pair<std::string, std::uint64_t>> common;
    for (const auto& [column, count] : columns_) {
      if (count >= kTablesOfCommon) common.emplace_back(column, count);
    }
    std::stable_sort(common.begin(), common.end(), [](const auto& left, const auto& right) {
      return left.second > right.second;
    });
    Words words;
    for (const auto& [column, count] : common) {
      words.push_back(fmt::format("{} ({} tables)", shown_name(column, dialect_), count));
    }
    return words;
  }

  static constexpr std::size_t kQuotedMax = 100;  // more do not fit anyway
  static constexpr std::uint64_t kTablesOfCommon = 3;

  const Catalogue& catalogue_;
  SqlDialect dialect_;
  std::map<std::pair<std::string, std::string>, const std::vector<std::string>*> keys_of_;
  std::map<std::string, std::uint64_t> columns_;
  Words two_ways_, open_ends_, wide_keys_, without_key_, quoted_;
  Words joins_, keys_, enums_, checks_, unique_, types_, never_null_;
};

}  // namespace

LayerText pack_table_constraints(const TableFacts& facts, std::size_t budget) {
  return Constraints(facts).pack(budget);
}

}  // namespace helve::context
