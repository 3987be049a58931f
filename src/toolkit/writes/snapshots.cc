#include "toolkit/writes/snapshots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/text.h"
#include "sources/sql_tokens.h"
#include "toolkit/tables/sql_feeds.h"
#include "toolkit/writes/change.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kSnapshotBytesMax = 4 * kMiB;
constexpr std::size_t kKeysAtOnce = 500;  // values in one statement

std::string mark(SqlDialect dialect, std::size_t number) {
  return dialect == SqlDialect::PostgreSql ? fmt::format("${}", number) : "?";
}

// The parameter that a mark stands for; `next` is the number of the next "?".
std::optional<std::size_t> parameter_of(std::string_view text, std::size_t& next) {
  if (text == "?") return next++;
  std::size_t number = 0;
  const std::string_view digits = text.substr(1);
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failed != std::errc() || end != digits.data() + digits.size() || number == 0) {
    return std::nullopt;
  }
  return number - 1;
}

// A part of the statement with marks that count from one, and its parameters. `next` is the number
// of the first "?" in it.
bool add_part(const Change& change, WriteSpan part, std::size_t next, TableQuery& query) {
  const std::string_view sql = change.write.sql;
  const auto tokens = read_sql_tokens(sql, change.dialect);
  if (!tokens) return false;
  std::size_t taken = part.begin;
  for (const SqlToken& token : *tokens) {
    if (token.kind != SqlTokenKind::Parameter || token.begin < part.begin ||
        token.begin >= part.end) {
      continue;
    }
    const auto number = parameter_of(token.text, next);
    if (!number || *number >= change.write.parameters.size()) return false;
    query.parameters.push_back(change.write.parameters[*number]);
    query.sql += sql.substr(taken, token.begin - taken);
    query.sql += mark(change.dialect, query.parameters.size());
    taken = token.begin + token.text.size();
  }
  query.sql += sql.substr(taken, part.end - taken);
  return true;
}

// " WHERE ...".
bool add_condition(const Change& change, TableQuery& query) {
  if (change.shape.where.is_empty()) return true;
  query.sql += "\nWHERE ";
  return add_part(change, change.shape.where, change.shape.parameters_before, query);
}

bool names(const std::vector<std::string>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& one) { return is_same_in_any_case(one, name); });
}

Snapshot none(std::string why) {
  Snapshot snapshot;
  snapshot.is_whole = false;
  snapshot.why = std::move(why);
  return snapshot;
}

std::string why_no_before(const Change& change, const Policy& policy) {
  if (policy.snapshot_rows == 0) return "the policy keeps none (snapshot_rows is 0)";
  if (change.outline.kind == WriteKind::Insert) return "rows of an INSERT were not there before";
  if (!change.shape.is_plain) {
    return fmt::format("which rows a {} of this form takes cannot be told before",
                       change.outline.verb);
  }
  if (change.table == nullptr) return "the catalogue does not have the table";
  return {};
}

std::string why_no_after(const Change& change, const Snapshot& before) {
  if (change.outline.kind == WriteKind::Delete) return "the rows are gone";
  if (before.rows == nullptr) return "there are no rows from before to find again";
  const auto& key = change.table->primary_key;
  if (key.empty()) return "the table has no primary key to find the rows by";
  for (const std::string& column : key) {
    if (names(change.shape.columns, column)) return "the statement sets the primary key";
    if (!names(before.rows->columns(), column)) return "the primary key may not be read";
  }
  return {};
}

class OneNumber final : public RowSink {
 public:
  Result<void> columns(const std::vector<std::string>& /*names*/) override { return {}; }
  Result<void> row(Row cells) override {
    if (cells.empty() || !cells[0]) return {};
    const std::string_view text = cells[0]->value;
    std::uint64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) {
      number_ = number;
    }
    return {};
  }
  Result<std::uint64_t> number(const TableRun& run) const {
    if (run.error) return *run.error;
    if (!number_) return Error{ErrorCode::Unavailable, "the database did not count the rows"};
    return *number_;
  }

 private:
  std::optional<std::uint64_t> number_;
};

