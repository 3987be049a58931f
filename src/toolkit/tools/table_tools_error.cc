// Errors of SQL statements that repair: positions in the caller's text, nearest names, columns.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "sources/sql_tokens.h"
#include "toolkit/tables/name_repair.h"
#include "toolkit/tables/statement_outline.h"
#include "toolkit/tools/table_tools.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kTablesShown = 4;
constexpr std::size_t kColumnsShown = 40;

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);  // npos + 1 is 0
}

// Where the unknown name stands, for databases that do not tell.
std::optional<TextPosition> find_name(std::string_view name, const TableStatement& statement,
                                      SqlDialect dialect) {
  const auto tokens = read_sql_tokens(statement.original, dialect);
  if (!tokens) return std::nullopt;
  for (const SqlToken& token : *tokens) {
    const bool is_name = token.kind == SqlTokenKind::Word || token.kind == SqlTokenKind::Name;
    if (is_name && is_same_in_any_case(value_of(token, dialect), last_part(name))) {
      return sql_position(statement.original, token.begin);
    }
  }
  return std::nullopt;
}

ReplyList fragment_of(const std::vector<const TableInfo*>& tables, const Catalogue& catalogue) {
  ReplyList fragment{"schema_fragment", {}, {}};
  for (std::size_t i = 0; i < std::min(tables.size(), kTablesShown); ++i) {
    ReplyValue::List columns;
    for (const ColumnInfo& column : tables[i]->columns) {
      if (columns.size() == kColumnsShown) break;
      columns.emplace_back(column.name + (column.type.empty() ? "" : " " + column.type));
    }
    fragment.items.emplace_back(ReplyValue::Members{{"table", plain_table(*tables[i], catalogue)},
                                                    {"columns", std::move(columns)}});
  }
  fragment.left_out = tables.size() - fragment.items.size();
  return fragment;
}

std::string_view what_is_unknown(SqlProblem::Kind kind) {
  switch (kind) {
    case SqlProblem::Kind::UnknownTable:
      return "table";
    case SqlProblem::Kind::UnknownColumn:
      return "column";
    case SqlProblem::Kind::UnknownFunction:
      return "function";
    default:
      return {};
  }
}

void add_names(const SqlProblem& problem, const TableStatement& statement, ToolCall& call,
               ToolError& error) {
  const TableSource& source = *call.tables;
  // Tables and columns may be new.
  auto catalogue = source.catalogue(call.op, true);
  if (!catalogue) return;
  const auto tokens = read_sql_tokens(statement.bound.sql, source.dialect());
  if (!tokens) return;
  const StatementOutline outline =
      outline_of(*tokens, statement.bound.parameters, source.dialect());
  const Catalogue& known = **catalogue;
  if (what_is_unknown(problem.kind).empty()) return;
  NameRepair repair = repair_name(problem, outline, known, source.dialect());
  error.did_you_mean = std::move(repair.did_you_mean);
  error.error.hint = std::move(repair.hint);
  if (!repair.tables.empty()) error.schema_fragment = fragment_of(repair.tables, known);
}

}  // namespace

ToolError repaired_error(const Error& cause, const SqlProblem& problem,
                         const TableStatement& statement, ToolCall& call) {
  ToolError error(cause);
  const std::string_view unknown = what_is_unknown(problem.kind);
  if (error.error.position) {
    error.error.position = statement.bound.place_in(statement.original, *error.error.position);
  }
  if (!unknown.empty() && !problem.name.empty()) {
    error.error.code = ErrorCode::NotFound;
    error.error.message =
        fmt::format("{} has no {} {}", call.tables->info().name, unknown, problem.name);
    if (!error.error.position) {
      if (const auto place = find_name(problem.name, statement, call.tables->dialect())) {
        error.error.at("sql", *place);
      }
    }
    add_names(problem, statement, call, error);
  } else if (cause.code == ErrorCode::InvalidInput && problem.kind == SqlProblem::Kind::Other) {
    // It may quote values of rows.
    error.is_quoting = true;
    error.own_message = "the database does not run the statement";
  }
  if (error.error.hint.empty()) {
    const bool is_limit = cause.code == ErrorCode::LimitExceeded;
    error.error.hint =
        is_limit
            ? "ask for less: filter by an indexed column, aggregate, or add LIMIT; explain_plan "
              "shows how it is run"
            : fmt::format(
                  "write one SELECT in the dialect of {}; schema_inspect has the tables "
                  "and columns",
                  name_of(call.tables->dialect()));
  }
  return error;
}

}  // namespace helve::toolkit
