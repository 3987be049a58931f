// query_execute and explain_plan.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/tables/time_texts.h"
#include "toolkit/tools/empty_answer.h"
#include "toolkit/tools/stored_rows.h"
#include "toolkit/tools/table_tools.h"
#include "toolkit/tools/unique_names.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kNamesTold = 5;
constexpr std::size_t kNotesTold = 3;

Result<std::vector<rdf::Term>> fed_values(const SqlFeed& feed, ToolCall& call,
                                          TableStatement& statement,
                                          std::vector<std::string>& notes) {
  HELVE_ASSIGN(const Handle handle, call.handles.get(feed.key, call.op));
  if (handle.rows == nullptr) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no rows", feed.key),
                 "only handles of rows can feed a statement"};
  }
  const auto& columns = handle.rows->columns();
  const auto column = std::find(columns.begin(), columns.end(), feed.column);
  if (column == columns.end()) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no column {}", feed.key, feed.column),
                 fmt::format("its columns: {}", quote_names(columns))};
  }
  const auto views =
      handle.rows->distinct(static_cast<std::size_t>(column - columns.begin()), kFedValuesMax + 1);
  std::vector<rdf::Term> values;
  values.reserve(views.size());
  std::size_t blanks = 0;
  for (const rdf::TermView& view : views) {
    if (view.is_blank()) {
      ++blanks;
    } else {
      values.push_back(as_parameter(view));
    }
  }
  if (blanks > 0) {
    notes.push_back(
        fmt::format("{} blank nodes of @{}.{} were left out: they mean nothing outside "
                    "of their result",
                    format_count(blanks), feed.key, feed.column));
  }
  if (!handle.ref.complete) {
    statement.incomplete = fmt::format("it was fed from {}, which is not complete: {}", feed.key,
                                       handle.origin.incomplete);
    statement.unfit = fmt::format("{} is not complete", feed.key);
  }
  if (blanks > 0) statement.unfit = fmt::format("@{}.{} has blank nodes", feed.key, feed.column);
  if (values.empty()) statement.unfit = fmt::format("@{}.{} is empty", feed.key, feed.column);
  return values;
}

void add_table_diagnosis(const TableStatement& statement, ToolCall& call, Reply& reply) {
  const OpContext part = for_diagnosis(call);
  const auto catalogue = call.tables->catalogue(part);
  if (!catalogue) return;
  const auto diagnosis = diagnose_empty_rows(
      {statement.bound.sql, statement.bound.parameters, *call.tables, **catalogue}, part);
  if (!diagnosis) return;
  show_diagnosis(*diagnosis, call.tool.name, reply);
}

// An answer may be wrong without being empty.
void warn_of_times(const TableStatement& statement, ToolCall& call, Reply& reply) {
  static const Catalogue none;
  const auto said = strange_times(
      {statement.bound.sql, statement.bound.parameters, *call.tables, none}, for_diagnosis(call));
  for (const std::string& text : said) {
    reply.warn_from_data(
        {text, "a time is written otherwise than it is stored", "time_text", text});
  }
}

HandleOrigin statement_origin(const TableStatement& statement, ToolCall& call) {
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = call.tables->info().name;
  origin.query = statement.original;
  origin.snapshot = call.tables->fingerprint();
  origin.call_hash = call.call_hash;
  origin.prefixes = table_prefixes();
  origin.incomplete = statement.incomplete;
  return origin;
}

void warn_of_notes(const std::vector<std::string>& notes, Reply& reply) {
  for (std::size_t i = 0; i < std::min(notes.size(), kNotesTold); ++i) {
    reply.warn_from_data({"the database says: " + notes[i], "the database has something to say",
                          "database_note", notes[i]});
  }
  if (notes.size() > kNotesTold) {
    reply.warn(fmt::format("the database says {} more things", notes.size() - kNotesTold));
  }
}

void warn_of_renamed(const std::vector<std::string>& renamed, Reply& reply) {
  if (renamed.empty()) return;
  const std::size_t most = std::min(renamed.size(), kNamesTold);
  const std::string names =
      fmt::format("{}{}", fmt::join(renamed.begin(), renamed.begin() + most, ", "),
                  renamed.size() > most ? ", ..." : "");
  reply.warn_from_data({fmt::format("several columns have the same name: {}; AS names them", names),
                        "several columns have the same name; the later ones have numbers",
                        "renamed_columns", names});
}

// How many rows there are, as far as that is known.
void note_total(const TableRun& run, const RowTableBuilder& rows, const TableStatement& statement,
                const Policy& policy, HandleOrigin& origin) {
  origin.total_available = rows.rows();
  origin.total_is = statement.incomplete.empty() ? "exact" : "at_least";
  if (run.error && !rows.is_full()) {
    origin.incomplete =
        fmt::format("stopped after {} rows: {}", format_count(rows.rows()), run.error->message);
    origin.total_is = "at_least";
  } else if (rows.is_full() || run.has_more) {
    origin.incomplete = fmt::format("the first {} rows: at most {} rows or {} are stored",
                                    format_count(rows.rows()), format_count(policy.rows_stored_max),
                                    format_bytes(policy.bytes_stored_max));
    origin.total_available = rows.rows() + 1;
    origin.total_is = "at_least";
  }
}

