// schema_inspect: what a SQL database has, as much of it as is asked for.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/tables/catalogue_search.h"
#include "toolkit/tables/name_repair.h"
#include "toolkit/tables/table_probe.h"
#include "toolkit/tools/catalogue_age.h"
#include "toolkit/tools/table_tools.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kSamplesShown = 3;
constexpr double kSampleShare = 0.3;  // of the time that is left
constexpr std::size_t kNear = 5;
constexpr std::size_t kColumnsSuggested = 20;

enum class SchemaDetail : std::uint8_t { Names, Summary, Full };

// A call, read.
struct Inspection {
  ToolCall& call;
  const Catalogue& catalogue;
  SchemaDetail detail = SchemaDetail::Summary;
  std::size_t limit = 50;
};

std::string_view table_kind_name(TableInfo::Kind kind) {
  switch (kind) {
    case TableInfo::Kind::Table:
      return "table";
    case TableInfo::Kind::View:
      return "view";
    case TableInfo::Kind::Virtual:
      return "virtual table";
  }
  return "";
}

ReplyValue text_list(const std::vector<std::string>& texts) {
  return ReplyValue::List(texts.begin(), texts.end());
}

void set_column_totals(std::size_t total, std::size_t limit, bool is_all, Reply& reply) {
  reply.set_quietly("total_available", std::uint64_t{total});
  reply.set_quietly("total_is", is_all ? "exact" : "at_least");
  reply.set_quietly("truncated", total > limit);
  reply.set_quietly("limit_applied", std::uint64_t{limit});
}

// Items of a list as far as the limit goes.
void add_list(std::string key, ReplyValue::List items, std::size_t limit, Reply& reply) {
  ReplyList list{std::move(key), {}, std::move(items)};
  if (list.items.size() > limit) {
    list.left_out = list.items.size() - limit;
    list.items.resize(limit);
  }
  reply.list(std::move(list));
}

std::string key_text(const ForeignKeyInfo& key) {
  const std::string table = key.schema.empty() ? key.table : key.schema + "." + key.table;
  return fmt::format("{} -> {}({})", fmt::join(key.columns, ", "), table,
                     fmt::join(key.other_columns, ", "));
}

bool is_target(const ForeignKeyInfo& key, const TableInfo& from, const TableInfo& table) {
  const std::string& schema = key.schema.empty() ? from.schema : key.schema;
  return is_same_in_any_case(key.table, table.name) && is_same_in_any_case(schema, table.schema);
}

// Foreign keys of other tables that point at this one.
std::vector<std::string> referenced_by(const TableInfo& table, const Catalogue& catalogue) {
  std::vector<std::string> keys;
  for (const TableInfo& other : catalogue.tables) {
    for (const ForeignKeyInfo& key : other.foreign_keys) {
      if (!is_target(key, other, table)) continue;
      keys.push_back(fmt::format("{}({}) -> {}", plain_table(other, catalogue),
                                 fmt::join(key.columns, ", "), fmt::join(key.other_columns, ", ")));
    }
  }
  return keys;
}

void add_size(const TableInfo& table, ReplyValue::Members& members) {
  if (!table.rows) return;
  members.emplace_back(table.is_rows_exact ? "rows" : "rows_about", *table.rows);
}

ReplyValue::Members summary_of(const TableInfo& table, const Catalogue& catalogue) {
  ReplyValue::Members members;
  members.emplace_back("table", plain_table(table, catalogue));
  members.emplace_back("kind", table_kind_name(table.kind));
  add_size(table, members);
  members.emplace_back("columns", std::uint64_t{table.columns.size()});
  if (!table.primary_key.empty()) members.emplace_back("primary_key", text_list(table.primary_key));
  if (!table.comment.empty()) members.emplace_back("comment", table.comment);
  return members;
}

