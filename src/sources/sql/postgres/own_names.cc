#include "sources/sql/postgres/own_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

constexpr int kNamesMax = 100'000;

// Objects that were not there from the beginning have numbers from 16384 on. A function that is
// free may do anything: it is volatile, or has the rights of its owner.
constexpr std::string_view kOwn = R"(
WITH RECURSIVE own AS MATERIALIZED (
  SELECT p.oid, p.proname, p.provolatile = 'v' OR p.prosecdef AS is_free,
         p.proargtypes[0] AS first, n.nspname = ANY (pg_catalog.current_schemas(false)) AS is_found,
         p.pronargs >= 1 AND (p.pronargs - p.pronargdefaults <= 1 OR p.provariadic <> 0) AS is_unary
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
   WHERE p.oid >= 16384 AND n.nspname <> 'pg_catalog'
     AND (p.provolatile = 'v' OR p.prosecdef
          OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d
                          WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
                            AND d.objid = p.oid AND d.deptype = 'e'))
), own_operators AS MATERIALIZED (
  SELECT o.oid, o.oprname, own.is_free, n.nspname,
         n.nspname = ANY (pg_catalog.current_schemas(false)) AS is_found
    FROM pg_catalog.pg_operator o JOIN own ON own.oid = o.oprcode
    JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace
), left_out AS (
  SELECT DISTINCT o.nspname FROM own_operators o
   WHERE o.is_found AND o.is_free AND EXISTS (SELECT 1 FROM pg_catalog.pg_operator b
                                               WHERE b.oprname = o.oprname AND b.oid < 16384)
), parts AS (
  SELECT t.typelem AS part, t.oid AS whole FROM pg_catalog.pg_type t
   WHERE t.typelem >= 16384 AND t.typlen = -1
  UNION ALL SELECT t.typbasetype, t.oid FROM pg_catalog.pg_type t WHERE t.typbasetype >= 16384
  UNION ALL SELECT r.rngsubtype, r.rngtypid FROM pg_catalog.pg_range r WHERE r.rngsubtype >= 16384
  UNION ALL SELECT a.atttypid, c.reltype
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
   WHERE a.atttypid >= 16384 AND a.attnum > 0 AND c.reltype <> 0
), closed AS (
  SELECT t.oid FROM pg_catalog.pg_type t
    JOIN own ON own.is_free AND own.oid = t.typinput::pg_catalog.oid
  UNION SELECT r.rngtypid FROM pg_catalog.pg_range r
    JOIN own ON own.is_free AND own.oid IN (r.rngcanonical::pg_catalog.oid, r.rngsubdiff::pg_catalog.oid)
  UNION SELECT CASE WHEN c.casttarget >= 16384 THEN c.casttarget ELSE c.castsource END
    FROM pg_catalog.pg_cast c JOIN own ON own.is_free AND own.oid = c.castfunc
  UNION SELECT k.contypid FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
         AND d.objid = k.oid
   WHERE k.contypid <> 0
     AND ((d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
           AND d.refobjid IN (SELECT own.oid FROM own WHERE own.is_free))
          OR (d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
              AND d.refobjid IN (SELECT o.oid FROM own_operators o WHERE o.is_free)))
), closed_types AS (
  SELECT closed.oid FROM closed WHERE closed.oid >= 16384
  UNION SELECT parts.whole FROM closed_types JOIN parts ON parts.part = closed_types.oid
)
SELECT 'f', proname FROM own WHERE is_found
UNION
SELECT CASE WHEN t.typtype = 'p' OR coalesce(b.typrelid, t.typrelid) <> 0 THEN 'r' ELSE 'v' END,
       own.proname
  FROM own JOIN pg_catalog.pg_type t ON t.oid = own.first
  LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
 WHERE own.is_found AND own.is_unary
   AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a
                    WHERE a.attrelid = coalesce(nullif(b.typrelid, 0), t.typrelid)
                      AND a.attname = own.proname AND a.attnum > 0)
   AND (own.is_free OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a
                                    WHERE a.attname = own.proname AND a.attnum > 0))
UNION
SELECT 'o', o.oprname FROM own_operators o
 WHERE o.is_found AND o.nspname NOT IN (SELECT nspname FROM left_out)
   AND (o.is_free OR NOT EXISTS (SELECT 1 FROM pg_catalog.pg_operator b
                                  WHERE b.oprname = o.oprname AND b.oid < 16384))
UNION
SELECT 'p', coalesce(pg_catalog.string_agg(pg_catalog.quote_ident(s.name), ', ' ORDER BY s.place),
                     'pg_catalog')
  FROM ROWS FROM (pg_catalog.unnest(pg_catalog.current_schemas(false)))
       WITH ORDINALITY AS s (name, place)
 WHERE s.name NOT IN (SELECT nspname FROM left_out)
