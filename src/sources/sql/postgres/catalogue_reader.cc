#include "sources/sql/postgres/catalogue_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sources/sql/postgres/pg_rows.h"

namespace helve::sql {

namespace {

constexpr int kCatalogueTablesMax = 5'000;
constexpr int kColumnsMax = 100'000;
constexpr int kKeysMax = 50'000;

// The number of rows is that of the last ANALYZE, or else what the statistics counted since.
constexpr std::string_view kCatalogueTables = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind,
       CASE WHEN c.relkind IN ('v', 'f') THEN NULL
            WHEN c.reltuples > 0 THEN c.reltuples::bigint
            WHEN c.reltuples = 0 AND pg_catalog.current_setting('server_version_num')::int >= 140000
            THEN 0
            ELSE nullif(pg_catalog.pg_stat_get_live_tuples(c.oid), 0) END,
       pg_catalog.obj_description(c.oid, 'pg_class')
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
   AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp_)'
   AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
   AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
        OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
 ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C" LIMIT {})";

constexpr std::string_view kCatalogueColumns = R"(
SELECT a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
       {} <> '',
       CASE WHEN a.attidentity <> '' THEN 'identity'
            ELSE pg_catalog.pg_get_expr(d.adbin, d.adrelid) END,
       pg_catalog.col_description(a.attrelid, a.attnum)
  FROM pg_catalog.pg_attribute a
  LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
 WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
   AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
 ORDER BY a.attrelid, a.attnum LIMIT {})";

constexpr std::string_view kIndexes = R"(
SELECT i.indrelid, c.relname, i.indisunique, i.indisprimary,
       pg_catalog.array_to_json(ARRAY(
         SELECT CASE WHEN k.number = 0
                     THEN '(' || pg_catalog.pg_get_indexdef(i.indexrelid, k.place::int, true) || ')'
                     ELSE (SELECT a.attname::text FROM pg_catalog.pg_attribute a
                            WHERE a.attrelid = i.indrelid AND a.attnum = k.number) END
           FROM pg_catalog.unnest(i.indkey::int2[]) WITH ORDINALITY k(number, place)
          WHERE k.place <= {} ORDER BY k.place))
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
 WHERE i.indrelid = ANY ($1::oid[]) AND i.indisvalid
 ORDER BY i.indrelid, NOT i.indisprimary, c.relname COLLATE "C" LIMIT {})";

constexpr std::string_view kConstraints = R"(
SELECT c.conrelid, c.contype, c.conname,
       pg_catalog.array_to_json(ARRAY(
         SELECT a.attname::text FROM pg_catalog.unnest(c.conkey) WITH ORDINALITY k(number, place)
           JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number
          ORDER BY k.place)),
       n.nspname, r.relname,
       pg_catalog.array_to_json(ARRAY(
         SELECT a.attname::text FROM pg_catalog.unnest(c.confkey) WITH ORDINALITY k(number, place)
           JOIN pg_catalog.pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number
          ORDER BY k.place)),
       CASE WHEN c.contype = 'c' THEN pg_catalog.pg_get_expr(c.conbin, c.conrelid) END
  FROM pg_catalog.pg_constraint c
  LEFT JOIN pg_catalog.pg_class r ON r.oid = c.confrelid
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
 WHERE c.conrelid = ANY ($1::oid[]) AND c.contype IN ('f', 'c')
 ORDER BY c.conrelid, c.conname COLLATE "C" LIMIT {})";

class CatalogueBuilder {
 public:
  void add_tables(const PgRows& rows) {
    const int count = std::min(rows.rows(), kCatalogueTablesMax);
    catalogue_.is_complete = rows.rows() <= kCatalogueTablesMax;
    for (int row = 0; row < count; ++row) {
      TableInfo table;
      table.schema = rows.text(row, 1);
      table.name = rows.text(row, 2);
      const std::string_view kind = rows.view(row, 3);
      table.kind = kind == "v" || kind == "m" ? TableInfo::Kind::View : TableInfo::Kind::Table;
      if (!rows.is_null(row, 4)) table.rows = rows.number<std::uint64_t>(row, 4);
      table.comment = rows.text(row, 5);
      places_.emplace(rows.number<std::uint32_t>(row, 0), catalogue_.tables.size());
      catalogue_.tables.push_back(std::move(table));
    }
  }

