#include "sources/sql/mysql/follow_ups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "sources/sql_tokens.h"

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kWaysMax = 100;
constexpr std::size_t kCascadeDepthMax = 15;  // of InnoDB's own

std::string cell_text(const TextRow& row, std::size_t column) {
  return column < row.size() ? row[column].value_or("") : std::string();
}

std::string in_marks(std::string_view name) { return quote_name(name, SqlDialect::MySql); }

std::string in_marks(std::string_view schema, std::string_view table) {
  return in_marks(schema) + "." + in_marks(table);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + in_marks(name);
  return text;
}

bool is_following(std::string_view rule) {
  return rule == "CASCADE" || rule == "SET NULL" || rule == "SET DEFAULT";
}

bool has_common(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  return std::any_of(left.begin(), left.end(), [&](const std::string& one) {
    return std::any_of(right.begin(), right.end(),
                       [&](const std::string& other) { return is_same_in_any_case(one, other); });
  });
}

Result<std::vector<ReferringKey>> keys_of(Connection& connection, std::string_view schema,
                                          std::string_view table) {
  HELVE_ASSIGN(
      const auto rows,
      connection.ask(fmt::format(
          "SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, "
          "k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE "
          "FROM information_schema.REFERENTIAL_CONSTRAINTS r "
          "JOIN information_schema.KEY_COLUMN_USAGE k ON k.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA "
          "AND k.CONSTRAINT_NAME = r.CONSTRAINT_NAME AND k.TABLE_NAME = r.TABLE_NAME "
          "WHERE r.UNIQUE_CONSTRAINT_SCHEMA = {} AND r.REFERENCED_TABLE_NAME = {} "
          "AND (r.DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT') "
          "OR r.UPDATE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT')) "
          "ORDER BY 1, 2, 3, k.ORDINAL_POSITION LIMIT 1000",
          text_literal(schema), text_literal(table))));
  std::vector<ReferringKey> keys;
  std::string last;
  for (const TextRow& row : rows) {
    const std::string name =
        cell_text(row, 0) + "\n" + cell_text(row, 1) + "\n" + cell_text(row, 2);
    if (keys.empty() || name != last) {
      keys.push_back(
          {cell_text(row, 0), cell_text(row, 1), {}, {}, cell_text(row, 5), cell_text(row, 6)});
    }
    keys.back().columns.push_back(cell_text(row, 3));
    keys.back().referenced.push_back(cell_text(row, 4));
    last = name;
  }
  return keys;
}

// The tables that the server opens for foreign keys: it follows each by the same event.
Result<std::size_t> count_seen_tables(Connection& connection, const GuardedWrite& write,
                                      const WriteTarget& target) {
  std::vector<std::pair<std::string, std::string>> tables;  // opened beside the target
  for (std::size_t i = 0; i <= tables.size() && i < kWaysMax; ++i) {
    const auto table = i == 0 ? std::pair(target.schema, target.name) : tables[i - 1];
    HELVE_ASSIGN(const auto keys, keys_of(connection, table.first, table.second));
    for (const ReferringKey& key : keys) {
      const bool follows = (write.deletes && is_following(key.on_delete)) ||
                           (write.updates && is_following(key.on_update));
      const std::pair<std::string, std::string> next{key.schema, key.table};
      if (follows && std::find(tables.begin(), tables.end(), next) == tables.end()) {
        tables.push_back(next);
      }
    }
  }
  return tables.size() + 1;
}

std::optional<std::uint64_t> sum_of(Connection& connection, std::string_view names,
                                    std::size_t count) {
  const auto rows =
      connection.ask(fmt::format("SHOW SESSION STATUS WHERE Variable_name IN ({})", names));
  if (!rows || rows->size() != count) return std::nullopt;
  std::uint64_t sum = 0;
  for (const TextRow& row : *rows) {
    const std::string digits = cell_text(row, 1);
    std::uint64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    sum += number;
  }
  return sum;
}

std::optional<std::uint64_t> count_opened(Connection& connection) {
  return sum_of(connection, "'Table_open_cache_hits', 'Table_open_cache_misses'", 2);
}

// A statement of the same kind that would change nothing, to be explained.
std::vector<std::string> probes_of(const GuardedWrite& write, const WriteTarget& target) {
  const std::string table = in_marks(target.schema, target.name);
  const bool adds = write.shape.kind == WriteKind::Insert || write.shape.kind == WriteKind::Replace;
  std::vector<std::string> probes;
  if (write.shape.kind == WriteKind::Delete) {
    probes.push_back(fmt::format("EXPLAIN DELETE FROM {} WHERE 1 = 0", table));
  } else if (write.updates) {
    // Names before the column's are among these: they are no columns, and the next is tried.
    for (const std::string& column : write.shape.columns) {
      probes.push_back(
          adds
              ? fmt::format("EXPLAIN INSERT INTO {} () VALUES () ON DUPLICATE KEY UPDATE {} = NULL",
                            table, in_marks(column))
              : fmt::format("EXPLAIN UPDATE {} SET {} = NULL WHERE 1 = 0", table,
                            in_marks(column)));
      if (probes.size() == 5) break;
    }
  } else if (adds) {
    probes.push_back(fmt::format("EXPLAIN {} INTO {} () VALUES ()",
                                 write.deletes ? "REPLACE" : "INSERT", table));
  }
  return probes;
}

}  // namespace

