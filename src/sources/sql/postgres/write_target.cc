#include "sources/sql/postgres/write_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "sources/sql/postgres/pg_rows.h"
#include "sources/sql/postgres/pq_library.h"
#include "sources/sql/write_rules.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

using Effect = WriteTarget::Effect;
using Target = GuardedWrite::Target;

constexpr int kEffectsMax = 200;

// $1 the name; $2..$5 are for the other statement.
constexpr std::string_view kTarget = R"(
SELECT n.nspname, t.relname, t.relkind, n.nspname = ANY (pg_catalog.current_schemas(false)),
       t.reltuples, c.relkind
  FROM pg_catalog.pg_class c
  LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
  JOIN pg_catalog.pg_class t ON t.oid = coalesce(i.indrelid, c.oid)
  JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
 WHERE c.oid = pg_catalog.to_regclass($1::text) AND ($2::bool OR $3::bool OR $4::text <> ''
       OR $5::int4 >= 0))";

// Which tables are changed with it: its parts, and those whose foreign keys follow. Beyond the
// first step a key may follow either way. $2: rows are deleted; $3: updated; $4: columns that are
// set, as JSON; $5: events of triggers.
constexpr std::string_view kEffects = R"(
WITH RECURSIVE touched(oid, step) AS (
  SELECT c.oid, 0 FROM pg_catalog.pg_class c WHERE c.oid = pg_catalog.to_regclass($1::text)
  UNION
  SELECT e.other, CASE WHEN e.is_part THEN t.step ELSE 1 END
    FROM touched t JOIN (
      SELECT i.inhparent AS one, i.inhrelid AS other, true AS is_part, ' '::"char" AS del,
             ' '::"char" AS upd, NULL::int2[] AS keys
        FROM pg_catalog.pg_inherits i
      UNION ALL
      SELECT k.confrelid, k.conrelid, false, k.confdeltype, k.confupdtype, k.confkey
        FROM pg_catalog.pg_constraint k WHERE k.contype = 'f') e ON e.one = t.oid
   WHERE e.is_part
      OR (t.step = 0 AND $2::bool AND e.del IN ('c', 'n', 'd'))
      OR (t.step = 0 AND $3::bool AND e.upd IN ('c', 'n', 'd')
          AND EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a
                       WHERE a.attrelid = e.one AND a.attnum = ANY (e.keys)
                         AND a.attname IN (SELECT pg_catalog.jsonb_array_elements_text($4::jsonb))))
      OR (t.step = 1 AND (e.del IN ('c', 'n', 'd') OR e.upd IN ('c', 'n', 'd')))
), found AS (
  SELECT 'c' AS kind, t.oid, '' AS name FROM touched t WHERE t.step = 1
  UNION
  SELECT 'p', t.oid, '' FROM touched t
   WHERE t.step = 0 AND t.oid <> pg_catalog.to_regclass($1::text)
  UNION
  SELECT 't', t.oid, g.tgname FROM touched t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid
   WHERE NOT g.tgisinternal AND g.tgenabled <> 'D'
     AND (g.tgtype & CASE WHEN t.step = 0 THEN $5::int4 ELSE 24 END) <> 0
  UNION
  SELECT 'r', t.oid, w.rulename FROM touched t JOIN pg_catalog.pg_rewrite w ON w.ev_class = t.oid
   WHERE w.rulename <> '_RETURN' AND w.ev_enabled <> 'D'
  UNION
  SELECT 'f', t.oid, pg_catalog.pg_describe_object(d.refclassid, d.refobjid, 0)
    FROM touched t
    JOIN (SELECT 'pg_catalog.pg_attrdef'::pg_catalog.regclass AS class, f.oid, f.adrelid AS rel
            FROM pg_catalog.pg_attrdef f
          UNION ALL
          SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid, k.conrelid
            FROM pg_catalog.pg_constraint k WHERE k.contype = 'c'
          UNION ALL
          SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid, p.polrelid
            FROM pg_catalog.pg_policy p) o ON o.rel = t.oid
    JOIN pg_catalog.pg_depend d ON d.classid = o.class AND d.objid = o.oid
   WHERE d.refobjid >= 16384
     AND d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass,
                          'pg_catalog.pg_operator'::pg_catalog.regclass)
)
SELECT f.kind, n.nspname, c.relname, f.name,
       n.nspname = ANY (pg_catalog.current_schemas(false))
  FROM found f JOIN pg_catalog.pg_class c ON c.oid = f.oid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
UNION ALL
SELECT 'e', '', '', v.evtname, false FROM pg_catalog.pg_event_trigger v
 WHERE v.evtenabled <> 'D' AND $5::int4 = 0
 ORDER BY 1, 2, 3, 4 LIMIT 201)";