using ColumnTypes = std::optional<std::vector<std::string>>;

// Types of columns are no part of a handle: an equal call finds those of the first one.
void show_types(const ColumnTypes& seen, const HandleOrigin& origin, ToolCall& call, Reply& reply) {
  using Types = std::vector<std::string>;
  const std::string key = fmt::format("column types {} {}", origin.snapshot, origin.call_hash);
  const auto types = call.facts.get<Types>(key, [&]() -> Result<Types> {
    if (!seen) return Error{ErrorCode::NotFound, "the types of the columns were not kept"};
    return *seen;
  });
  const bool is_known = types && std::any_of((*types)->begin(), (*types)->end(),
                                             [](const std::string& type) { return !type.empty(); });
  if (is_known) {
    reply.set_quietly("column_types", ReplyValue::List((*types)->begin(), (*types)->end()));
  }
}

// Runs the statement and stores its rows.
std::variant<Handle, ToolError> run_statement(const TableStatement& statement, HandleOrigin origin,
                                              ToolCall& call, Reply& reply, ColumnTypes& types) {
  const Policy& policy = call.policy;
  RowTableBuilder rows({policy.rows_stored_max, policy.bytes_stored_max}, call.op);
  TableQuery query;
  query.sql = statement.bound.sql;
  query.parameters = statement.bound.parameters;
  query.rows_max = policy.rows_stored_max;
  query.bytes_max = policy.bytes_stored_max;
  const auto started = call.env.clock().now();
  UniqueNames named(rows);
  const TableRun run = call.tables->run(query, named, call.op);
  const bool is_partial = run.error && !rows.is_full();
  if (is_partial && (rows.rows() == 0 || run.error->code != ErrorCode::LimitExceeded)) {
    return repaired_error(*run.error, run.problem, statement, call);
  }
  warn_of_notes(run.notes, reply);
  warn_of_renamed(named.renamed(), reply);
  origin.execution_time_ms =
      std::chrono::duration<double, std::milli>(call.env.clock().now() - started).count();
  note_total(run, rows, statement, policy, origin);
  Handle handle;
  handle.rows = rows.finish();
  auto ref = call.handles.put(handle.rows, origin, call.op);
  if (!ref) return ToolError(std::move(ref).error());
  handle.ref = *std::move(ref);
  handle.origin = std::move(origin);
  types = run.column_types;
  return handle;
}

}  // namespace

Result<TableStatement> read_statement(ToolCall& call) {
  TableStatement statement;
  statement.original = call.arguments.text("sql");
  std::vector<SqlValue> parameters;
  if (call.arguments.has("params")) {
    HELVE_ASSIGN(parameters, read_parameters(call.arguments.object("params")));
  }
  std::vector<std::string> notes;
  HELVE_ASSIGN(statement.bound, bind_sql_feeds(statement.original, std::move(parameters),
                                               call.tables->dialect(), [&](const SqlFeed& feed) {
                                                 return fed_values(feed, call, statement, notes);
                                               }));
  statement.bound.notes.insert(statement.bound.notes.end(), notes.begin(), notes.end());
  return statement;
}

ToolAnswer query_execute(ToolCall& call) {
  const auto statement = read_statement(call);
  if (!statement) return ToolError(statement.error());
  Reply reply;
  for (const std::string& note : statement->bound.notes) reply.warn(note);
  if (call.writes.transactions.has(call.write_session, call.tables->info().name)) {
    reply.warn("a transaction is open here: what it has changed is not seen before its commit");
  }
  HandleOrigin origin = statement_origin(*statement, call);
  // A database that does not tell when it changes is asked again.
  const auto same = origin.snapshot.empty() ? std::nullopt : call.handles.find_same(origin);
  Handle handle;
  ColumnTypes types;
  if (same) {
    auto known = call.handles.get(same->key, call.op);
    if (!known) return ToolError(std::move(known).error());
    handle = *std::move(known);
    reply.warn(fmt::format("the same call on unchanged data: {} is its handle", same->key));
  } else {
    auto made = run_statement(*statement, std::move(origin), call, reply, types);
    if (auto* error = std::get_if<ToolError>(&made)) return std::move(*error);
    handle = std::get<Handle>(std::move(made));
  }
  show_stored_rows(handle, static_cast<std::uint64_t>(call.arguments.integer("limit")), call,
                   reply);
  show_types(types, handle.origin, call, reply);
  reply.set_quietly("row_count", handle.rows->rows());
  if (handle.ref.complete &&
      is_as_empty(*handle.rows, statement->bound.sql, call.tables->dialect())) {
    add_table_diagnosis(*statement, call, reply);
  } else {
    warn_of_times(*statement, call, reply);
  }
  return reply;
}

}  // namespace helve::toolkit
