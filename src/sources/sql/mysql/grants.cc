#include "sources/sql/mysql/grants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/ascii.h"
#include "sources/sql_tokens.h"
#include "sources/table_rules.h"

namespace helve::sql::mysql {

namespace {

constexpr std::size_t kScriptTablesMax = 10'000;

using Tokens = std::vector<SqlToken>;

std::string name_at(const Tokens& tokens, std::size_t i) {
  return i < tokens.size() ? value_of(tokens[i], SqlDialect::MySql) : std::string();
}

// The words of one grant: GRANT SELECT, SHOW VIEW (`a`) ON `db`.`t` TO ...
struct Grant {
  std::vector<std::string> privileges;  // "SELECT", "SHOW VIEW"
  std::string schema;                   // "*": all
  std::string table;                    // "*": all
  std::string routine;                  // "FUNCTION", "PROCEDURE"; empty: tables
  bool may_pass_on = false;
  bool is_role = false;
};

std::size_t skip_parentheses(const Tokens& tokens, std::size_t i) {
  while (i < tokens.size() && tokens[i].text != ")") ++i;
  return i + 1;
}

// Where ON or TO stands.
std::size_t read_privileges(const Tokens& tokens, Grant& grant) {
  std::size_t i = 1;
  std::string privilege;
  for (; i < tokens.size(); ++i) {
    const bool is_end = is_word(tokens[i], "ON") || is_word(tokens[i], "TO");
    if (is_end || tokens[i].text == ",") {
      if (!privilege.empty()) grant.privileges.push_back(std::exchange(privilege, {}));
      if (is_end) break;
    } else if (tokens[i].text == "(") {
      i = skip_parentheses(tokens, i) - 1;
    } else {
      if (!privilege.empty()) privilege += ' ';
      privilege += name_at(tokens, i);
    }
  }
  return i;
}

std::optional<Grant> read_grant(std::string_view line) {
  const auto tokens = read_sql_tokens(line, SqlDialect::MySql);
  if (!tokens || tokens->empty() || !is_word(tokens->front(), "GRANT")) return std::nullopt;
  Grant grant;
  std::size_t i = read_privileges(*tokens, grant);
  grant.is_role = i >= tokens->size() || is_word((*tokens)[i], "TO");
  if (!grant.is_role) {
    ++i;
    const bool is_routine = i < tokens->size() && (is_word((*tokens)[i], "FUNCTION") ||
                                                   is_word((*tokens)[i], "PROCEDURE") ||
                                                   is_word((*tokens)[i], "PACKAGE"));
    if (is_routine) grant.routine = name_at(*tokens, i++);
    grant.schema = name_at(*tokens, i);
    grant.table =
        i + 2 < tokens->size() && (*tokens)[i + 1].text == "." ? name_at(*tokens, i + 2) : "*";
  }
  for (; i + 2 < tokens->size(); ++i) {
    const bool passes_on = is_word((*tokens)[i], "WITH") && is_word((*tokens)[i + 1], "GRANT") &&
                           is_word((*tokens)[i + 2], "OPTION");
    if (passes_on) grant.may_pass_on = true;
  }
  return grant;
}

std::string place_of(const Grant& grant) {
  if (grant.schema == "*") return "everything on the server";
  return grant.table == "*" ? fmt::format("the database {}", grant.schema)
                            : fmt::format("{}.{}", grant.schema, grant.table);
}

// A database in a grant may be a pattern: `shop\_1`.
std::string without_escapes(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size()) ++i;
    plain += name[i];
  }
  return plain;
}

std::string in_words(const std::string& privilege, const Grant& grant) {
  const std::string place = place_of(grant);
  if (privilege == "FILE") return "may read and write files on the server";
  if (privilege == "PROCESS") return "may see the statements of all users";
  if (privilege == "SUPER") return "may administer the server";
  if (privilege == "PROXY") return "may act as another user";
  if (privilege == "EXECUTE") {
    return grant.routine.empty()
               ? fmt::format("may run stored routines of {}", place)
               : fmt::format("may run the stored {} {}", ascii_lower(grant.routine), place);
  }
  if (privilege == "ALL PRIVILEGES") return fmt::format("may do anything with {}", place);
  return fmt::format("may {} on {}", ascii_lower(privilege), place);
}