ReplyValue::Members full_of(const TableInfo& table, const Catalogue& catalogue) {
  ReplyValue::Members members;
  members.emplace_back("table", plain_table(table, catalogue));
  members.emplace_back("kind", table_kind_name(table.kind));
  add_size(table, members);
  if (!table.comment.empty()) members.emplace_back("comment", table.comment);
  ReplyValue::List columns;
  for (const ColumnInfo& column : table.columns) columns.emplace_back(written_column(column));
  members.emplace_back("columns", std::move(columns));
  if (!table.primary_key.empty()) members.emplace_back("primary_key", text_list(table.primary_key));
  ReplyValue::List keys;
  for (const ForeignKeyInfo& key : table.foreign_keys) keys.emplace_back(key_text(key));
  if (!keys.empty()) members.emplace_back("foreign_keys", std::move(keys));
  const std::vector<std::string> from = referenced_by(table, catalogue);
  if (!from.empty()) members.emplace_back("referenced_by", text_list(from));
  if (!table.checks.empty()) members.emplace_back("checks", text_list(table.checks));
  return members;
}

void warn_of_catalogue(const Catalogue& catalogue, Reply& reply) {
  if (catalogue.is_complete) return;
  reply.warn(fmt::format("the database has more tables than the first {} that were read",
                         format_count(catalogue.tables.size())));
}

ToolAnswer list_tables(const Inspection& inspection) {
  const Catalogue& catalogue = inspection.catalogue;
  Reply reply;
  const std::size_t total = catalogue.tables.size();
  bool has_estimates = false;
  ReplyValue::List items;
  for (const TableInfo& table : catalogue.tables) {
    has_estimates = has_estimates || (table.rows && !table.is_rows_exact);
    if (items.size() > inspection.limit) continue;
    if (inspection.detail == SchemaDetail::Names) {
      items.emplace_back(plain_table(table, catalogue));
    } else {
      items.emplace_back(inspection.detail == SchemaDetail::Full ? full_of(table, catalogue)
                                                                 : summary_of(table, catalogue));
    }
  }
  std::string headline = fmt::format("{} table{}", format_count(total), total == 1 ? "" : "s");
  if (has_estimates && inspection.detail != SchemaDetail::Names) {
    headline += "; rows are estimates of the catalogue, not counted";
  }
  reply.say(std::move(headline));
  if (!catalogue.default_schema.empty()) {
    reply.set_quietly("default_schema", catalogue.default_schema);
  }
  set_column_totals(total, inspection.limit, catalogue.is_complete, reply);
  ReplyList list{"tables", {}, std::move(items)};
  if (list.items.size() > inspection.limit) list.items.resize(inspection.limit);
  list.left_out = total - list.items.size();
  reply.list(std::move(list));
  warn_of_catalogue(catalogue, reply);
  if (inspection.detail != SchemaDetail::Full) reply.next("schema_inspect table=NAME");
  return reply;
}

// Whether any of the keys that the column is part of.
std::string column_key(const TableInfo& table, const ColumnInfo& column) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return is_same_in_any_case(name, column.name);
    });
  };
  if (has(table.primary_key)) return "primary";
  for (const ForeignKeyInfo& key : table.foreign_keys) {
    if (has(key.columns)) return "foreign";
  }
  for (const IndexInfo& index : table.indexes) {
    if (!index.is_unique || !has(index.columns)) continue;
    return index.columns.size() == 1 ? "unique" : "part of unique";
  }
  return {};
}

OpContext sampling(ToolCall& call) {
  OpContext part = call.op;
  if (call.op.deadline.is_never()) return part;
  const double left = static_cast<double>(call.op.deadline.remaining().count());
  part.deadline =
      Deadline(call.env.clock(), Duration(static_cast<std::int64_t>(left * kSampleShare)));
  return part;
}

