// Errors of SQL statements that repair: positions in the caller's text, nearest names, columns.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "sources/sql_tokens.h"
#include "toolkit/tables/known_functions.h"
#include "toolkit/tables/name_repair.h"
#include "toolkit/tables/other_language.h"
#include "toolkit/tables/statement_outline.h"
#include "toolkit/tools/table_tools.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kTablesShown = 4;
constexpr std::size_t kColumnsShown = 40;

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);  // npos + 1 is 0
}

// Where the unknown name stands in the statement.
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
  error.error.suggestions = std::move(repair.did_you_mean);
  // Of what is refused the guard knows more, unless there is another way to write it.
  const bool is_refused = error.error.code == ErrorCode::Denied;
  if (!is_refused || !advise_function(problem.name, source.dialect()).instead.empty()) {
    error.error.hint = std::move(repair.hint);
  }
  if (!repair.tables.empty()) error.schema_fragment = fragment_of(repair.tables, known);
}

// SELECT *, t.*
bool reads_all_columns(const TableStatement& statement, SqlDialect dialect) {
  const auto tokens = read_sql_tokens(statement.original, dialect);
  if (!tokens) return false;
  for (std::size_t i = 1; i < tokens->size(); ++i) {
    const SqlToken& before = (*tokens)[i - 1];
    const bool is_list = is_word(before, "SELECT") || before.text == "," || before.text == ".";
    if ((*tokens)[i].text == "*" && is_list) return true;
  }
  return false;
}

// What the statement is instead of SQL, or where it asks for what is not there in SQL. Empty: it is
// what it should be.
std::string hint_of_language(const TableStatement& statement) {
  if (is_like_sparql(statement.original)) {
    return "this looks like SPARQL: sparql_query asks graphs, query_execute takes SQL";
  }
  return instead_of_listing(statement.original);
}

// Of mistakes that every database tells in words of its own.
std::string hint_of_problem(SqlProblem::Kind kind, const TableStatement& statement) {
  switch (kind) {
    case SqlProblem::Kind::WrongValue:
      if (!statement.bound.parameters.empty()) {
        return "a value of params, or one that is fed, does not fit where its mark stands: give a "
               "number for a number, or cast: CAST($1 AS integer)";
      }
      [[fallthrough]];
    case SqlProblem::Kind::WrongType:
      return "the types do not fit: compare texts with texts and numbers with numbers, or cast "
             "with CAST(x AS ...)";
    case SqlProblem::Kind::DivisionByZero:
      return "keep zeros out: x / NULLIF(y, 0)";
    case SqlProblem::Kind::Grouping:
      return "every column outside of an aggregate goes into GROUP BY; conditions on aggregates go "
             "into HAVING";
    case SqlProblem::Kind::AmbiguousName:
      return "several tables have it: name one, as in t.column";
    default:
      return {};
  }
}

std::string hint_of_error(const Error& cause, const SqlProblem& problem,
                          const TableStatement& statement, const ToolCall& call) {
  if (cause.code == ErrorCode::Cancelled) return "the caller ended it; call again if it is wanted";
  if (cause.code == ErrorCode::LimitExceeded) {
    return "ask for less: filter by an indexed column, aggregate, or add LIMIT; explain_plan shows "
           "how it is run";
  }
  std::string hint = hint_of_problem(problem.kind, statement);
  if (!hint.empty()) return hint;
  const char* const kinds = call.tool.is_defining  ? "CREATE, ALTER or DROP"
                            : call.tool.is_writing ? "INSERT, UPDATE or DELETE"
                                                   : "SELECT";
  return fmt::format("write one {} in the dialect of {}; schema_inspect has the tables and columns",
                     kinds, name_of(call.tables->dialect()));
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
    // What a guard refuses may be there.
    const auto place = find_name(problem.name, statement, call.tables->dialect());
    if (cause.code != ErrorCode::Denied) {
      error.error.code = ErrorCode::NotFound;
      // A name that is not in the statement is a word of the database.
      error.error.message = fmt::format("{} has no {} {}", call.tables->info().name, unknown,
                                        place ? quote_name(problem.name) : "of that name");
    }
    if (!error.error.position && place) error.error.at("sql", *place);
    add_names(problem, statement, call, error);
    if (problem.kind == SqlProblem::Kind::UnknownTable && is_handle_name(problem.name)) {
      error.error.hint = fmt::format(
          "{0} is a handle: result_sql reads handles as tables, IN (@{0}.column) takes a column",
          problem.name);
    }
  }
  const bool is_of_statement = cause.code == ErrorCode::InvalidInput ||
                               cause.code == ErrorCode::Denied || cause.code == ErrorCode::NotFound;
  if (std::string hint = hint_of_language(statement); is_of_statement && !hint.empty()) {
    error.error.hint = std::move(hint);
  } else if (cause.code == ErrorCode::Denied &&
             reads_all_columns(statement, call.tables->dialect()) &&
             error.error.hint.find("name the columns") == std::string::npos) {
    error.error.hint += std::string(error.error.hint.empty() ? "" : "; ") +
                        "* reads every column: name those that schema_inspect shows";
  } else if (error.error.hint.empty() || problem.kind == SqlProblem::Kind::Syntax) {
    error.error.hint = hint_of_error(cause, problem, statement, call);
  }
  return error;
}

}  // namespace helve::toolkit