// The rows whose keys are rows [first, end) of `before`.
TableQuery read_keys(const Change& change, const Snapshot& before, std::uint64_t first,
                     std::uint64_t end) {
  const auto& key = change.table->primary_key;
  const auto& columns = before.rows->columns();
  TableQuery query;
  std::vector<std::size_t> places;
  std::string quoted;
  for (const std::string& name : key) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const std::string& one) {
      return is_same_in_any_case(one, name);
    });
    places.push_back(static_cast<std::size_t>(found - columns.begin()));
    quoted += (quoted.empty() ? "" : ", ") + quote_name(name, change.dialect);
  }
  // SQLite takes lists of rows as VALUES alone.
  const bool is_single = key.size() == 1;
  const bool is_values = !is_single && change.dialect == SqlDialect::Sqlite;
  query.sql = fmt::format("SELECT {} FROM {}\nWHERE {} IN ({}", shown_columns(change),
                          quote_table(*change.table, *change.catalogue, change.dialect),
                          is_single ? quoted : "(" + quoted + ")", is_values ? "VALUES " : "");
  for (std::uint64_t row = first; row < end; ++row) {
    if (row > first) query.sql += ", ";
    if (!is_single) query.sql += '(';
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto cell = before.rows->cell(row, places[i]);
      query.parameters.push_back(cell ? SqlValue(as_parameter(*cell)) : std::nullopt);
      query.sql += (i == 0 ? "" : ", ") + mark(change.dialect, query.parameters.size());
    }
    if (!is_single) query.sql += ')';
  }
  query.sql += ")";
  return query;
}

}  // namespace

KeptRows::KeptRows(const Policy& policy, const OpContext& op)
    : rows_max_(policy.snapshot_rows),
      rows_({policy.snapshot_rows, std::min(policy.bytes_stored_max, kSnapshotBytesMax)}, op) {}

Result<void> KeptRows::columns(const std::vector<std::string>& names) {
  if (has_columns_) return {};
  has_columns_ = true;
  return rows_.columns(names);
}

Result<void> KeptRows::row(Row cells) {
  ++seen_;
  if (!is_whole_ || rows_.rows() >= rows_max_) {
    is_whole_ = false;
    return {};
  }
  if (auto taken = rows_.row(cells); !taken) {
    if (!rows_.is_full()) return taken;
    is_whole_ = false;
  }
  return {};
}

Snapshot KeptRows::finish() {
  Snapshot snapshot;
  if (!has_columns_) return none("the database gave no rows");
  snapshot.is_whole = is_whole_;
  snapshot.seen = seen_;
  const std::uint64_t kept = rows_.rows();
  snapshot.rows = rows_.finish();
  if (!is_whole_) {
    snapshot.why =
        fmt::format("the first {} rows: at most {} rows or {} are kept", format_count(kept),
                    format_count(rows_max_), format_bytes(kSnapshotBytesMax));
  }
  return snapshot;
}

std::string shown_columns(const Change& change) {
  std::string list;
  if (change.table == nullptr) return list;
  for (const ColumnInfo& column : change.table->columns) {
    list += (list.empty() ? "" : ", ") + quote_name(column.name, change.dialect);
  }
  return list;
}

std::optional<TableQuery> read_taken(const Change& change, std::string_view what) {
  if (!change.shape.is_plain) return std::nullopt;
  TableQuery query;
  query.sql = fmt::format("SELECT {} FROM {}", what, change.shape.target.of(change.write.sql));
  if (!add_condition(change, query)) return std::nullopt;
  return query;
}

std::optional<TableQuery> count_taken(const Change& change, std::uint64_t most) {
  auto query = read_taken(change, "1 AS one");
  if (!query) return query;
  query->sql = fmt::format("SELECT COUNT(*) FROM ({}\nLIMIT {}) AS taken", query->sql, most + 1);
  query->rows_max = 1;
  return query;
}