ReplyValue::List table_columns(const TableInfo& table, const Inspection& inspection) {
  std::vector<ColumnSample> samples;
  if (inspection.detail == SchemaDetail::Full) {
    samples = sample_values(*inspection.call.tables, table, inspection.catalogue, kSamplesShown,
                            sampling(inspection.call));
  }
  ReplyValue::List items;
  for (const ColumnInfo& column : table.columns) {
    if (inspection.detail == SchemaDetail::Names) {
      items.emplace_back(column.name);
      continue;
    }
    ReplyValue::Members members;
    members.emplace_back("name", column.name);
    members.emplace_back("type", column.type);
    members.emplace_back("nullable", column.is_nullable);
    if (const std::string key = column_key(table, column); !key.empty()) {
      members.emplace_back("key", key);
    }
    if (column.otherwise) members.emplace_back("default", *column.otherwise);
    if (column.is_generated) members.emplace_back("generated", true);
    if (!column.comment.empty()) members.emplace_back("comment", column.comment);
    const auto sample = std::find_if(samples.begin(), samples.end(), [&](const ColumnSample& one) {
      return one.column == column.name;
    });
    if (sample != samples.end()) {
      ReplyValue::List values;
      for (const SqlValue& value : sample->values) values.emplace_back(shown_value(value));
      members.emplace_back("samples", std::move(values));
    }
    items.emplace_back(std::move(members));
  }
  return items;
}

ReplyValue::List indexes_of(const TableInfo& table, const std::string& shown_table) {
  ReplyValue::List items;
  for (const IndexInfo& index : table.indexes) {
    ReplyValue::Members members;
    if (!shown_table.empty()) members.emplace_back("table", shown_table);
    members.emplace_back("index", index.name);
    members.emplace_back("columns", text_list(index.columns));
    members.emplace_back("is",
                         index.is_primary ? "primary" : (index.is_unique ? "unique" : "plain"));
    items.emplace_back(std::move(members));
  }
  return items;
}

// Whether a policy hides columns of the table: then * would be refused.
bool has_hidden_columns(const TableInfo& table, const Policy& policy) {
  return std::any_of(
      policy.denied_columns.begin(), policy.denied_columns.end(), [&](const std::string& name) {
        const std::string_view path = std::string_view(name).substr(0, name.rfind('.'));
        return is_same_in_any_case(path.substr(path.rfind('.') + 1), table.name);
      });
}

std::string suggested_select(const TableInfo& table, const Inspection& inspection) {
  const SqlDialect dialect = inspection.call.tables->dialect();
  std::string columns = "*";
  if (has_hidden_columns(table, inspection.call.policy) && !table.columns.empty()) {
    columns.clear();
    for (std::size_t i = 0; i < std::min(table.columns.size(), kColumnsSuggested); ++i) {
      columns += (i > 0 ? ", " : "") + written_name(table.columns[i].name, dialect);
    }
  }
  return fmt::format("SELECT {} FROM {} LIMIT 20", columns,
                     written_table(table, inspection.catalogue, dialect));
}

ToolAnswer describe_table(const Inspection& inspection, const TableInfo& table) {
  Reply reply;
  reply.say(fmt::format("a {} of {} column{}", table_kind_name(table.kind), table.columns.size(),
                        table.columns.size() == 1 ? "" : "s"));
  reply.set("table", plain_table(table, inspection.catalogue));
  reply.set_quietly("kind", table_kind_name(table.kind));
  if (table.rows) {
    reply.set(table.is_rows_exact ? "rows" : "rows_about", *table.rows);
    if (!table.is_rows_exact) reply.set_quietly("rows_is", "estimate");
  }
  if (!table.primary_key.empty()) reply.set("primary_key", text_list(table.primary_key));
  if (!table.comment.empty()) reply.set("comment", table.comment);
  ReplyValue::List keys;
  for (const ForeignKeyInfo& key : table.foreign_keys) keys.emplace_back(key_text(key));
  const std::vector<std::string> from = referenced_by(table, inspection.catalogue);
  ReplyValue::List indexes = indexes_of(table, "");
  const bool is_full = inspection.detail == SchemaDetail::Full;
  const std::size_t most = std::max({table.columns.size(), keys.size(), from.size(),
                                     table.checks.size(), is_full ? indexes.size() : 0});
  set_column_totals(table.columns.size(), inspection.limit, true, reply);
  reply.set_quietly("truncated", most > inspection.limit);
  add_list("columns", table_columns(table, inspection), inspection.limit, reply);
  if (!keys.empty()) add_list("foreign_keys", std::move(keys), inspection.limit, reply);
  if (!from.empty()) {
    add_list("referenced_by", ReplyValue::List(from.begin(), from.end()), inspection.limit, reply);
  }
  if (!table.checks.empty()) {
    add_list("checks", ReplyValue::List(table.checks.begin(), table.checks.end()), inspection.limit,
             reply);
  }
  if (is_full && !indexes.empty()) {
    add_list("indexes", std::move(indexes), inspection.limit, reply);
  }
  const std::string sql = suggested_select(table, inspection);
  reply.next_from_data(
      {"query_execute sql=" + to_json(JsonValue(sql)), "query_execute", "suggested_sql", sql});
  return reply;
}

