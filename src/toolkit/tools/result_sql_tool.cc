// result_sql: SQL over the handles of the session.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/text.h"
#include "sources/rdf/vocabulary.h"
#include "sources/sql_tokens.h"
#include "toolkit/sql/sql_over_handles.h"
#include "toolkit/sql/sql_text.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/empty_answer.h"
#include "toolkit/tools/handles_as_tables.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/stored_rows.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kWorkerBytesMax = kGiB;
constexpr std::size_t kKnownMax = 1'000;
constexpr std::size_t kDiagnosedBytesMax = 8 * kMiB;

// The handles that a statement names, and what there is to say of them.
struct SqlInputs {
  std::vector<SqlTable> tables;
  std::vector<std::string> known;  // keys of handles of rows, the latest, for hints
  std::string sources;
  std::string keys;
  std::string incomplete;
  ShownPrefixes prefixes;  // of all of them; the first to take a name keeps it
};

void append(std::string& list, std::string_view item) {
  if (!list.empty()) list += ", ";
  list += item;
}

// Shared as long as all come from one source, for there may be many handles.
ShownPrefixes joined(const ShownPrefixes& first, const ShownPrefixes& more) {
  if (&first.list() == &more.list() || more.list().empty()) return first;
  if (first.list().empty()) return more;
  PrefixList all = first.list();
  std::set<std::string_view> names;
  for (const auto& [name, iri] : first) names.insert(name);
  for (const auto& prefix : more) {
    if (names.insert(prefix.first).second) all.push_back(prefix);
  }
  return all;
}

Result<SqlInputs> find_inputs(const SqlText& sql, ToolCall& call) {
  SqlInputs inputs;
  for (const Ref& ref : call.handles.list(kKnownMax)) {
    if (ref.dtype == HandleType::Results) inputs.known.push_back(ref.key);
  }
  std::vector<std::string> sources;
  std::set<std::string> taken;  // each once
  for (const std::string& name : sql.names) {
    const std::string key = ascii_lower(name);  // as keys are
    if (!call.handles.is_live(key) || !taken.insert(key).second) continue;
    HELVE_ASSIGN(Handle handle, call.handles.get(key, call.op));
    if (handle.rows == nullptr) continue;
    append(inputs.keys, handle.ref.key);
    inputs.prefixes = joined(inputs.prefixes, handle.origin.prefixes);
    if (std::find(sources.begin(), sources.end(), handle.ref.source) == sources.end()) {
      sources.push_back(handle.ref.source);
    }
    if (!handle.ref.complete) {
      append(inputs.incomplete, fmt::format("{}, which is not complete ({})", handle.ref.key,
                                            handle.origin.incomplete));
    }
    inputs.tables.push_back({handle.ref.key, std::move(handle.rows)});
  }
  inputs.sources = fmt::format("{}", fmt::join(sources, ", "));
  return inputs;
}

// A table that is not there may be a handle that was: the store knows what became of it.
Error with_story(Error error, const SqlText& sql, ToolCall& call) {
  if (error.code != ErrorCode::NotFound) return error;
  for (const std::string& name : sql.names) {
    if (error.detail != quote_name(name)) continue;
    const auto handle = call.handles.get(name, call.op);
    if (handle) {
      return {
          ErrorCode::InvalidInput,
          fmt::format("{} is a handle of type {}, not of rows", name, name_of(handle->ref.dtype)),
          "query a graph with g_query; " + error.hint};
    }
    const Error& gone = handle.error();
    if (gone.code != ErrorCode::NotFound || gone.reason == ErrorReason::Expired) return gone;
  }
  return error;
}