std::optional<TableQuery> count_made(const Change& change, std::uint64_t most) {
  if (change.shape.query.is_empty()) return std::nullopt;
  TableQuery query;
  query.sql = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM (\n";
  if (!add_part(change, change.shape.query, change.shape.parameters_before_query, query)) {
    return std::nullopt;
  }
  query.sql += fmt::format("\n) AS made\nLIMIT {}) AS taken", most + 1);
  query.rows_max = 1;
  return query;
}

TableQuery count_table(const WriteOutline::Table& table, SqlDialect dialect, std::uint64_t most) {
  TableQuery query;
  const std::string schema = table.schema.empty() ? "" : quote_name(table.schema, dialect) + ".";
  query.sql = fmt::format("SELECT COUNT(*) FROM (SELECT 1 AS one FROM {}{} LIMIT {}) AS taken",
                          schema, quote_name(table.name, dialect), most + 1);
  query.rows_max = 1;
  return query;
}

Result<Snapshot> take_before(const Change& change, WriteTransaction& transaction,
                             const Policy& policy, const OpContext& op) {
  std::string why = why_no_before(change, policy);
  if (!why.empty()) return none(std::move(why));
  const std::string columns = shown_columns(change);
  auto query = columns.empty() ? std::nullopt : read_taken(change, columns);
  if (!query) return none("its rows cannot be read by the condition of the statement");
  query->sql += fmt::format("\nLIMIT {}", policy.snapshot_rows + 1);
  query->rows_max = policy.snapshot_rows + 1;
  KeptRows kept(policy, op);
  const TableRun run = transaction.read(*query, kept, op);
  if (run.error) return *run.error;
  return kept.finish();
}

Result<Snapshot> take_after(const Change& change, const Snapshot& before,
                            WriteTransaction& transaction, const Policy& policy,
                            const OpContext& op) {
  std::string why = why_no_after(change, before);
  if (!why.empty()) return none(std::move(why));
  KeptRows kept(policy, op);
  const std::uint64_t rows = before.rows->rows();
  const std::uint64_t step = std::max<std::uint64_t>(
      1, kKeysAtOnce / std::max<std::size_t>(1, change.table->primary_key.size()));
  for (std::uint64_t first = 0; first < rows; first += step) {
    const TableRun run =
        transaction.read(read_keys(change, before, first, std::min(rows, first + step)), kept, op);
    if (run.error) return *run.error;
  }
  if (rows == 0) return none("no rows were changed");
  Snapshot after = kept.finish();
  if (!before.is_whole && after.why.empty()) {
    after.is_whole = false;
    after.why = "of the rows that were kept from before alone";
  }
  return after;
}

std::string keys_of(const Change& change, const Snapshot& before, std::uint64_t besides) {
  if (before.rows == nullptr || !before.is_whole || change.table == nullptr) return {};
  const auto& columns = before.rows->columns();
  const auto& key = change.table->primary_key;
  const bool has_key = !key.empty() && std::all_of(key.begin(), key.end(), [&](const auto& one) {
    return names(columns, one);
  });
  std::vector<std::string> rows;
  for (std::uint64_t row = 0; row < before.rows->rows(); ++row) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (has_key && !names(key, columns[i])) continue;
      const auto cell = before.rows->cell(row, i);
      text += cell ? fmt::format("{}:{} ", cell->value.size(), cell->value) : "- ";
    }
    rows.push_back(digest_hex(DigestKind::Sha256, text));
  }
  std::sort(rows.begin(), rows.end());  // they come in any order
  return digest_hex(DigestKind::Sha256, fmt::format("{} {}", besides, fmt::join(rows, " ")));
}

std::string with_returning(const Change& change) {
  const bool adds =
      change.outline.kind == WriteKind::Insert || change.outline.kind == WriteKind::Replace;
  // MariaDB counts rows that are overwritten otherwise when it gives rows back: what was confirmed
  // would not be what is made.
  const bool counts_otherwise = change.dialect == SqlDialect::MySql &&
                                (change.outline.kind == WriteKind::Replace || !change.shape.rows);
  if (counts_otherwise) return {};
  const std::string columns = shown_columns(change);
  if (!adds || change.shape.has_returning || columns.empty()) return {};
  const auto tokens = read_sql_tokens(change.write.sql, change.dialect);
  if (!tokens || tokens->empty()) return {};
  const bool is_ended = tokens->back().text == ";";
  std::string sql =
      change.write.sql.substr(0, is_ended ? tokens->back().begin : change.write.sql.size());
  return sql + "\nRETURNING " + columns;
}

Result<std::uint64_t> read_count(const TableQuery& query, WriteTransaction& transaction,
                                 const OpContext& op) {
  OneNumber number;
  return number.number(transaction.read(query, number, op));
}

Result<std::uint64_t> read_count(const TableQuery& query, const TableSource& tables,
                                 const OpContext& op) {
  OneNumber number;
  return number.number(tables.run(query, number, op));
}

}  // namespace helve::toolkit