// Of one table, or of all.
ToolAnswer list_keys(const Inspection& inspection, const TableInfo* only, bool is_of_indexes) {
  const Catalogue& catalogue = inspection.catalogue;
  Reply reply;
  ReplyValue::List items;
  for (const TableInfo& table : catalogue.tables) {
    const std::string name = plain_table(table, catalogue);
    if (is_of_indexes) {
      if (only != nullptr && only != &table) continue;
      for (ReplyValue& index : indexes_of(table, name)) items.push_back(std::move(index));
      continue;
    }
    for (const ForeignKeyInfo& key : table.foreign_keys) {
      if (only != nullptr && only != &table && !is_target(key, table, *only)) continue;
      const std::string other = key.schema.empty() ? key.table : key.schema + "." + key.table;
      items.emplace_back(ReplyValue::Members{{"table", name},
                                             {"columns", text_list(key.columns)},
                                             {"refers_to", other},
                                             {"other_columns", text_list(key.other_columns)}});
    }
  }
  reply.say(fmt::format("{} {}{}", format_count(items.size()),
                        is_of_indexes ? "index" : "foreign key",
                        items.size() == 1 ? "" : (is_of_indexes ? "es" : "s")));
  set_column_totals(items.size(), inspection.limit, catalogue.is_complete || only != nullptr,
                    reply);
  if (items.empty() && !is_of_indexes) {
    reply.warn("none is declared: columns of the same name may join all the same");
  }
  add_list(is_of_indexes ? "indexes" : "foreign_keys", std::move(items), inspection.limit, reply);
  warn_of_catalogue(catalogue, reply);
  return reply;
}

ToolAnswer search(const Inspection& inspection, const std::string& pattern) {
  const Catalogue& catalogue = inspection.catalogue;
  const CatalogueHits found = search_catalogue(pattern, catalogue, inspection.limit);
  Reply reply;
  ReplyValue::List items;
  for (const CatalogueHit& hit : found.hits) {
    ReplyValue::Members members;
    members.emplace_back("table", plain_table(*hit.table, catalogue));
    if (hit.column != nullptr) {
      members.emplace_back("column", hit.column->name);
      members.emplace_back("type", hit.column->type);
      if (!hit.column->comment.empty()) members.emplace_back("comment", hit.column->comment);
    } else {
      members.emplace_back("type", table_kind_name(hit.table->kind));
      if (!hit.table->comment.empty()) members.emplace_back("comment", hit.table->comment);
    }
    items.emplace_back(std::move(members));
  }
  reply.say(found.total == 0
                ? fmt::format("no table or column is named like \"{}\"", elide_end(pattern, 60))
                : fmt::format("{} named like \"{}\", best first", format_count(found.total),
                              elide_end(pattern, 60)));
  set_column_totals(found.total, inspection.limit, catalogue.is_complete, reply);
  ReplyList list{"hits", {}, std::move(items)};
  list.left_out = found.total - list.items.size();
  reply.list(std::move(list));
  if (found.total == 0) reply.warn("try another word, or a part of one; list_tables has all");
  warn_of_catalogue(catalogue, reply);
  return reply;
}

ToolError unknown_table(const std::string& name, const Catalogue& catalogue, ToolCall& call) {
  ToolError error(
      Error{ErrorCode::NotFound,
            fmt::format("{} has no table {}", call.tables->info().name, elide_end(name, 80)),
            "schema_inspect lists the tables; action=search pattern=WORD looks for names"});
  for (const TableInfo* table : near_tables(name, catalogue, kNear)) {
    error.error.suggestions.push_back(plain_table(*table, catalogue));
  }
  if (!error.error.suggestions.empty()) {
    error.error.hint = "if one of did_you_mean is meant, call again with it";
  }
  error.example = R"(schema_inspect {"table":"NAME"})";
  return error;
}