std::optional<std::size_t> count_unseen_tables(Connection& connection, const GuardedWrite& write,
                                               const WriteTarget& target) {
  const auto seen = count_seen_tables(connection, write, target);
  if (!seen) return std::nullopt;
  for (const std::string& probe : probes_of(write, target)) {
    const auto before = count_opened(connection);
    if (!connection.ask(probe)) continue;
    const auto after = count_opened(connection);
    if (!before || !after) return std::nullopt;
    const std::uint64_t opened = *after - *before;
    if (opened == 0) return std::nullopt;
    return opened > *seen ? opened - *seen : 0;
  }
  return std::nullopt;
}

Result<bool> may_be_followed(Connection& connection, const GuardedWrite& write,
                             const WriteTarget& target) {
  if (write.deletes) return true;
  if (!write.updates) return false;
  HELVE_ASSIGN(const auto rows,
               connection.ask(fmt::format(
                   "SELECT DISTINCT COLUMN_NAME FROM information_schema.STATISTICS WHERE "
                   "TABLE_SCHEMA = {} AND TABLE_NAME = {} LIMIT 1000",
                   text_literal(target.schema), text_literal(target.name))));
  std::vector<std::string> columns;
  columns.reserve(rows.size());
  for (const TextRow& row : rows) columns.push_back(cell_text(row, 0));
  return has_common(columns, write.shape.columns);
}

std::optional<std::uint64_t> count_handled_rows(Connection& connection) {
  return sum_of(connection, "'Handler_write', 'Handler_update', 'Handler_delete'", 3);
}

FollowingRows::Count FollowingRows::count_of(std::size_t way) const {
  const Way& one = ways_[way];
  const std::uint64_t most = is_exact() ? std::min<std::uint64_t>(most_, INT64_MAX) : 0;
  return {
      fmt::format("SELECT COUNT(*) FROM (SELECT 1 AS one FROM {}{} LIMIT {} LOCK IN SHARE MODE) "
                  "AS taken",
                  one.from, one.where.empty() ? "" : "\nWHERE " + one.where, most + 1),
      one.table, way};
}

Result<std::vector<FollowingRows::Count>> FollowingRows::follow(const Way& way) {
  std::vector<Count> counts;
  HELVE_ASSIGN(const auto keys, keys_of(connection_, way.schema, way.table));
  for (const ReferringKey& key : keys) {
    const std::string& rule = way.is_deleted ? key.on_delete : key.on_update;
    const bool follows =
        is_following(rule) && (way.is_deleted || has_common(key.referenced, way.set));
    if (!follows) continue;
    if (ways_.size() >= kWaysMax || way.depth >= kCascadeDepthMax) {
      return Error{ErrorCode::Denied, "rows follow by more foreign keys than can be looked through",
                   "change tables that fewer foreign keys refer to"};
    }
    Way next;
    next.schema = key.schema;
    next.table = key.table;
    next.from = in_marks(key.schema, key.table);
    next.where = fmt::format("({}) IN (SELECT {} FROM {}{} LOCK IN SHARE MODE)",
                             listed(key.columns), listed(key.referenced), way.from,
                             way.where.empty() ? "" : "\nWHERE " + way.where);
    next.is_deleted = way.is_deleted && rule == "CASCADE";
    if (!next.is_deleted) next.set = key.columns;
    next.depth = way.depth + 1;
    ways_.push_back(std::move(next));
    counts.push_back(count_of(ways_.size() - 1));
  }
  return counts;
}

Result<std::vector<FollowingRows::Count>> FollowingRows::first() {
  Way own;
  own.schema = target_.schema;
  own.table = target_.name;
  if (is_exact()) {
    own.from = std::string(write_.shape.target.of(sql_));
    own.where = std::string(write_.shape.where.of(sql_));
  } else {
    own.from = in_marks(target_.schema, target_.name);
  }
  own.is_deleted = write_.deletes;
  own.set = write_.shape.columns;
  ways_.assign(1, own);
  HELVE_ASSIGN(std::vector<Count> counts, follow(own));
  if (!counts.empty() && is_exact()) counts.insert(counts.begin(), count_of(0));
  return counts;
}

Result<std::vector<FollowingRows::Count>> FollowingRows::next(std::size_t way) {
  const Way one = ways_[way];
  return follow(one);
}

}  // namespace helve::sql::mysql