// What CASCADE takes with the table: of TRUNCATE ($5 is its event) those that refer to it, of the
// others all that depends on it. What is a part of something else that goes by itself is not
// listed: it is counted with that.
constexpr std::string_view kLost = R"(
WITH RECURSIVE emptied(oid, is_part) AS (
  SELECT c.oid, true FROM pg_catalog.pg_class c
   WHERE c.oid = pg_catalog.to_regclass($1::text) AND $5::int4 <> 0
  UNION
  SELECT e.other, e.is_part
    FROM emptied t JOIN (
      SELECT i.inhparent AS one, i.inhrelid AS other, true AS is_part FROM pg_catalog.pg_inherits i
      UNION ALL
      SELECT k.confrelid, k.conrelid, false FROM pg_catalog.pg_constraint k
       WHERE k.contype = 'f') e ON e.one = t.oid
), gone(class, oid) AS (
  SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::oid, c.oid FROM pg_catalog.pg_class c
   WHERE c.oid = pg_catalog.to_regclass($1::text) AND $5::int4 = 0
  UNION
  SELECT e.class, e.oid
    FROM gone g JOIN (
      SELECT d.refclassid AS one_class, d.refobjid AS one, d.classid AS class, d.objid AS oid
        FROM pg_catalog.pg_depend d
      UNION ALL
      SELECT d.classid, d.objid, d.refclassid, d.refobjid
        FROM pg_catalog.pg_depend d WHERE d.deptype = 'i') e
      ON e.one_class = g.class AND e.one = g.oid
), lost AS (
  SELECT t.oid FROM emptied t WHERE NOT t.is_part
  UNION
  SELECT g.oid FROM gone g WHERE g.class = 'pg_catalog.pg_class'::pg_catalog.regclass
)
SELECT 'l', n.nspname, c.relname, '', n.nspname = ANY (pg_catalog.current_schemas(false))
  FROM lost l JOIN pg_catalog.pg_class c ON c.oid = l.oid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'm') AND c.oid <> pg_catalog.to_regclass($1::text)
   AND ($2::bool OR $3::bool OR $4::text <> '')
 ORDER BY 2, 3 LIMIT 201)";

constexpr std::string_view kEffectKinds = "trfcpel";

std::string quoted(const WrittenName& name) {
  std::string text;
  if (!name.schema.empty()) text = quote_name(name.schema, SqlDialect::PostgreSql) + ".";
  return text + quote_name(name.name, SqlDialect::PostgreSql);
}

// Of pg_trigger.tgtype; 0 for definitions.
int events_of(const GuardedWrite& write) {
  constexpr int kInsert = 4;
  constexpr int kDelete = 8;
  constexpr int kUpdate = 16;
  constexpr int kTruncate = 32;
  if (write.kind == WriteKind::Definition) return write.deletes ? kTruncate : 0;
  return (write.inserts ? kInsert : 0) | (write.deletes ? kDelete : 0) |
         (write.updates ? kUpdate : 0);
}

std::vector<SqlValue> target_parameters(const GuardedWrite& write, const WrittenName& name) {
  JsonValue::Array columns;
  for (const std::string& column : write.columns) columns.emplace_back(column);
  const bool deletes = write.deletes && write.kind != WriteKind::Definition;
  return {text_value(quoted(name)), text_value(deletes ? "true" : "false"),
          text_value(write.updates ? "true" : "false"),
          text_value(to_json(JsonValue(std::move(columns)))),
          text_value(std::to_string(events_of(write)))};
}

Error no_table(const GuardedWrite& write, std::string_view sql, SqlProblem& problem) {
  const std::string name = shown_name(write.target.schema, write.target.name);
  problem = {SqlProblem::Kind::UnknownTable, name};
  return Error(ErrorCode::NotFound, fmt::format("there is no table {}", name.substr(0, 200)),
               "list the tables to see their names")
      .at("sql", sql_position(sql, write.target.begin));
}

Result<void> add_effects(const PgRows& rows, WriteTarget& target) {
  if (rows.rows() > kEffectsMax) {
    return Error{ErrorCode::Denied, "more happens beside this change than can be looked through",
                 "change tables that fewer triggers and foreign keys follow"};
  }
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string_view kind = rows.view(row, 0);
    if (kind.size() != 1 || kEffectKinds.find(kind.front()) == std::string_view::npos) continue;
    target.effects.push_back({static_cast<Effect::Kind>(kind.front()), rows.text(row, 1),
                              rows.text(row, 2), rows.text(row, 3), rows.truth(row, 4)});
  }
  return {};
}