void add_beyond(const Grant& grant, std::string_view database, SourceRights& rights) {
  const bool is_own = is_same_in_any_case(without_escapes(grant.schema), database);
  for (const std::string& privilege : grant.privileges) {
    if (privilege == "USAGE" || privilege == "SHOW VIEW" || privilege == "SHOW DATABASES") continue;
    if (privilege == "SELECT" || privilege == "SELECT HISTORY") {
      if (!is_own) rights.beyond_reading.push_back(fmt::format("may read {}", place_of(grant)));
      continue;
    }
    rights.beyond_reading.push_back(in_words(privilege, grant));
  }
  const bool is_proxy = grant.privileges == std::vector<std::string>{"PROXY"};
  if (grant.may_pass_on && !is_proxy) {
    rights.beyond_reading.push_back(
        fmt::format("may give its rights on {} to others", place_of(grant)));
  }
}

// "customer" is of the default database, unless any will do; "sales.customer" says it.
bool is_table(std::string_view name, const ReadableColumn& column, std::string_view database,
              bool in_any_schema) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) {
    return is_same_in_any_case(name, column.table) &&
           (in_any_schema || is_same_in_any_case(column.schema, database));
  }
  return is_same_in_any_case(name.substr(0, dot), column.schema) &&
         is_same_in_any_case(name.substr(dot + 1), column.table);
}

bool is_denied_column(std::string_view name, const ReadableColumn& column,
                      std::string_view database) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return is_same_in_any_case(name, column.column);
  return is_same_in_any_case(name.substr(dot + 1), column.column) &&
         is_table(name.substr(0, dot), column, database, true);
}

bool is_allowed(const ReadableColumn& column, const TableRules& rules, std::string_view database) {
  const auto is_named = [&](const std::vector<std::string>& names, bool in_any_schema) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return is_table(name, column, database, in_any_schema);
    });
  };
  if (rules.allowed_tables && !is_named(*rules.allowed_tables, false)) return false;
  if (is_named(rules.denied_tables, true)) return false;
  if (!leaves_column(rules, column.schema, column.table, column.column)) return false;
  return std::none_of(
      rules.denied_columns.begin(), rules.denied_columns.end(),
      [&](const std::string& name) { return is_denied_column(name, column, database); });
}

// For each column whether the rules let it be read. A generated column of a table with denied
// columns is read only if all columns that it is computed from are: the server writes them in
// back-ticks.
std::vector<bool> allowed_columns_of(const std::vector<ReadableColumn>& readable,
                                     const TableRules& rules, std::string_view database) {
  std::vector<bool> allowed;
  allowed.reserve(readable.size());
  for (const ReadableColumn& column : readable) {
    allowed.push_back(is_allowed(column, rules, database));
  }
  const auto has_denied = [&](const ReadableColumn& column) {
    return std::any_of(
        rules.denied_columns.begin(), rules.denied_columns.end(), [&](const std::string& name) {
          const std::size_t dot = name.rfind('.');
          return dot == std::string::npos ||
                 is_table(std::string_view(name).substr(0, dot), column, database, true);
        });
  };
  const auto key_of = [](const ReadableColumn& column, std::string_view name) {
    return fmt::format("{}\n{}\n{}", column.schema, column.table, ascii_lower(name));
  };
  std::unordered_set<std::string> open;  // may be read, as far as is known
  std::vector<std::size_t> generated;
  for (std::size_t i = 0; i < readable.size(); ++i) {
    const ReadableColumn& column = readable[i];
    if (!allowed[i]) continue;
    if (!column.expression.empty() && has_denied(column) &&
        !limits_columns(rules, column.schema, column.table)) {
      generated.push_back(i);
    } else {
      open.insert(key_of(column, column.column));
    }
  }
  const auto is_computed_from_open = [&](const ReadableColumn& column) {
    const auto tokens = read_sql_tokens(column.expression, SqlDialect::MySql);
    return tokens && std::all_of(tokens->begin(), tokens->end(), [&](const SqlToken& token) {
             return token.kind != SqlTokenKind::Name ||
                    open.contains(key_of(column, value_of(token, SqlDialect::MySql)));
           });
  };
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    std::erase_if(generated, [&](std::size_t i) {
      if (!is_computed_from_open(readable[i])) return false;
      open.insert(key_of(readable[i], readable[i].column));
      is_growing = true;
      return true;
    });
  }
  for (const std::size_t i : generated) allowed[i] = false;
  return allowed;
}

