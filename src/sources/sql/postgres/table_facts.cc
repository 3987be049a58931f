#include "sources/sql/postgres/table_facts.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "sources/sql/postgres/pg_rows.h"

namespace helve::sql {

namespace {

constexpr int kFactTablesMax = 100'000;
constexpr int kUsesMax = 2'000'000;

constexpr std::string_view kFactTables = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind IN ('v', 'm'),
       n.nspname = ANY (pg_catalog.current_schemas(false)),
       pg_catalog.has_schema_privilege(n.oid, 'USAGE')
         AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
              OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT')),
       EXISTS (SELECT 1 FROM pg_catalog.aclexplode(c.relacl) x
                WHERE x.grantee = 0 AND x.privilege_type = 'SELECT')
         OR EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a, pg_catalog.aclexplode(a.attacl) x
                     WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL AND x.grantee = 0
                       AND x.privilege_type = 'SELECT')
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema'
   AND n.nspname NOT LIKE 'pg\_%'
 ORDER BY 2, 3 LIMIT 100001)";

constexpr std::string_view kFactColumns = R"(
SELECT a.attrelid, a.attname, pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
  FROM pg_catalog.pg_attribute a
 WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped
 ORDER BY a.attrelid, a.attnum)";

// Depending on its version the server notes it of the column, or of the expression.
constexpr std::string_view kGenerated = R"(
SELECT d.adrelid, g.attname, s.attname
  FROM pg_catalog.pg_attrdef d
  JOIN pg_catalog.pg_attribute g ON g.attrelid = d.adrelid AND g.attnum = d.adnum
  JOIN pg_catalog.pg_depend p
    ON p.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND p.refobjid = d.adrelid
       AND p.refobjsubid > 0 AND p.refobjsubid <> d.adnum
       AND ((p.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND p.objid = d.oid)
            OR (p.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND p.objid = d.adrelid
                AND p.objsubid = d.adnum))
  JOIN pg_catalog.pg_attribute s ON s.attrelid = d.adrelid AND s.attnum = p.refobjsubid
 WHERE d.adrelid = ANY ($1::pg_catalog.oid[]) AND g.attgenerated <> '')";

// A view depends on the columns that it names; of SELECT t FROM t nothing but the tree tells. A
// parent shows the columns that it shares with its children.
constexpr std::string_view kUses = R"(
SELECT DISTINCT r.ev_class, d.refobjid, a.attname,
       CASE WHEN d.refobjid = ANY ($1::pg_catalog.oid[])
            THEN pg_catalog.strpos(r.ev_action::text, ':varattno 0 ') > 0 ELSE false END
  FROM pg_catalog.pg_rewrite r
  JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
       AND d.objid = r.oid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
       AND d.refobjsubid > 0
 WHERE r.ev_class >= 16384 AND d.refobjid >= 16384 AND d.refobjid <> r.ev_class
UNION ALL
SELECT i.inhparent, i.inhrelid, a.attname, false
  FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class c ON c.oid = i.inhparent AND c.relkind IN ('r', 'p', 'f')
  JOIN pg_catalog.pg_attribute a ON a.attrelid = i.inhparent AND a.attnum > 0
       AND NOT a.attisdropped
 WHERE pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
LIMIT 2000001)";

Error too_many() {
  return {ErrorCode::Denied, "there are too many tables to check the policy for",
          "give the user of the database rights on fewer tables"};
}

}  // namespace

Result<std::vector<TableFacts>> read_tables(Connection& connection, const OpContext& context) {
  HELVE_ASSIGN(const std::vector<ResultPtr> results,
               connection.query({std::string(kFactTables)}, {}, context));
  const PgRows rows(results.front().get());
  if (rows.rows() > kFactTablesMax) return too_many();
  std::vector<TableFacts> tables;
  tables.reserve(static_cast<std::size_t>(rows.rows()));
  for (int row = 0; row < rows.rows(); ++row) {
    tables.push_back({rows.number<std::uint32_t>(row, 0), rows.text(row, 1), rows.text(row, 2),
                      rows.truth(row, 3), rows.truth(row, 4), rows.truth(row, 5),
                      rows.truth(row, 6)});
  }
  return tables;
}

Result<TableDetails> read_details(Connection& connection, const std::vector<std::uint32_t>& oids,
                                  const OpContext& context) {
  const SqlValue list =
      rdf::Term(rdf::TermView::literal(fmt::format("{{{}}}", fmt::join(oids, ","))));
  HELVE_ASSIGN(
      const std::vector<ResultPtr> results,
      connection.query({std::string(kFactColumns), std::string(kGenerated), std::string(kUses)},
                       {list}, context));
  TableDetails details;
  const PgRows columns(results[0].get());
  for (int row = 0; row < columns.rows(); ++row) {
    details.columns[columns.number<std::uint32_t>(row, 0)].push_back(
        {columns.text(row, 1), columns.truth(row, 2), {}});
  }
  const PgRows generated(results[1].get());
  for (int row = 0; row < generated.rows(); ++row) {
    for (ColumnFacts& column : details.columns[generated.number<std::uint32_t>(row, 0)]) {
      if (column.name == generated.text(row, 1)) column.sources.push_back(generated.text(row, 2));
    }
  }
  const PgRows uses(results[2].get());
  if (uses.rows() > kUsesMax) return too_many();
  for (int row = 0; row < uses.rows(); ++row) {
    details.uses.push_back({uses.number<std::uint32_t>(row, 0), uses.number<std::uint32_t>(row, 1),
                            uses.is_null(row, 2) ? std::string() : uses.text(row, 2),
                            uses.truth(row, 3)});
  }
  return details;
}

}  // namespace helve::sql
