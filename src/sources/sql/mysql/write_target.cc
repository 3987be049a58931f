#include "sources/sql/mysql/write_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "sources/sql/write_rules.h"
#include "sources/sql_tokens.h"

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kCascadesMax = 100;

std::string cell(const TextRow& row, std::size_t column) {
  return column < row.size() ? row[column].value_or("") : std::string();
}

std::string table_sql(const WriteTarget& target) {
  return fmt::format(
      "SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, t.ENGINE, e.TRANSACTIONS, t.TABLE_ROWS "
      "FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e "
      "ON e.ENGINE = t.ENGINE WHERE t.TABLE_SCHEMA = {} AND t.TABLE_NAME = {} LIMIT 10",
      text_literal(target.schema), text_literal(target.name));
}

// Rights that come by a role are not seen here: then nothing is known of triggers.
std::string trigger_right_sql(const WriteTarget& target) {
  return fmt::format(
      "SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE = 'TRIGGER' UNION "
      "SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES WHERE PRIVILEGE_TYPE = 'TRIGGER' AND "
      "{0} LIKE TABLE_SCHEMA UNION "
      "SELECT 1 FROM information_schema.TABLE_PRIVILEGES WHERE PRIVILEGE_TYPE = 'TRIGGER' AND "
      "TABLE_SCHEMA = {0} AND TABLE_NAME = {1}",
      text_literal(target.schema), text_literal(target.name));
}

std::string triggers_sql(const WriteTarget& target, const GuardedWrite& write) {
  std::string events = write.updates ? "'UPDATE'," : "";
  if (write.deletes) events += "'DELETE',";
  const bool inserts =
      write.shape.kind == WriteKind::Insert || write.shape.kind == WriteKind::Replace;
  if (inserts) events += "'INSERT',";
  events += "''";
  return fmt::format(
      "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {} AND "
      "EVENT_OBJECT_TABLE = {} AND EVENT_MANIPULATION IN ({}) ORDER BY 1 LIMIT 100",
      text_literal(target.schema), text_literal(target.name), events);
}

std::string cascades_sql(std::string_view schema, std::string_view table, bool deletes,
                         bool updates) {
  constexpr std::string_view kActions = "IN ('CASCADE', 'SET NULL', 'SET DEFAULT')";
  return fmt::format(
      "SELECT CONSTRAINT_SCHEMA, TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE "
      "UNIQUE_CONSTRAINT_SCHEMA = {} AND REFERENCED_TABLE_NAME = {} AND (({} AND DELETE_RULE {}) "
      "OR ({} AND UPDATE_RULE {})) ORDER BY 1, 2 LIMIT 101",
      text_literal(schema), text_literal(table), deletes ? 1 : 0, kActions, updates ? 1 : 0,
      kActions);
}

Result<void> read_cascades(Connection& connection, const GuardedWrite& write, WriteTarget& target) {
  if (!write.deletes && !write.updates) return {};
  std::vector<WriteTarget::Cascade> open{{target.schema, target.name}};
  bool is_first = true;
  while (!open.empty()) {
    const WriteTarget::Cascade one = open.back();
    open.pop_back();
    HELVE_ASSIGN(const auto rows,
                 connection.ask(cascades_sql(one.schema, one.table, write.deletes || !is_first,
                                             write.updates || !is_first)));
    is_first = false;
    for (const TextRow& row : rows) {
      WriteTarget::Cascade next{cell(row, 0), cell(row, 1)};
      const bool is_known = std::any_of(
          target.cascades.begin(), target.cascades.end(), [&](const WriteTarget::Cascade& other) {
            return other.schema == next.schema && other.table == next.table;
          });
      if (is_known) continue;
      if (target.cascades.size() == kCascadesMax) {
        return Error{ErrorCode::Denied,
                     "rows of more tables would follow than can be looked through",
                     "change tables that fewer foreign keys refer to"};
      }
      open.push_back(next);
      target.cascades.push_back(std::move(next));
    }
  }
  return {};
}

Result<void> check_rules(const GuardedWrite& write, const WriteTarget& target,
                         const WriteRules& rules) {
  // What is allowed without a schema is that of the default one.
  const auto check_table = [&](std::string_view schema, std::string_view name) {
    return rules.check_table(schema, name, is_same_in_any_case(schema, target.default_schema));
  };
  if (target.is_view) return rules.denied("a change to a view");
  HELVE_TRY(check_table(target.schema, target.name));
  for (const std::string& name : write.references) {
    const std::size_t dot = name.find('.');
    const bool has_schema = dot != std::string::npos;
    const std::string schema = has_schema ? name.substr(0, dot) : target.schema;
    const std::string table = has_schema ? name.substr(dot + 1) : name;
    if (rules.has_column_rules(schema, table)) return rules.denied("a reference to this table");
    HELVE_TRY(check_table(schema, table));
  }
  for (const auto& cascade : target.cascades) {
    HELVE_TRY(check_table(cascade.schema, cascade.table));
  }
  // Names before the column's are among these, too, and count as columns: one may have that name.
  return rules.check_columns(target.schema, target.name,
                             {write.shape.kind, write.sets_all_columns, write.shape.columns});
}

}  // namespace