Result<Handle> run_sql(const SqlText& sql, const SqlInputs& inputs, HandleOrigin origin,
                       ToolCall& call, Reply& reply) {
  const Policy& policy = call.policy;
  RowTableBuilder rows({policy.rows_stored_max, policy.bytes_stored_max}, call.op);
  SqlLimits limits;
  limits.rows_max = policy.rows_stored_max;
  limits.bytes_max = policy.bytes_stored_max;
  limits.memory_bytes_max = std::min(policy.memory_bytes_max, kWorkerBytesMax);
  const auto started = call.env.clock().now();
  const SqlRun run = call.sql->run(sql.text, inputs.tables, inputs.known, limits, rows, call.op);
  const bool is_partial = run.error && !rows.is_full();
  if (is_partial && (rows.rows() == 0 || run.error->code != ErrorCode::LimitExceeded)) {
    return with_story(*run.error, sql, call);
  }
  for (const std::string& note : run.notes) reply.warn(note);
  origin.execution_time_ms =
      std::chrono::duration<double, std::milli>(call.env.clock().now() - started).count();
  origin.total_available = rows.rows();
  origin.total_is = "exact";
  if (is_partial) {
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
  if (!inputs.incomplete.empty()) {
    if (!origin.incomplete.empty()) origin.incomplete += "; ";
    origin.incomplete += "computed from " + inputs.incomplete;
  }
  Handle handle;
  handle.rows = rows.finish();
  HELVE_ASSIGN(handle.ref, call.handles.put(handle.rows, origin, call.op));
  handle.origin = std::move(origin);
  return handle;
}

std::size_t bytes_of(const SqlInputs& inputs) {
  std::size_t bytes = 0;
  for (const SqlTable& table : inputs.tables) bytes += table.rows->memory_bytes();
  return bytes;
}

// Why there is nothing. Every question hands the rows to a worker anew: those of large handles
// would take too long.
void add_result_diagnosis(const SqlText& sql, const SqlInputs& inputs, ToolCall& call,
                          Reply& reply) {
  if (inputs.tables.empty() || bytes_of(inputs) > kDiagnosedBytesMax) return;
  const HandlesAsTables source(*call.sql, inputs.tables);
  const OpContext part = for_diagnosis(call);
  const auto catalogue = source.catalogue(part, false);
  const std::vector<SqlValue> none;
  const auto diagnosis = diagnose_empty_rows({sql.text, none, source, **catalogue}, part);
  if (diagnosis) show_diagnosis(*diagnosis, call.tool.name, reply);
}

bool has_truths(const RowTable& rows) {
  for (std::uint32_t term = 1; term <= rows.terms(); ++term) {
    if (rows.term(term).datatype == rdf::kXsdBoolean) return true;
  }
  return false;
}

// b = 'true' is never true: truths are numbers here.
void warn_of_truths(const SqlText& sql, const SqlInputs& inputs, Reply& reply) {
  const auto tokens = read_sql_tokens(sql.text, SqlDialect::Sqlite);
  if (!tokens) return;
  const bool has_text = std::any_of(tokens->begin(), tokens->end(), [](const SqlToken& token) {
    if (token.kind != SqlTokenKind::Text) return false;
    const std::string value = value_of(token, SqlDialect::Sqlite);
    return is_same_in_any_case(value, "true") || is_same_in_any_case(value, "false");
  });
  if (!has_text) return;
  for (const SqlTable& table : inputs.tables) {
    if (!has_truths(*table.rows)) continue;
    reply.warn(
        fmt::format("truths of {} are 1 and 0, not texts: write WHERE x, NOT x or x = TRUE, "
                    "without quotes",
                    table.name));
  }
}

ToolAnswer result_sql(ToolCall& call) {
  if (call.sql == nullptr) {
    return ToolError(Error{ErrorCode::Unavailable, "result_sql is not available here",
                           "the program that serves this session has no SQL worker configured"});
  }
  const auto sql = read_sql(call.arguments.text("sql"));
  if (!sql) return ToolError(sql.error());
  const auto inputs = find_inputs(*sql, call);
  if (!inputs) return ToolError(inputs.error());
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = inputs->sources.empty() ? "no source" : inputs->sources;
  origin.query = call.arguments.text("sql");
  origin.snapshot = inputs->keys;  // a handle never changes, and its key is given once
  origin.call_hash = call.call_hash;
  origin.prefixes = inputs->prefixes;
  Reply reply;
  reply.about(origin.source, origin.prefixes);
  const auto same = call.handles.find_same(origin);
  auto handle = same ? call.handles.get(same->key, call.op)
                     : run_sql(*sql, *inputs, std::move(origin), call, reply);
  if (!handle) return ToolError(std::move(handle).error());
  if (same) reply.warn(fmt::format("the same call on unchanged data: {} is its handle", same->key));
  show_stored_rows(*handle, static_cast<std::uint64_t>(call.arguments.integer("limit")), call,
                   reply);
  warn_of_truths(*sql, *inputs, reply);
  if (handle->ref.complete && is_as_empty(*handle->rows, sql->text, SqlDialect::Sqlite)) {
    add_result_diagnosis(*sql, *inputs, call, reply);
  }
  return reply;
}

}  // namespace

void add_sql_over_handles(Registry& registry) {
  Tool tool;
  tool.name = "result_sql";
  tool.title = "SQL over results";
  tool.listing = Listing::Standard;
  tool.category = ToolCategory::Sql;
  tool.purpose =
      "Runs one SELECT statement of SQLite over handles of rows, each a table under its key: join, "
      "filter, group, subtract or page earlier results. All rows are stored behind a new handle.";
  tool.parameters = {
      text_parameter("sql",
                     "the statement; x__type, x__lang and x__datatype tell of the terms of x; "
                     "IN (@results_0.x) takes a column",
                     {"statement", "query", "q"}),
      limit_parameter(100, 10'000, "rows to show at most; all are stored"),
      timeout_parameter(30, 300),
  };
  tool.returns = stored_result_keys();
  tool.returns.push_back({"diagnosis", "object", "why there are no rows", true});
  tool.examples = {
      {"two results joined",
       arguments_of({{"sql", JsonValue("SELECT * FROM results_0 JOIN results_1 USING (x)")}})},
      {"how often each value occurs",
       arguments_of({{"sql", JsonValue("SELECT type, count(*) AS n FROM results_0 GROUP BY type "
                                       "ORDER BY n DESC")}})},
  };
  tool.handler = result_sql;
  registry.add(std::move(tool));
}

}  // namespace helve::toolkit
