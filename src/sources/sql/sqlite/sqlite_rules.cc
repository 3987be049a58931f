#include "sources/sql/sqlite/sqlite_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/text.h"
#include "sources/sql/sqlite/sqlite_definition.h"
#include "sources/sql/sqlite/sqlite_guard.h"
#include "sources/sql_tokens.h"

namespace helve::sql {

namespace {

// What computes from its arguments alone, and the time. Nothing that reaches files, settings,
// extensions or the inside of the database.
constexpr std::string_view kFunctions =
    "-> ->> abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling char coalesce concat "
    "concat_ws cos cosh count cume_dist current_date current_time current_timestamp date datetime "
    "degrees dense_rank exp first_value floor format geopoly_area geopoly_bbox geopoly_blob "
    "geopoly_ccw geopoly_contains_point geopoly_group_bbox geopoly_json geopoly_overlap "
    "geopoly_regular geopoly_svg geopoly_within geopoly_xform glob group_concat hex highlight if "
    "ifnull iif instr json json_array json_array_length json_error_position json_extract "
    "json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote "
    "json_remove json_replace json_set json_type json_valid jsonb jsonb_array jsonb_extract "
    "jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove "
    "jsonb_replace jsonb_set julianday lag last_value lead length like likelihood likely ln log "
    "log10 log2 lower ltrim match matchinfo max median min mod nth_value ntile nullif octet_length "
    "offsets percent_rank percentile percentile_cont percentile_disc pi pow power printf quote "
    "radians random randomblob rank regexp replace round row_number rtreedepth rtreenode rtrim "
    "sign sin sinh snippet soundex sqlite_version sqrt strftime string_agg substr substring "
    "subtype sum tan tanh time timediff total trim trunc typeof unhex unicode unistr unistr_quote "
    "unixepoch unlikely upper zeroblob";
constexpr std::string_view kPragmas =
    "foreign_key_list index_info index_list index_xinfo table_info table_list table_xinfo";
constexpr std::string_view kModules =
    "fts3 fts4 fts4aux fts5 fts5vocab geopoly json_each json_tree rtree rtree_i32";
constexpr std::string_view kTableFunctions = "json_each json_tree";
constexpr std::uint32_t kNamesMax = 1'000'000;

std::set<std::string, std::less<>> words_of(std::string_view rest) {
  std::set<std::string, std::less<>> words;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    words.emplace(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

// In lower case, without the name of the only schema there is.
std::string plain_name(std::string_view name) {
  constexpr std::string_view kMain = "main.";
  std::string plain = ascii_lower(name);
  if (plain.starts_with(kMain)) plain.erase(0, kMain.size());
  return plain;
}

std::set<std::string, std::less<>> plain_names(const std::vector<std::string>& names) {
  std::set<std::string, std::less<>> plain;
  for (const std::string& name : names) plain.insert(plain_name(name));
  return plain;
}

// By table, in lower case. Of several names of a table ("t", "main.t") each one limits it.
std::map<std::string, std::set<std::string, std::less<>>, std::less<>> columns_by_table(
    const std::vector<std::string>& rules) {
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> written;
  for (const std::string& rule : rules) {
    const std::size_t dot = std::min(rule.rfind('.'), rule.size());
    written[ascii_lower(rule.substr(0, dot))].insert(
        ascii_lower(rule.substr(std::min(dot + 1, rule.size()))));
  }
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> plain;
  for (auto& [table, columns] : written) {
    const auto [place, is_new] = plain.emplace(plain_name(table), columns);
    if (is_new) continue;
    std::erase_if(place->second,
                  [&shown = columns](const std::string& one) { return !shown.contains(one); });
  }
  return plain;
}

// The longest name of a virtual table that "owner_suffix" begins with.
std::string owner_of(std::string_view shadow, const std::set<std::string, std::less<>>& owners) {
  for (std::size_t end = shadow.rfind('_'); end != std::string_view::npos && end > 0;
       end = shadow.rfind('_', end - 1)) {
    const std::string_view owner = shadow.substr(0, end);
    if (owners.contains(owner)) return std::string(owner);
  }
  return std::string(shadow);
}

sqlite::ReadRefusal schema_refusal(std::string_view what) {
  return {fmt::format("{} may not be read: it tells of tables that the policy hides", what),
          "schema_inspect tells the tables and columns that may be read"};
}

sqlite::ReadRefusal search_refusal(std::string_view table) {
  return {fmt::format("the table {} may not be searched: not all of its columns may be read",
                      quote_name(table)),
          "compare single columns"};
}

// A statement of ours whose rows are two texts.
using TakeTexts = std::function<void(std::string_view first, std::string_view second)>;
Result<void> read_texts(sqlite::FileDatabase& database, const OpContext& context,
                        std::string_view sql, const TakeTexts& take) {
  HELVE_ASSIGN(const auto statement, database.prepare(sql, context, sqlite::StatementOrigin::Ours));
  std::array<sqlite::Value, 2> row;
  for (std::uint32_t count = 0;; ++count) {
    HELVE_ASSIGN(const bool has_row, statement->step());
    if (!has_row) return {};
    if (count == kNamesMax) {
      return Error{ErrorCode::LimitExceeded, "the database has too many tables to judge them"};
    }
    statement->row(row);
    const auto* first = std::get_if<std::string_view>(&row[0]);
    const auto* second = std::get_if<std::string_view>(&row[1]);
    if (first != nullptr && second != nullptr) take(*first, *second);
  }
}

// Of those that are found at all: all others stay among the insides.
void add_virtual(SqliteNames& names, const std::string& table, std::string_view create_table) {
  const auto definition = read_virtual_definition(create_table);
  if (!definition) return;
  const std::string& module = definition->module;
  const bool is_index = module == "fts3" || module == "fts4" || module == "fts5";
  if (!is_index && module != "rtree" && module != "rtree_i32" && module != "geopoly") return;
  names.insides.erase(table);
  if (definition->content) names.contents.emplace(table, *definition->content);
}

// As a constraint of the table says that rows in the way go.
bool has_replace(std::string_view create_table) {
  const auto tokens = read_sql_tokens(create_table, SqlDialect::Sqlite);
  if (!tokens) return true;
  for (std::size_t i = 1; i < tokens->size(); ++i) {
    if (is_word((*tokens)[i], "REPLACE") && is_word((*tokens)[i - 1], "CONFLICT")) return true;
  }
  return false;
}

// What a computed column reads is not told by SQLite: all words of its definition that are columns
// of the table.
Result<void> read_generated(sqlite::FileDatabase& database, const OpContext& context,
                            SqliteNames& names) {
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> computed;  // by table
  HELVE_TRY(read_texts(database, context,
                       "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_xinfo(t.name) "
                       "c WHERE t.schema = 'main' AND t.type = 'table' AND c.hidden IN (2, 3)",
                       [&](std::string_view table, std::string_view column) {
                         computed[ascii_lower(table)].insert(ascii_lower(column));
                       }));
  if (computed.empty()) return {};
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> columns;
  HELVE_TRY(read_texts(database, context,
                       "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_xinfo(t.name) "
                       "c WHERE t.schema = 'main' AND t.type = 'table'",
                       [&](std::string_view table, std::string_view column) {
                         const std::string lower = ascii_lower(table);
                         if (computed.contains(lower)) columns[lower].insert(ascii_lower(column));
                       }));
  for (const auto& [table, own] : computed) {
    for (const std::string& column : own) names.generated[table + "." + column];
  }
  return read_texts(database, context, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'",
                    [&](std::string_view name, std::string_view sql) {
                      const std::string table = ascii_lower(name);
                      const auto own = computed.find(table);
                      if (own == computed.end()) return;
                      const auto words = column_words(sql);
                      for (const std::string& column : own->second) {
                        const auto found = words.find(column);
                        if (found == words.end()) continue;
                        auto& from = names.generated[table + "." + column].emplace();
                        for (const std::string& word : found->second) {
                          if (columns[table].contains(word)) from.insert(word);
                        }
                      }
                    });
}

// Pages are texts here.
Result<void> read_indexes(sqlite::FileDatabase& database, const OpContext& context,
                          SqliteNames& names) {
  const auto page_of = [](std::string_view text) {
    std::int64_t page = 0;
    std::from_chars(text.data(), text.data() + text.size(), page);
    return page;
  };
  const auto add_column = [&](std::string_view page, std::string_view column) {
    names.indexes[page_of(page)].columns.insert(ascii_lower(column));
  };
  HELVE_TRY(read_texts(database, context,
                       "SELECT CAST(rootpage AS TEXT), tbl_name FROM sqlite_schema "
                       "WHERE type = 'index'",
                       [&](std::string_view page, std::string_view table) {
                         names.indexes[page_of(page)].table = ascii_lower(table);
                       }));
  HELVE_TRY(
      read_texts(database, context,
                 "SELECT CAST(s.rootpage AS TEXT), coalesce(x.name, '') FROM sqlite_schema s, "
                 "pragma_index_xinfo(s.name) x WHERE s.type = 'index' AND x.key",
                 add_column));
  // The condition of a partial one may be about any column.
  return read_texts(database, context,
                    "SELECT CAST(s.rootpage AS TEXT), '' FROM sqlite_schema s, "
                    "pragma_index_list(s.tbl_name) l WHERE s.type = 'index' AND l.name = s.name "
                    "AND l.partial",
                    add_column);
}

}  // namespace

bool is_schema_table(std::string_view table) {
  constexpr std::array<std::string_view, 8> kTablesOfSchema = {
      "sqlite_schema",   "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master",
      "sqlite_sequence", "sqlite_stat1",  "sqlite_stat3",       "sqlite_stat4"};
  return table.starts_with("pragma_") ||
         std::find(kTablesOfSchema.begin(), kTablesOfSchema.end(), table) != kTablesOfSchema.end();
}

sqlite::FilePermits sqlite_permits() {
  return {words_of(kFunctions), words_of(kPragmas), words_of(kModules), words_of(kTableFunctions)};
}

Result<SqliteNames> read_sqlite_names(sqlite::FileDatabase& database, const OpContext& context) {
  SqliteNames names;
  std::vector<std::string> shadows;
  HELVE_TRY(read_texts(database, context,
                       "SELECT name, type FROM pragma_table_list WHERE schema = 'main'",
                       [&](std::string_view name, std::string_view type) {
                         std::string lower = ascii_lower(name);
                         if (type == "view") names.views.insert(lower);
                         if (type == "virtual") names.virtuals.insert(lower);
                         if (type == "shadow") shadows.push_back(lower);
                         names.tables.insert(std::move(lower));
                       }));
  for (std::string& shadow : shadows) {
    std::string owner = owner_of(shadow, names.virtuals);
    names.shadows.emplace(std::move(shadow), std::move(owner));
  }
  names.insides = names.virtuals;
  HELVE_TRY(read_texts(database, context,
                       "SELECT name, sql FROM sqlite_schema WHERE type = 'table'",
                       [&](std::string_view name, std::string_view sql) {
                         const std::string lower = ascii_lower(name);
                         if (names.virtuals.contains(lower)) add_virtual(names, lower, sql);
                         if (has_replace(sql)) names.replacing.insert(lower);
                       }));
  HELVE_TRY(read_texts(
      database, context, "SELECT name, type FROM sqlite_schema WHERE type = 'trigger'",
      [&](std::string_view name, std::string_view) { names.triggers.insert(ascii_lower(name)); }));
  HELVE_TRY(read_generated(database, context, names));
  HELVE_TRY(read_indexes(database, context, names));
  return names;
}

ReadRules::ReadRules(const TableRules& rules, SqliteNames names)
    : denied_(plain_names(rules.denied_tables)),
      denied_columns_(plain_names(rules.denied_columns)),
      names_(std::move(names)) {
  if (rules.allowed_columns) shown_columns_ = columns_by_table(*rules.allowed_columns);
  denies_ = !denied_.empty() || !denied_columns_.empty() || !shown_columns_.empty();
  if (rules.allowed_tables) allowed_ = plain_names(*rules.allowed_tables);
  for (const auto& entry : names_.indexes) {
    const SqliteNames::Index& index = entry.second;
    if (!has_hidden_columns(index.table)) continue;
    const bool is_hidden =
        std::any_of(index.columns.begin(), index.columns.end(), [&](const std::string& column) {
          return column.empty() || is_computed_from_hidden(index.table, column);
        });
    if (is_hidden) hidden_index_pages_.insert(entry.first);
  }
}

std::optional<sqlite::ReadRefusal> ReadRules::begin(std::string_view sql) {
  mentioned_.clear();
  defined_.clear();
  reached_.clear();
  const auto tokens = read_sql_tokens(sql, SqlDialect::Sqlite);
  if (!tokens) return sqlite::ReadRefusal{tokens.error().message, ""};
  // Some of them are the business of virtual tables, which ask by statements of their own.
  const auto first = read_sql_tokens(without_explain(sql), SqlDialect::Sqlite);
  if (!first || (!first->empty() && is_word(first->front(), "PRAGMA"))) {
    return schema_refusal("what PRAGMA tells");
  }
  const bool has_with = std::any_of(tokens->begin(), tokens->end(),
                                    [](const SqlToken& one) { return is_word(one, "WITH"); });
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const SqlToken& token = (*tokens)[i];
    if (token.kind == SqlTokenKind::Symbol || token.kind == SqlTokenKind::Number) continue;
    std::string name = ascii_lower(value_of(token, SqlDialect::Sqlite));
    if (has_with && i + 1 < tokens->size() &&
        (is_word((*tokens)[i + 1], "AS") || (*tokens)[i + 1].text == "(")) {
      defined_.insert(name);
    }
    mentioned_.insert(std::move(name));
  }
  return judge_words(*tokens);
}

// SQLite does not ask about the columns of USING, of NATURAL JOIN and of the arguments of a virtual
// table, nor about a table of which only those are used.
std::optional<sqlite::ReadRefusal> ReadRules::judge_words(const std::vector<SqlToken>& tokens) {
  const auto is_joining = [](const SqlToken& one) {
    return is_word(one, "USING") || is_word(one, "NATURAL");
  };
  const bool joins = std::any_of(tokens.begin(), tokens.end(), is_joining);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string name = ascii_lower(value_of(tokens[i], SqlDialect::Sqlite));
    if (tokens[i + 1].text != "(" || !names_.virtuals.contains(name)) continue;
    if (auto refusal = judge(name, "", "")) return refusal;
    if (has_hidden_columns(name)) return search_refusal(name);
  }
  if (!joins) return std::nullopt;
  for (const std::string& name : mentioned_) {
    if (!names_.tables.contains(name)) continue;
    if (auto refusal = judge(name, "", "")) return refusal;
    if (has_hidden_columns(name)) {
      return sqlite::ReadRefusal{
          fmt::format("USING and NATURAL are not allowed with the table {}: not all of its "
                      "columns may be read",
                      quote_name(name)),
          "join it by ON"};
    }
  }
  return std::nullopt;
}

bool ReadRules::has_hidden_columns(const std::string& table) const {
  if (shown_columns_.contains(table)) return true;
  const std::string start = table + ".";
  const auto column = denied_columns_.lower_bound(start);
  return column != denied_columns_.end() && column->starts_with(start);
}

bool ReadRules::may_use(const std::string& table) const {
  if (denied_.contains(table) || is_index_hidden(table)) return false;
  return !allowed_ || allowed_->contains(table);
}

// Of no column in particular: rows are counted.
bool ReadRules::is_column_hidden(const std::string& table, const std::string& column) const {
  if (column.empty()) return false;
  if (denied_columns_.contains(fmt::format("{}.{}", table, column))) return true;
  const auto shown = shown_columns_.find(table);
  return shown != shown_columns_.end() && !shown->second.contains(column);
}

// SQLite lets no column be computed from itself, by whichever way.
bool ReadRules::is_computed_from_hidden(const std::string& table, const std::string& column) const {
  Names looked_at;
  std::vector<std::string> open{column};
  while (!open.empty()) {
    const std::string one = std::move(open.back());
    open.pop_back();
    if (!looked_at.insert(one).second) continue;
    if (is_column_hidden(table, one)) return true;
    const auto found = names_.generated.find(fmt::format("{}.{}", table, one));
    if (found == names_.generated.end()) continue;
    if (!found->second) return true;
    open.insert(open.end(), found->second->begin(), found->second->end());
  }
  return false;
}

// Names of WITH are told as views are: one that the statement may define is not believed.
bool ReadRules::is_view_allowed(const std::string& view) const {
  return names_.views.contains(view) && allowed_->contains(view) && !defined_.contains(view);
}

// The insides of a virtual table have its columns under other names.
bool ReadRules::is_shadow_hidden(const std::string& table, std::string_view inside) const {
  const auto shadow = names_.shadows.find(table);
  if (shadow == names_.shadows.end()) return false;
  const std::string& owner = shadow->second;
  if (denied_.contains(owner) || is_index_hidden(owner)) return true;
  // The virtual table itself asks by statements of its own, without views.
  return denies_ && (mentioned_.contains(table) || !inside.empty());
}

// The words of a search index are those of its table, without a question to that.
bool ReadRules::is_index_hidden(const std::string& table) const {
  if (!denies_) return false;
  if (names_.insides.contains(table)) return true;
  const auto found = names_.contents.find(table);
  if (found == names_.contents.end()) return false;
  const std::string& content = found->second;
  const bool is_plain = names_.tables.contains(content) && !names_.views.contains(content) &&
                        !names_.virtuals.contains(content) && !names_.shadows.contains(content);
  return !is_plain || denied_.contains(content) || has_hidden_columns(content);
}

bool ReadRules::is_allowed(const std::string& table, const std::string& column,
                           const std::string& inside) {
  if (!allowed_ || allowed_->contains(table)) return true;
  if (!names_.tables.contains(table)) return true;  // of WITH
  const auto shadow = names_.shadows.find(table);
  if (shadow != names_.shadows.end() && allowed_->contains(shadow->second)) {
    return !mentioned_.contains(table);
  }
  if (!inside.empty() && is_view_allowed(inside)) {
    reached_.insert(table);
    return true;
  }
  // Of no column in particular: the rows of a view are counted by those of its tables. A table that
  // the statement names may be counted by itself.
  return column.empty() && reached_.contains(table) && !mentioned_.contains(table);
}

std::optional<sqlite::ReadRefusal> ReadRules::judge(std::string_view table, std::string_view column,
                                                    std::string_view inside) {
  const std::string name = ascii_lower(table);
  const std::string part = ascii_lower(column);
  if (is_schema_table(name)) return schema_refusal(fmt::format("the table {}", quote_name(table)));
  if (denied_.contains(name) || is_shadow_hidden(name, inside) || is_index_hidden(name) ||
      !is_allowed(name, part, ascii_lower(inside))) {
    return sqlite::ReadRefusal{fmt::format("the table {} may not be read", quote_name(table)), ""};
  }
  if (!has_hidden_columns(name)) return std::nullopt;
  constexpr const char* kNameColumns = "name the columns: * reads denied ones";
  if (is_column_hidden(name, part)) {
    return sqlite::ReadRefusal{fmt::format("the column {} may not be read",
                                           quote_name(fmt::format("{}.{}", table, column))),
                               kNameColumns};
  }
  if (is_computed_from_hidden(name, part)) {
    return sqlite::ReadRefusal{
        fmt::format("the column {} may not be read: it is computed from other columns, not all of "
                    "which may be read",
                    quote_name(fmt::format("{}.{}", table, column))),
        kNameColumns};
  }
  // The column that has the name of its virtual table searches all the others.
  if (part == name && names_.virtuals.contains(name)) return search_refusal(table);
  return std::nullopt;
}

Result<void> check_index_order(sqlite::FileDatabase& database, const ReadRules& rules,
                               std::string_view sql, const OpContext& context) {
  if (rules.hidden_index_pages().empty()) return {};
  const std::string_view inner = without_explain(sql);
  HELVE_ASSIGN(const auto program, database.prepare(fmt::format("EXPLAIN {}", inner), context,
                                                    sqlite::StatementOrigin::Ours));
  // addr, opcode, p1, p2, p3 ...: cursors are opened before they are moved.
  std::vector<sqlite::Value> row(program->columns());
  std::set<std::int64_t> cursors;
  bool is_moved = false;
  while (true) {
    HELVE_ASSIGN(const bool has_row, program->step());
    if (!has_row) break;
    program->row(row);
    const auto* opcode = row.size() < 5 ? nullptr : std::get_if<std::string_view>(&row[1]);
    const auto* cursor = row.size() < 5 ? nullptr : std::get_if<std::int64_t>(&row[2]);
    const auto* page = row.size() < 5 ? nullptr : std::get_if<std::int64_t>(&row[3]);
    const auto* schema = row.size() < 5 ? nullptr : std::get_if<std::int64_t>(&row[4]);
    if (opcode == nullptr || cursor == nullptr || page == nullptr || schema == nullptr) {
      return Error{ErrorCode::Internal, "SQLite explains its programs in another form"};
    }
    const bool opens = *opcode == "OpenRead" || *opcode == "ReopenIdx";
    if (opens && *schema == 0 && rules.hidden_index_pages().contains(*page)) {
      cursors.insert(*cursor);
    }
    const bool moves = *opcode == "Rewind" || *opcode == "Last" || opcode->starts_with("Seek") ||
                       *opcode == "Next" || *opcode == "Prev";
    is_moved = is_moved || (moves && cursors.contains(*cursor));
  }
  if (!is_moved) return {};
  return Error{ErrorCode::Denied,
               "the row order would reveal hidden columns: it comes from an index that has some",
               "Write NOT INDEXED after the table name: FROM customer NOT INDEXED."};
}

}  // namespace helve::sql