HAVING EXISTS (SELECT 1 FROM left_out)
UNION
SELECT 't', t.typname FROM closed_types c JOIN pg_catalog.pg_type t ON t.oid = c.oid
  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
 WHERE n.nspname = ANY (pg_catalog.current_schemas(false))
UNION
SELECT 't', n.nspname || '.' || t.typname
  FROM closed_types c JOIN pg_catalog.pg_type t ON t.oid = c.oid
  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
UNION
SELECT 's', r.rolname FROM pg_catalog.pg_roles r
 WHERE r.rolname = 'pg_read_all_settings' AND pg_catalog.pg_has_role(r.oid, 'MEMBER')
LIMIT 100001)";

using Kind = UsedName::Kind;

bool is_own(const UsedName& used, const OwnNames& own,
            const std::vector<std::string>& allowed_functions) {
  switch (used.kind) {
    case Kind::Function:
      return own.functions.contains(used.name) &&
             std::find(allowed_functions.begin(), allowed_functions.end(), used.name) ==
                 allowed_functions.end();
    case Kind::Column:
      return own.row_functions.contains(used.name);
    case Kind::Part:
      return own.row_functions.contains(used.name) || own.value_functions.contains(used.name) ||
             own.types.contains(used.name);
    case Kind::Operator:
      return own.operators.contains(used.name);
    case Kind::Type:
      return own.types.contains(used.name);
    case Kind::SystemTable:
      return own.sees_paths && used.name == "pg_settings";
    case Kind::ObjectLookup:
    case Kind::UnlistedFunction:
      return false;  // statement_check.h judges them
  }
  return true;
}

Error refusal_of(const UsedName& used) {
  const std::string_view name = std::string_view(used.name).substr(0, 200);
  switch (used.kind) {
    case Kind::Function:
      return {
          ErrorCode::Denied,
          fmt::format("the database has a function {} of its own, which may not be called", name),
          fmt::format("PostgreSQL's own is pg_catalog.{}; an operator can add this one by "
                      "allowed_functions in the policy",
                      name)};
    case Kind::Operator:
      return {
          ErrorCode::Denied,
          fmt::format("the database has an operator {} of its own, which may not be used", name),
          fmt::format("PostgreSQL's own, where it has one, is OPERATOR(pg_catalog.{})", name)};
    case Kind::Type:
      return {ErrorCode::Denied,
              fmt::format("values of the type {} may not be made: it runs functions of the "
                          "database's own",
                          name),
              "use another type: text or numeric"};
    case Kind::SystemTable:
      return {ErrorCode::Denied,
              fmt::format("{} may not be read: it shows this user the files of the server", name),
              "current_setting('server_version') and the like may be called"};
    case Kind::Column:
    case Kind::Part:
    case Kind::ObjectLookup:
    case Kind::UnlistedFunction:
      break;
  }
  return {ErrorCode::Denied,
          fmt::format("the function {} is not one of those that may be called", name),
          "what it gives can be offered as a view; a column of that name may be written without "
          "its table"};
}

}  // namespace

std::string own_names_sql() { return std::string(kOwn); }

Result<std::shared_ptr<const OwnNames>> make_own_names(const PgRows& rows) {
  if (rows.rows() > kNamesMax) {
    return Error{ErrorCode::LimitExceeded,
                 "the database has more functions of its own than can be looked through",
                 "connect with a search_path that has fewer of them"};
  }
  auto own = std::make_shared<OwnNames>();
  const auto names_of = [&own](std::string_view kind) -> OwnNames::Names* {
    if (kind == "f") return &own->functions;
    if (kind == "r") return &own->row_functions;
    if (kind == "v") return &own->value_functions;
    if (kind == "o") return &own->operators;
    return kind == "t" ? &own->types : nullptr;
  };
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string_view kind = rows.view(row, 0);
    OwnNames::Names* const names = names_of(kind);
    if (kind == "p") {
      own->search_path = rows.view(row, 1);
    } else if (names == nullptr) {
      own->sees_paths = true;
    } else {
      names->emplace(rows.view(row, 1));
    }
  }
  return own;
}

Result<void> check_own_names(const GuardedStatement& statement, std::string_view sql,
                             const OwnNames& own,
                             const std::vector<std::string>& allowed_functions) {
  if (statement.names == nullptr) return {};
  for (const UsedName& used : *statement.names) {
    if (is_own(used, own, allowed_functions))
      return refusal_of(used).at("sql", sql_position(sql, used.begin));
  }
  return {};
}

}  // namespace helve::sql
