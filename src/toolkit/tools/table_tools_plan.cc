// explain_plan: how a database would run a statement, and what in that is worth a word.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "base/text.h"
#include "sources/sql_tokens.h"
#include "toolkit/tables/name_repair.h"
#include "toolkit/tables/statement_outline.h"
#include "toolkit/tools/table_tools.h"

namespace helve::toolkit {

namespace {

constexpr std::uint64_t kLargeTable = 10'000;
constexpr double kManyRows = 100'000;
constexpr std::size_t kTreeDepthMax = 32;
constexpr std::size_t kTreeItemsMax = 200;

ReplyValue tree_value(const JsonValue& json, std::size_t depth = 0) {
  if (const bool* truth = json.if_bool()) return *truth;
  if (const std::string* text = json.if_string()) return *text;
  if (json.is_number()) {
    if (const auto whole = json.to_int64()) return *whole;
    const auto number = json.to_double();
    return number ? ReplyValue(*number) : ReplyValue(to_json(json));
  }
  if (depth >= kTreeDepthMax) return {};
  if (const auto* list = json.if_array()) {
    ReplyValue::List items;
    for (std::size_t i = 0; i < std::min(list->size(), kTreeItemsMax); ++i) {
      items.push_back(tree_value((*list)[i], depth + 1));
    }
    return items;
  }
  if (const auto* object = json.if_object()) {
    ReplyValue::Members members;
    for (std::size_t i = 0; i < std::min(object->size(), kTreeItemsMax); ++i) {
      members.emplace_back((*object)[i].key, tree_value((*object)[i].value, depth + 1));
    }
    return members;
  }
  return {};
}

bool is_plan_name_character(char c) { return is_letter_or_digit(c) || c == '_'; }

// As a whole word, in any case.
bool has_word(std::string_view line, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = 0; at + word.size() <= line.size(); ++at) {
    const bool begins = at == 0 || !is_plan_name_character(line[at - 1]);
    const std::size_t end = at + word.size();
    const bool ends = end == line.size() || !is_plan_name_character(line[end]);
    if (begins && ends && is_same_in_any_case(line.substr(at, word.size()), word)) return true;
  }
  return false;
}

// "Seq Scan on track", "SCAN track", "track: ALL": every row is read.
bool is_full_scan(std::string_view line) {
  if (has_word(line, "index")) return false;
  return has_word(line, "scan") || has_word(line, "ALL");
}

bool is_scanned(std::string_view plan, const TableUse& use) {
  while (!plan.empty()) {
    const std::size_t end = std::min(plan.find('\n'), plan.size());
    const std::string_view line = plan.substr(0, end);
    if (is_full_scan(line) && (has_word(line, use.name) || has_word(line, use.alias))) return true;
    plan.remove_prefix(std::min(end + 1, plan.size()));
  }
  return false;
}

bool is_indexed(const TableInfo& table, std::string_view column) {
  return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const IndexInfo& index) {
    return !index.columns.empty() && is_same_in_any_case(index.columns.front(), column);
  });
}

// Columns by which the statement looks for rows of a table, and which no index begins with.
std::vector<std::string> without_index(const StatementOutline& outline, const TableUse& use,
                                       const TableInfo& table) {
  std::vector<std::string> columns;
  const auto add = [&](const SqlCondition& condition) {
    for (const ColumnUse& column : condition.columns) {
      const bool is_here = column.qualifier.empty()
                               ? outline.tables.size() == 1
                               : is_same_in_any_case(column.qualifier, use.alias);
      const ColumnInfo* info = is_here ? table.find_column(column.name) : nullptr;
      if (info == nullptr || is_indexed(table, info->name) ||
          std::find(columns.begin(), columns.end(), info->name) != columns.end()) {
        continue;
      }
      columns.push_back(info->name);
    }
  };
  for (const SqlCondition& condition : outline.conditions) add(condition);
  for (const SqlCondition& condition : outline.joins) add(condition);
  return columns;
}

void warn_of_scans(const TablePlan& plan, const TableStatement& statement, ToolCall& call,
                   Reply& reply) {
  const SqlDialect dialect = call.tables->dialect();
  const auto tokens = read_sql_tokens(statement.bound.sql, dialect);
  const auto catalogue = call.tables->catalogue(call.op);
  if (!tokens || !catalogue) return;
  const StatementOutline outline = outline_of(*tokens, statement.bound.parameters, dialect);
  for (const TableUse& use : outline.all_tables) {
    const TableInfo* table = table_of(use, outline, **catalogue);
    if (table == nullptr || table->rows.value_or(0) < kLargeTable) continue;
    if (!is_scanned(plan.text, use)) continue;
    const std::string name = plain_table(*table, **catalogue);
    std::string says =
        fmt::format("every row of {} is read, {}{}", name, table->is_rows_exact ? "" : "about ",
                    format_count(*table->rows));
    const std::vector<std::string> columns = without_index(outline, use, *table);
    if (!columns.empty()) {
      says += fmt::format("; no index begins with {}", fmt::join(columns, ", "));
    }
    reply.warn_from_data({says, "every row of a large table is read", "full_scan", says});
  }
}

std::string headline(const TablePlan& plan) {
  std::string line = "plan, nothing was run";
  if (plan.estimated_rows) {
    const double rows = std::clamp(*plan.estimated_rows, 0.0, 1e18);
    line += fmt::format(": about {} rows", format_count(static_cast<std::uint64_t>(rows)));
  }
  if (plan.cost) line += fmt::format(", cost {:.2f} in the database's units", *plan.cost);
  return line;
}

}  // namespace

ToolAnswer explain_plan(ToolCall& call) {
  const auto statement = read_statement(call);
  if (!statement) return ToolError(statement.error());
  TableQuery query;
  query.sql = statement->bound.sql;
  query.parameters = statement->bound.parameters;
  PlanOutcome outcome = call.tables->explain(query, call.op);
  if (outcome.error) return repaired_error(*outcome.error, outcome.problem, *statement, call);
  TablePlan& plan = outcome.plan;
  Reply reply;
  for (const std::string& note : statement->bound.notes) reply.warn(note);
  reply.say(headline(plan));
  reply.set_quietly("estimated_rows",
                    plan.estimated_rows ? ReplyValue(*plan.estimated_rows) : ReplyValue());
  reply.set_quietly("cost", plan.cost ? ReplyValue(*plan.cost) : ReplyValue());
  if (plan.estimated_rows.value_or(0) > kManyRows) {
    reply.warn("the database expects many rows: filter, aggregate, or add LIMIT");
  }
  warn_of_scans(plan, *statement, call, reply);
  for (const std::string& note : plan.notes) {
    reply.warn_from_data(
        {"the database says: " + note, "the database has something to say", "database_note", note});
  }
  if (!plan.tree.is_null()) reply.set_quietly("tree", tree_value(plan.tree));
  reply.text("plan", std::move(plan.text));
  return reply;
}

}  // namespace helve::toolkit