class RulesForWrites {
 public:
  RulesForWrites(const GuardedWrite& write, const WriteTarget& target, std::string_view sql,
                 const TableRules& rules)
      : write_(write), target_(target), rules_(rules, sql, write.target.begin) {}

  Result<void> check() const {
    if (write_.target_kind == Target::Schema) return rules_.denied("a definition of a schema");
    if (write_.has_cascade) return rules_.denied("CASCADE");
    if (write_.renames) return rules_.denied("a new name");
    if (write_.steps_sequence) return rules_.denied("nextval()");
    if (target_.kind == 'v' && target_.is_there) return rules_.denied("a change to a view");
    HELVE_TRY(rules_.check_table(target_.schema, target_.name, target_.is_in_path));
    for (const WrittenName& name : write_.references) {
      if (rules_.has_column_rules(name.schema, name.name)) {
        return rules_.denied("a foreign key to this table");
      }
      HELVE_TRY(rules_.check_table(name.schema, name.name, name.schema.empty()));
    }
    for (const Effect& effect : target_.effects) HELVE_TRY(check_effect(effect));
    return rules_.check_columns(target_.schema, target_.name,
                                {write_.kind, write_.sets_all_columns, write_.columns});
  }

  Result<void> check_changed(const std::vector<ChangedTable>& changed) const {
    for (const ChangedTable& table : changed) {
      const bool is_target = is_same_table(table.schema, table.name) ||
                             is_same_table(table.root_schema, table.root_name);
      const bool is_allowed =
          is_target || is_part(table) ||
          rules_.is_allowed(table.schema, table.name, table.is_in_path) ||
          rules_.is_allowed(table.root_schema, table.root_name, table.is_root_in_path);
      const bool is_denied = rules_.is_denied(table.schema, table.name) ||
                             rules_.is_denied(table.root_schema, table.root_name);
      if (is_allowed && !is_denied) continue;
      return rules_.denied(
          "a trigger or foreign key of this table changes another one that the policy does not "
          "allow to be changed: it is rolled back",
          "allowed_tables and denied_tables of the policy hold for all that a change does; change "
          "tables where nothing else follows");
    }
    return {};
  }

 private:
  Result<void> check_effect(const Effect& effect) const {
    if (effect.kind == Effect::Kind::Cascade) {
      return rules_.check_table(effect.schema, effect.table, effect.is_in_path);
    }
    if (effect.kind == Effect::Kind::Part && rules_.is_denied(effect.schema, effect.table)) {
      return rules_.denied("changes to a part of this table");
    }
    if (effect.kind == Effect::Kind::Rule) {
      return rules_.denied("a change of a table with rewrite rules");
    }
    return {};
  }
  bool is_same_table(std::string_view schema, std::string_view name) const {
    return schema == target_.schema && name == target_.name;
  }
  bool is_part(const ChangedTable& table) const {
    return std::any_of(target_.effects.begin(), target_.effects.end(), [&](const Effect& effect) {
      return effect.kind == Effect::Kind::Part && effect.schema == table.schema &&
             effect.table == table.name;
    });
  }

  const GuardedWrite& write_;
  const WriteTarget& target_;
  const WriteRules rules_;
};

std::string note_of(const Effect& effect) {
  const std::string table = shown_name(effect.schema, effect.table);
  switch (effect.kind) {
    case Effect::Kind::Trigger:
      return fmt::format("the trigger {} of {} runs", effect.name, table);
    case Effect::Kind::Rule:
      return fmt::format("the rule {} of {} changes what is done", effect.name, table);
    case Effect::Kind::Function:
      return fmt::format("{} is called by a default, a check or a policy of {}", effect.name,
                         table);
    case Effect::Kind::Cascade:
      return fmt::format("rows of {} may follow by a foreign key", table);
    case Effect::Kind::Part:
      return {};
    case Effect::Kind::Event:
      return fmt::format("the event trigger {} may run", effect.name);
    case Effect::Kind::Lost:
      return fmt::format("CASCADE takes rows or columns of {}", table);
  }
  return {};
}

bool is_harmless(const Effect& effect) {
  return effect.kind == Effect::Kind::Cascade || effect.kind == Effect::Kind::Part;
}

}  // namespace