  std::string table_oids() const {
    std::string list = "{";
    for (const auto& [oid, place] : places_) list += fmt::format("{},", oid);
    if (list.size() > 1) list.pop_back();
    return list + "}";
  }

  void add_columns(const PgRows& rows) {
    catalogue_.is_complete = catalogue_.is_complete && rows.rows() < kColumnsMax;
    for (int row = 0; row < rows.rows(); ++row) {
      TableInfo* table = find(rows, row);
      if (table == nullptr) continue;
      ColumnInfo column;
      column.name = rows.text(row, 1);
      column.type = rows.text(row, 2);
      column.is_nullable = rows.truth(row, 3);
      column.is_generated = rows.truth(row, 4);
      if (!rows.is_null(row, 5)) column.otherwise = rows.text(row, 5);
      column.comment = rows.text(row, 6);
      table->columns.push_back(std::move(column));
    }
  }

  void add_indexes(const PgRows& rows) {
    for (int row = 0; row < rows.rows(); ++row) {
      TableInfo* table = find(rows, row);
      if (table == nullptr) continue;
      IndexInfo index{rows.text(row, 1), rows.texts(row, 4), rows.truth(row, 2),
                      rows.truth(row, 3)};
      if (index.is_primary) table->primary_key = index.columns;
      table->indexes.push_back(std::move(index));
    }
  }

  void add_constraints(const PgRows& rows) {
    for (int row = 0; row < rows.rows(); ++row) {
      TableInfo* table = find(rows, row);
      if (table == nullptr) continue;
      if (rows.view(row, 1) == "c") {
        table->checks.push_back(rows.text(row, 7));
        continue;
      }
      ForeignKeyInfo key{rows.text(row, 2), rows.texts(row, 3), rows.text(row, 4),
                         rows.text(row, 5), rows.texts(row, 6)};
      if (key.schema == table->schema) key.schema.clear();
      table->foreign_keys.push_back(std::move(key));
    }
  }

  void set_default_schema(std::string schema) { catalogue_.default_schema = std::move(schema); }
  Catalogue take() { return std::move(catalogue_); }

 private:
  TableInfo* find(const PgRows& rows, int row) {
    const auto found = places_.find(rows.number<std::uint32_t>(row, 0));
    return found == places_.end() ? nullptr : &catalogue_.tables[found->second];
  }

  Catalogue catalogue_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by OID
};

}  // namespace

Result<std::shared_ptr<const Catalogue>> read_catalogue(Connection& connection,
                                                        const OpContext& context) {
  CatalogueBuilder builder;
  HELVE_ASSIGN(
      const std::vector<ResultPtr> tables,
      connection.query({"SELECT pg_catalog.current_schema()",
                        fmt::format(fmt::runtime(kCatalogueTables), kCatalogueTablesMax + 1)},
                       {}, context));
  builder.set_default_schema(PgRows(tables[0].get()).text(0, 0));
  builder.add_tables(PgRows(tables[1].get()));
  const SqlValue oids = rdf::Term(rdf::TermView::literal(builder.table_oids()));
  const bool is_old = connection.server_version() < 120'000;
  HELVE_ASSIGN(const std::vector<ResultPtr> parts,
               connection.query({fmt::format(fmt::runtime(kCatalogueColumns),
                                             is_old ? "''" : "a.attgenerated", kColumnsMax),
                                 fmt::format(fmt::runtime(kIndexes),
                                             is_old ? "i.indnatts" : "i.indnkeyatts", kKeysMax),
                                 fmt::format(fmt::runtime(kConstraints), kKeysMax)},
                                {oids}, context));
  builder.add_columns(PgRows(parts[0].get()));
  builder.add_indexes(PgRows(parts[1].get()));
  builder.add_constraints(PgRows(parts[2].get()));
  return std::make_shared<const Catalogue>(builder.take());
}

}  // namespace helve::sql