bool is_allowed_by_name(const ReadableView& view, const TableRules& rules,
                        std::string_view database) {
  if (!rules.allowed_tables) return false;
  const ReadableColumn any{view.schema, view.name, {}};
  return std::any_of(rules.allowed_tables->begin(), rules.allowed_tables->end(),
                     [&](const std::string& name) { return is_table(name, any, database, false); });
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

using Names = std::unordered_set<std::string>;  // in lower case

// All that is in a definition: the server writes them with names in back-ticks. nullopt: it cannot
// be read.
std::optional<Names> names_in(std::string_view definition) {
  const auto tokens = read_sql_tokens(definition, SqlDialect::MySql);
  if (!tokens || tokens->empty()) return std::nullopt;
  Names names;
  for (const SqlToken& token : *tokens) {
    names.insert(ascii_lower(value_of(token, SqlDialect::MySql)));
  }
  return names;
}

bool uses_denied(const Names& names, const TableRules& rules) {
  const auto has = [&](std::string_view name) { return names.contains(ascii_lower(name)); };
  const auto has_table = [&](const std::string& name) { return has(last_part(name)); };
  const auto has_column = [&](const std::string& name) {
    const std::string_view table = std::string_view(name).substr(
        0, name.size() - std::min(name.size(), last_part(name).size() + 1));
    return has(last_part(name)) && (table.empty() || has(last_part(table)));
  };
  // Of a table that shows only some columns, which others there are is not known here.
  const auto has_limited = [&](const std::string& name) {
    return has(last_part(std::string_view(name).substr(0, std::min(name.rfind('.'), name.size()))));
  };
  if (rules.allowed_columns &&
      std::any_of(rules.allowed_columns->begin(), rules.allowed_columns->end(), has_limited)) {
    return true;
  }
  return std::any_of(rules.denied_tables.begin(), rules.denied_tables.end(), has_table) ||
         std::any_of(rules.denied_columns.begin(), rules.denied_columns.end(), has_column);
}

// The rights it had before are taken away.
std::string create_user() {
  return "-- Run this as an administrator, with a password of your own.\n"
         "CREATE USER IF NOT EXISTS 'helve_reader'@'%' IDENTIFIED BY 'choose a password';\n"
         "REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'helve_reader'@'%';\n";
}

std::string in_backticks(std::string_view name) { return quote_name(name, SqlDialect::MySql); }

}  // namespace

SourceRights read_grants(const std::vector<std::string>& lines, std::string_view database) {
  SourceRights rights;
  for (const std::string& line : lines) {
    const auto grant = read_grant(line);
    if (!grant) {
      const bool is_default_role = line.starts_with("SET DEFAULT ROLE");
      if (!is_default_role) rights.notes.emplace_back("a grant of the user could not be read");
      continue;
    }
    if (grant->is_role) {
      rights.notes.push_back(fmt::format("has the role {}", fmt::join(grant->privileges, ", ")));
      continue;
    }
    add_beyond(*grant, database, rights);
  }
  auto& beyond = rights.beyond_reading;
  std::sort(beyond.begin(), beyond.end());
  beyond.erase(std::unique(beyond.begin(), beyond.end()), beyond.end());
  rights.is_least = beyond.empty() && rights.notes.empty();
  return rights;
}

std::string readable_columns_sql() {
  return fmt::format(
      "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, GENERATION_EXPRESSION FROM "
      "information_schema.COLUMNS "
      "WHERE FIND_IN_SET('select', PRIVILEGES) > 0 AND TABLE_SCHEMA NOT IN "
      "('information_schema', 'performance_schema', 'sys') LIMIT {}",
      kReadableColumnsMax + 1);
}

std::vector<ReadableColumn> read_readable_columns(const std::vector<TextRow>& rows) {
  std::vector<ReadableColumn> columns;
  columns.reserve(rows.size());
  for (const TextRow& row : rows) {
    if (row.size() == 4 && row[0] && row[1] && row[2]) {
      columns.push_back({*row[0], *row[1], *row[2], row[3].value_or("")});
    }
  }
  return columns;
}

std::vector<std::string> beyond_rules(const std::vector<ReadableColumn>& readable,
                                      const TableRules& rules, std::string_view database) {
  std::vector<std::string> found;
  const std::vector<bool> allowed = allowed_columns_of(readable, rules, database);
  for (std::size_t i = 0; i < readable.size(); ++i) {
    if (allowed[i]) continue;
    const ReadableColumn& column = readable[i];
    found.push_back(fmt::format("{}.{}.{}", column.schema, column.table, column.column));
  }
  return found;
}