std::string text_literal(std::string_view text) {
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02X}", static_cast<unsigned char>(c));
  return hex.empty() ? "''" : fmt::format("CONVERT(0x{} USING utf8mb4)", hex);
}

Result<WriteTarget> read_target(Connection& connection, const GuardedWrite& write,
                                std::string_view database) {
  WriteTarget target;
  target.default_schema = database;
  target.schema = write.shape.schema.empty() ? std::string(database) : write.shape.schema;
  target.name = write.shape.table;
  HELVE_ASSIGN(const auto tables, connection.ask(table_sql(target)));
  if (tables.empty()) return target;
  const auto same = std::find_if(tables.begin(), tables.end(), [&](const TextRow& row) {
    return cell(row, 0) == target.schema && cell(row, 1) == target.name;
  });
  const TextRow& row = same == tables.end() ? tables.front() : *same;
  target.is_there = true;
  target.schema = cell(row, 0);
  target.name = cell(row, 1);
  target.is_view = cell(row, 2).find("VIEW") != std::string::npos;
  target.engine = cell(row, 3);
  target.is_transactional = cell(row, 4) == "YES";
  target.rows = cell(row, 5);
  HELVE_ASSIGN(const auto right, connection.ask(trigger_right_sql(target)));
  target.sees_triggers = !right.empty();
  HELVE_ASSIGN(const auto triggers, connection.ask(triggers_sql(target, write)));
  for (const TextRow& one : triggers) target.triggers.push_back(cell(one, 0));
  HELVE_TRY(read_cascades(connection, write, target));
  return target;
}

Result<void> check_target(const GuardedWrite& write, const WriteTarget& target,
                          std::string_view sql, const TableRules* rules, SqlProblem& problem) {
  const auto refuse = [&](ErrorCode code, std::string message, std::string hint) {
    return Error(code, std::move(message), std::move(hint))
        .at("sql", sql_position(sql, write.shape.target.begin));
  };
  const std::string name = shown_name(target.schema, target.name).substr(0, 200);
  constexpr std::array<std::string_view, 4> kSystem = {"information_schema", "mysql",
                                                       "performance_schema", "sys"};
  const bool is_of_system = std::any_of(
      kSystem.begin(), kSystem.end(),
      [&](std::string_view schema) { return is_same_in_any_case(schema, target.schema); });
  if (is_of_system) {
    return refuse(ErrorCode::Denied, "tables of the system may not be changed",
                  "change tables of your own");
  }
  if (rules != nullptr && rules->is_any()) {
    HELVE_TRY(check_rules(write, target, WriteRules(*rules, sql, write.shape.target.begin)));
  }
  if (write.shape.kind == WriteKind::Definition) return {};
  if (!target.is_there) {
    problem = {SqlProblem::Kind::UnknownTable, write.shape.table};
    return refuse(ErrorCode::NotFound, fmt::format("there is no table {}", name),
                  "list the tables to see their names");
  }
  if (target.is_view) {
    return refuse(ErrorCode::Denied, fmt::format("{} is a view", name),
                  "change the table behind it: whether that has transactions is not known");
  }
  if (!target.is_transactional) {
    return refuse(ErrorCode::Denied,
                  fmt::format("the engine of {} ({}) has no transactions: a change could not be "
                              "rolled back",
                              name, target.engine),
                  "its owner can convert it: ALTER TABLE ... ENGINE=InnoDB");
  }
  return {};
}

WriteOutline outline_of(const GuardedWrite& write, const WriteTarget& target) {
  WriteOutline outline;
  outline.kind = write.shape.kind;
  outline.verb = write.shape.verb;
  outline.schema = target.schema;
  outline.table = target.name;
  if (write.shape.kind == WriteKind::Definition) {
    outline.can_roll_back = false;
    outline.can_try = false;
    if (write.takes_rows && target.is_there && !target.is_view) {
      outline.rewritten.push_back({target.schema, target.name});
    }
    outline.notes.emplace_back("definitions of this database stay: they cannot be rolled back");
    const bool is_emptied =
        write.shape.verb.starts_with("TRUNCATE") || write.shape.verb == "DROP TABLE";
    if (is_emptied && !target.rows.empty()) {
      outline.notes.push_back(fmt::format("the table has about {} rows", target.rows));
    }
    return outline;
  }
  outline.can_try = target.sees_triggers && target.triggers.empty();
  for (const std::string& trigger : target.triggers) {
    outline.notes.push_back(
        fmt::format("the trigger {} of {}.{} runs", trigger, target.schema, target.name));
  }
  if (!target.sees_triggers) {
    outline.notes.emplace_back(
        "whether triggers run cannot be seen: the user has no right TRIGGER on the table");
  }
  for (const auto& cascade : target.cascades) {
    outline.notes.push_back(
        fmt::format("rows of {}.{} may follow by a foreign key", cascade.schema, cascade.table));
  }
  if (write.shape.kind == WriteKind::Replace) {
    outline.notes.emplace_back("a row that is replaced counts twice");
  } else if (write.shape.kind == WriteKind::Insert && write.updates) {
    outline.notes.emplace_back("a row that is there and changed counts twice");
  }
  return outline;
}

}  // namespace helve::sql::mysql
