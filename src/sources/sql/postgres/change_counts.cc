#include "sources/sql/postgres/change_counts.h"

#include <algorithm>

#include "sources/sql/postgres/pg_rows.h"

namespace helve::sql {

namespace {

// Temporary tables go with the session.
constexpr std::string_view kCounts = R"(
SELECT s.relid, n.nspname, c.relname, n.nspname = ANY (pg_catalog.current_schemas(false)),
       m.nspname, r.relname, m.nspname = ANY (pg_catalog.current_schemas(false)),
       s.n_tup_ins + s.n_tup_upd + s.n_tup_del
  FROM pg_catalog.pg_stat_xact_user_tables s
  JOIN pg_catalog.pg_class c ON c.oid = s.relid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_class r ON r.oid = coalesce(pg_catalog.pg_partition_root(c.oid), c.oid)
  JOIN pg_catalog.pg_namespace m ON m.oid = r.relnamespace
 WHERE s.n_tup_ins + s.n_tup_upd + s.n_tup_del > 0 AND c.relpersistence <> 't')";

// A table that was dropped meanwhile is locked, and in no catalogue.
constexpr std::string_view kState = R"(
SELECT pg_catalog.current_setting('track_counts') = 'on',
       EXISTS (SELECT 1 FROM pg_catalog.pg_locks l
                LEFT JOIN pg_catalog.pg_class c ON c.oid = l.relation
               WHERE l.pid = pg_catalog.pg_backend_pid() AND l.locktype = 'relation'
                 AND l.mode = 'AccessExclusiveLock' AND l.relation >= 16384
                 AND coalesce(c.relpersistence <> 't', true)))";

constexpr int kCountColumns = 8;

}  // namespace

std::vector<std::string> count_statements() { return {std::string(kCounts), std::string(kState)}; }

Result<ChangeCounts> read_counts(const std::vector<ResultPtr>& results) {
  if (results.size() != 2 || pq().nfields(results[0].get()) != kCountColumns ||
      pq().nfields(results[1].get()) != 2 || pq().ntuples(results[1].get()) != 1) {
    return Error{ErrorCode::Unavailable, "the server left an answer out"};
  }
  ChangeCounts counts;
  const PgRows state(results[1].get());
  counts.are_kept = state.truth(0, 0);
  counts.has_locked_table = state.truth(0, 1);
  const PgRows rows(results[0].get());
  for (int row = 0; row < rows.rows(); ++row) {
    counts.tables.push_back({rows.number<std::uint32_t>(row, 0), rows.text(row, 1),
                             rows.text(row, 2), rows.truth(row, 3), rows.text(row, 4),
                             rows.text(row, 5), rows.truth(row, 6),
                             rows.number<std::uint64_t>(row, 7)});
  }
  return counts;
}

std::vector<ChangedTable> changed_between(const ChangeCounts& before, const ChangeCounts& after) {
  std::vector<ChangedTable> changed;
  for (const ChangedTable& table : after.tables) {
    const auto known =
        std::find_if(before.tables.begin(), before.tables.end(),
                     [&](const ChangedTable& other) { return other.oid == table.oid; });
    const std::uint64_t rows = known == before.tables.end() ? 0 : known->rows;
    if (table.rows == rows) continue;
    changed.push_back(table);
    // A count that is smaller than before began anew.
    if (table.rows > rows) changed.back().rows -= rows;
  }
  return changed;
}

std::uint64_t rows_of(const std::vector<ChangedTable>& tables) {
  std::uint64_t rows = 0;
  for (const ChangedTable& table : tables) rows += table.rows;
  return rows;
}

}  // namespace helve::sql