Result<WriteTarget> read_target(const GuardedWrite& write, std::string_view sql,
                                const AskDatabase& ask, SqlProblem& problem) {
  WriteTarget target;
  target.schema = write.target.schema;
  target.name = write.target.name;
  target.is_in_path = write.target.schema.empty();
  if (write.target_kind == Target::Schema) return target;
  std::vector<std::string> statements{std::string(kTarget), std::string(kEffects)};
  if (write.has_cascade) statements.emplace_back(kLost);
  HELVE_ASSIGN(const std::vector<ResultPtr> results,
               ask(statements, target_parameters(write, write.target)));
  if (results.size() != statements.size() || pq().nfields(results[0].get()) != 6 ||
      pq().nfields(results[1].get()) != 5 || pq().nfields(results.back().get()) != 5) {
    return Error{ErrorCode::Unavailable, "the server left an answer out"};
  }
  const PgRows rows(results[0].get());
  for (std::size_t i = 1; i < results.size(); ++i) {
    HELVE_TRY(add_effects(PgRows(results[i].get()), target));
  }
  if (rows.rows() == 0) {
    if (write.kind == WriteKind::Definition) return target;  // the database will say
    return no_table(write, sql, problem);
  }
  target.is_there = true;
  target.schema = rows.text(0, 0);
  target.name = rows.text(0, 1);
  target.kind = rows.view(0, 2).empty() ? '?' : rows.view(0, 2).front();
  target.is_in_path = rows.truth(0, 3);
  target.rows = rows.number<double>(0, 4);
  return target;
}

Result<void> check_target(const GuardedWrite& write, const WriteTarget& target,
                          std::string_view sql, const TableRules* rules) {
  const auto denied = [&](std::string message, std::string hint) {
    return Error(ErrorCode::Denied, std::move(message), std::move(hint))
        .at("sql", sql_position(sql, write.target.begin));
  };
  const bool is_of_system = target.schema.starts_with("pg_") ||
                            target.schema == "information_schema" ||
                            (target.schema.empty() && target.name.starts_with("pg_"));
  if (is_of_system) {
    return denied("tables of the system may not be changed", "change tables of your own");
  }
  const std::string_view kinds = write.kind == WriteKind::Definition ? "rpvm" : "rpv";
  if (target.is_there && kinds.find(target.kind) == std::string_view::npos) {
    return denied(fmt::format("{} is no table or view that may be changed",
                              shown_name(target.schema, target.name).substr(0, 200)),
                  "foreign tables, sequences and the like are not allowed");
  }
  if (rules == nullptr || !rules->is_any()) return {};
  return RulesForWrites(write, target, sql, *rules).check();
}

Result<void> check_changed(const GuardedWrite& write, const WriteTarget& target,
                           std::string_view sql, const TableRules* rules,
                           const std::vector<ChangedTable>& changed) {
  if (rules == nullptr || !rules->is_any()) return {};
  return RulesForWrites(write, target, sql, *rules).check_changed(changed);
}

bool has_effects(const WriteTarget& target) {
  return target.kind == 'v' ||
         std::any_of(target.effects.begin(), target.effects.end(),
                     [](const Effect& effect) { return effect.kind != Effect::Kind::Part; });
}

bool has_code(const WriteTarget& target) {
  return target.kind == 'v' ||
         !std::all_of(target.effects.begin(), target.effects.end(), is_harmless);
}

WriteOutline outline_of(const GuardedWrite& write, const WriteTarget& target) {
  WriteOutline outline;
  outline.kind = write.kind;
  outline.verb = write.verb;
  outline.schema = target.schema;
  outline.table = target.name;
  if (write.takes_rows && target.is_there) {
    outline.rewritten.push_back({target.schema, target.name});
  }
  for (const Effect& effect : target.effects) {
    if (effect.kind == Effect::Kind::Lost) {
      outline.rewritten.push_back({effect.schema, effect.table});
    }
  }
  outline.can_try = !write.steps_sequence &&
                    std::all_of(target.effects.begin(), target.effects.end(), is_harmless);
  for (const Effect& effect : target.effects) {
    std::string note = note_of(effect);
    if (!note.empty()) outline.notes.push_back(std::move(note));
  }
  if (target.is_there && target.kind == 'v') {
    outline.can_try = outline.can_try && write.kind == WriteKind::Definition;
    outline.notes.emplace_back(
        "it is a view: the table behind it is changed, and what runs there "
        "is not known");
  }
  if (write.has_cascade) {
    outline.notes.emplace_back("CASCADE: what depends on it goes with it");
  }
  if (write.steps_sequence) {
    outline.notes.emplace_back("a sequence steps, which is not undone");
  }
  const bool is_emptied = write.verb == "TRUNCATE" || write.verb == "DROP TABLE";
  if (is_emptied && target.is_there && target.rows >= 0) {
    outline.notes.push_back(fmt::format("the table has about {:.0f} rows", target.rows));
  }
  return outline;
}

}  // namespace helve::sql