std::string readable_views_sql() {
  return fmt::format(
      "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE "
      "SECURITY_TYPE <> 'INVOKER' AND TABLE_SCHEMA NOT IN ('mysql', 'information_schema', "
      "'performance_schema', 'sys') LIMIT {}",
      kReadableViewsMax + 1);
}

std::vector<ReadableView> read_readable_views(const std::vector<TextRow>& rows) {
  std::vector<ReadableView> views;
  for (const TextRow& row : rows) {
    if (row.size() == 3 && row[0] && row[1])
      views.push_back({*row[0], *row[1], row[2].value_or("")});
  }
  return views;
}

ViewVerdicts judge_views(const std::vector<ReadableView>& views, const TableRules& rules,
                         std::string_view database) {
  ViewVerdicts verdicts;
  if (rules.denied_tables.empty() && rules.denied_columns.empty() && !rules.allowed_columns) {
    return verdicts;
  }
  struct Open {
    const ReadableView* view;
    Names names;
  };
  std::vector<Open> open;
  Names unseen;
  const auto hide = [&](const ReadableView& view) {
    verdicts.unseen.push_back(view);
    return unseen.insert(ascii_lower(view.name)).second;
  };
  for (const ReadableView& view : views) {
    if (is_allowed_by_name(view, rules, database)) continue;
    auto names = names_in(view.definition);
    if (!names) {
      hide(view);
    } else if (uses_denied(*names, rules)) {
      verdicts.beyond.push_back(fmt::format("the view {}.{}", view.schema, view.name));
    } else {
      open.push_back({&view, *std::move(names)});
    }
  }
  for (bool has_more = !unseen.empty(); has_more;) {
    has_more = false;
    std::erase_if(open, [&](const Open& one) {
      const bool uses_unseen = std::any_of(
          unseen.begin(), unseen.end(), [&](const auto& name) { return one.names.contains(name); });
      if (uses_unseen && hide(*one.view)) has_more = true;
      return uses_unseen;
    });
  }
  return verdicts;
}

std::string setup_script(std::string_view database) {
  // In a grant on a whole database the name is a pattern.
  std::string pattern;
  for (const char c : database) {
    if (c == '_' || c == '%' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return create_user() +
         fmt::format("GRANT SELECT, SHOW VIEW ON {}.* TO 'helve_reader'@'%';\n",
                     in_backticks(pattern)) +
         "-- Then open mysql://helve_reader@HOST/" + std::string(database) +
         "?password=env:NAME; 'helve source check' says whether it can do more than read.\n";
}

std::string setup_script(std::string_view database, const TableRules& rules,
                         const std::vector<ReadableColumn>& readable,
                         const std::vector<ReadableView>& views) {
  struct Table {
    std::vector<std::string> columns;
    bool is_whole = true;
    bool is_view = false;
    bool is_beyond = false;
  };
  using Name = std::pair<std::string, std::string>;
  std::map<Name, Table> tables;
  const std::vector<bool> allowed = allowed_columns_of(readable, rules, database);
  for (std::size_t i = 0; i < readable.size(); ++i) {
    const ReadableColumn& column = readable[i];
    const bool is_in = allowed[i];
    Table& table = tables[{column.schema, column.table}];
    if (is_in) table.columns.push_back(in_backticks(column.column));
    table.is_whole = table.is_whole && is_in;
  }
  for (const ReadableView& view : views) {
    const auto found = tables.find({view.schema, view.name});
    if (found == tables.end()) continue;
    found->second.is_view = true;
    const auto names = names_in(view.definition);
    found->second.is_beyond =
        names && !is_allowed_by_name(view, rules, database) && uses_denied(*names, rules);
  }
  std::string script = create_user();
  std::size_t count = 0;
  for (const auto& [name, table] : tables) {
    if (table.columns.empty() || table.is_beyond || name.first == "mysql") continue;
    if (++count > kScriptTablesMax) {
      script += "-- ... and so on for the other tables.\n";
      break;
    }
    const std::string columns =
        table.is_whole ? std::string() : fmt::format(" ({})", fmt::join(table.columns, ", "));
    script += fmt::format("GRANT SELECT{}{} ON {}.{} TO 'helve_reader'@'%';\n", columns,
                          table.is_view ? ", SHOW VIEW" : "", in_backticks(name.first),
                          in_backticks(name.second));
  }
  return script;
}

}  // namespace helve::sql::mysql