// What is asked for, with a word where that was a choice.
std::string chosen_action(ToolCall& call, std::vector<std::string>& warnings) {
  const Arguments& arguments = call.arguments;
  const std::string& action = arguments.text("action");
  if (arguments.was_given("action")) {
    if (action == "list_tables" && arguments.was_given("table")) {
      warnings.emplace_back("table is not used by list_tables: action=describe_table shows one");
    }
    return action;
  }
  if (arguments.was_given("table")) {
    warnings.emplace_back("read as action=describe_table, since a table is named");
    return "describe_table";
  }
  if (arguments.was_given("pattern")) {
    warnings.emplace_back("read as action=search, since there is a pattern");
    return "search";
  }
  return action;
}

// The name in quotes of any dialect, too.
std::string bare_table(std::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (c != '"' && c != '`' && c != '[' && c != ']') bare += c;
  }
  return std::string(trimmed(bare));
}

Error missing(std::string_view parameter, std::string_view action, std::string_view example) {
  return {ErrorCode::InvalidInput, fmt::format("{} needs {}", action, parameter),
          fmt::format("for instance: schema_inspect action={} {}", action, example)};
}

ToolAnswer inspect(ToolCall& call, const std::string& action, std::vector<std::string>& warnings) {
  auto catalogue = current_catalogue(call, warnings);
  if (!catalogue) return ToolError(std::move(catalogue).error());
  const TableInfo* table = nullptr;
  const bool needs_table = action == "describe_table";
  const bool takes_table = needs_table || action == "list_indexes" || action == "list_foreign_keys";
  if (takes_table && call.arguments.has("table")) {
    const std::string& given = call.arguments.text("table");
    const std::string name = bare_table(given);
    table = (*catalogue)->find(given);
    if (table == nullptr) table = (*catalogue)->find(name);
    if (table == nullptr) {
      // It may be new.
      catalogue = call.tables->catalogue(call.op, true);
      if (!catalogue) return ToolError(std::move(catalogue).error());
      table = (*catalogue)->find(name);
    }
    if (table == nullptr) return unknown_table(name, **catalogue, call);
  }
  if (needs_table && table == nullptr) {
    return ToolError(missing("the name of a table", action, "table=NAME"));
  }
  const std::string& detail = call.arguments.text("detail");
  const Inspection inspection{call, **catalogue,
                              detail == "names"  ? SchemaDetail::Names
                              : detail == "full" ? SchemaDetail::Full
                                                 : SchemaDetail::Summary,
                              static_cast<std::size_t>(call.arguments.integer("limit"))};
  if (action == "describe_table") return describe_table(inspection, *table);
  if (action == "list_indexes") return list_keys(inspection, table, true);
  if (action == "list_foreign_keys") return list_keys(inspection, table, false);
  if (action != "search") return list_tables(inspection);
  if (!call.arguments.has("pattern") || bare_table(call.arguments.text("pattern")).empty()) {
    return ToolError(missing("a pattern", action, "pattern=WORD"));
  }
  return search(inspection, call.arguments.text("pattern"));
}

}  // namespace

std::string written_column(const ColumnInfo& column) {
  std::string text = column.name;
  if (!column.type.empty()) text += " " + column.type;
  if (!column.is_nullable) text += " not null";
  if (column.otherwise) text += " default " + *column.otherwise;
  if (column.is_generated) text += " generated";
  return text;
}

ToolAnswer schema_inspect(ToolCall& call) {
  std::vector<std::string> warnings;
  const std::string action = chosen_action(call, warnings);
  ToolAnswer answer = inspect(call, action, warnings);
  if (auto* reply = std::get_if<Reply>(&answer)) {
    for (std::string& warning : warnings) reply->warn(std::move(warning));
  } else {
    auto& error = std::get<ToolError>(answer);
    error.warnings.insert(error.warnings.end(), warnings.begin(), warnings.end());
  }
  return answer;
}

}  // namespace helve::toolkit
