// sparql_query, sparql_slice, sparql_count, sparql_stats.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utc.h"
#include "sources/sparql/algebra/parser.h"
#include "toolkit/tools/bank_hooks.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/handle_view.h"
#include "toolkit/tools/query_answer.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

std::vector<std::string> query_aliases() { return {"q", "sparql", "sparql_query"}; }

// Parameters that need a memory bank are taken, and say that there is none.
void warn_without_bank(ToolCall& call, const char* parameter, Reply& reply) {
  if (call.memory_writer != nullptr) return;
  if (call.arguments.was_given(parameter) && call.arguments.boolean(parameter)) {
    reply.warn(fmt::format(
        "{}: {}", parameter,
        call.memory == nullptr ? "no bank configured" : "the memory bank is read-only"));
  }
}

ToolAnswer sparql_query(ToolCall& call) {
  QueryChoices choices;
  choices.query = call.arguments.text("query");
  choices.limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  choices.is_validated = call.arguments.boolean("validate");
  choices.is_explained = call.arguments.boolean("explain");
  choices.is_diagnosed = call.arguments.boolean("diagnose");
  ToolAnswer answer = answer_query(call, *call.graph, choices);
  if (auto* reply = std::get_if<Reply>(&answer)) {
    warn_without_bank(call, "store_pattern", *reply);
    remember_pattern(call, *reply);
  }
  return answer;
}

Result<std::vector<std::size_t>> chosen_columns(ToolCall& call, const RowTable& rows) {
  std::vector<std::size_t> chosen;
  if (!call.arguments.has("columns")) return chosen;
  for (std::string_view name : call.arguments.texts("columns")) {
    if (name.starts_with('?') || name.starts_with('$')) name.remove_prefix(1);
    const auto found = std::find(rows.columns().begin(), rows.columns().end(), name);
    if (found == rows.columns().end()) {
      return Error{ErrorCode::InvalidInput, fmt::format("there is no column {}", name),
                   fmt::format("columns: {}", quote_names(rows.columns()))};
    }
    chosen.push_back(static_cast<std::size_t>(found - rows.columns().begin()));
  }
  return chosen;
}

Error no_rows(const Handle& handle) {
  return {ErrorCode::InvalidInput,
          fmt::format("{} is a handle of type {}, not of rows", handle.ref.key,
                      name_of(handle.ref.dtype)),
          "read it with ctx_slice, or a graph with g_query"};
}

ToolAnswer sparql_slice(ToolCall& call) {
  const auto handle = call.handles.get(call.arguments.text("result"), call.op);
  if (!handle) return ToolError(handle.error());
  if (handle->rows == nullptr) return ToolError(no_rows(*handle));
  const auto columns = chosen_columns(call, *handle->rows);
  if (!columns) return ToolError(columns.error());
  const auto offset = static_cast<std::uint64_t>(call.arguments.integer("offset"));
  const auto limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  const std::uint64_t total = handle->rows->rows();
  Reply reply;
  reply.about(handle->origin.source, handle->origin.prefixes);
  reply.set_quietly("key", handle->ref.key);
  reply.set_quietly("offset", offset);
  reply.set_quietly("total_available", total);
  reply.set_quietly("total_is", "exact");
  reply.set_quietly("source_total", handle->origin.total_available
                                        ? ReplyValue(*handle->origin.total_available)
                                        : ReplyValue());
  reply.set_quietly("source_total_is", handle->origin.total_is);
  ReplyList page = rows_of(*handle, offset, limit, *columns, "rows");
  page.is_page = true;
  page.total = total;
  if (offset >= total && total > 0) {
    reply.warn(fmt::format("{} has {} rows: offset {} is behind the last", handle->ref.key,
                           format_count(total), offset));
  }
  reply.list(std::move(page));
  reply.set_quietly("limit_applied", limit);
  if (!handle->ref.complete) reply.warn("not complete: " + handle->origin.incomplete);
  return reply;
}

// A class by name, or a query.
bool looks_like_query(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  const std::string_view word =
      text.substr(begin, text.find_first_of(" \t\r\n{*(<?", begin) - begin);
  for (const char* keyword : {"select", "ask", "construct", "describe", "prefix", "base"}) {
    if (is_same_in_any_case(word, keyword)) return true;
  }
  return text.find('{') != std::string_view::npos || text.find('?') != std::string_view::npos;
}

// Counts statements and keeps none.
class StatementCounter final : public rdf::StatementSink {
 public:
  Result<void> statement(const rdf::StatementView& /*statement*/) override { return {}; }
};

// CONSTRUCT and DESCRIBE: their statements.
Result<TotalRows> count_statements(const sparql::Query& query, ToolCall& call) {
  StatementCounter counter;
  const GraphRun run = call.graph->run(query, UINT64_MAX, counter, call.op);
  if (!run.error) return TotalRows{run.rows, "exact"};
  if (run.error->code != ErrorCode::LimitExceeded) return *run.error;
  return TotalRows{run.rows, "at_least"};
}

bool is_of_graphs(const sparql::Query& query) {
  return std::holds_alternative<sparql::Construct>(query.form) ||
         std::holds_alternative<sparql::Describe>(query.form);
}

// Of a class that is large elsewhere: what the endpoint tells of itself.
std::optional<std::uint64_t> told_instances(const std::string& iri, ToolCall& call, Reply& reply) {
  if (!call.graph->info().is_remote) return std::nullopt;
  const auto schema = call.graph->schema(call.op);
  const ClassInfo* const known = schema ? (*schema)->find_class(iri) : nullptr;
  if (known == nullptr || known->instances <= kCountedThere) return std::nullopt;
  reply.warn(fmt::format("too many to count there: the number is from {}", (*schema)->origin));
  return known->instances;
}

ToolAnswer count_class(ToolCall& call, const std::string& text) {
  auto read = read_name(text, NameKind::Class, *call.graph, call);
  if (auto* error = std::get_if<ToolError>(&read)) return std::move(*error);
  auto& name = std::get<ReadName>(read);
  Reply reply;
  for (DataLine& warning : name.warnings) reply.warn_from_data(std::move(warning));
  if (const auto told = told_instances(name.iri, call, reply)) {
    reply.set("resource", ReplyValue::iri(name.iri));
    reply.set("count", *told);
    reply.set("count_is", "estimate");
    return reply;
  }
  const auto read_all =
      sparql::parse_query(fmt::format("SELECT DISTINCT ?s {{ ?s a {} }}", in_query(name.iri)));
  if (!read_all) return ToolError(read_all.error());
  constexpr double kAll = 0.9;
  const auto count = count_rows(read_all->query, *call.graph, kAll, 0, call);
  if (!count) return ToolError(count.error());
  if (count->n == 0U) {
    reply.warn("nothing is of this type itself; sparql_peek tells what it is, and its subclasses");
  }
  reply.set("resource", ReplyValue::iri(name.iri));
  reply.set("count", count->n ? ReplyValue(*count->n) : ReplyValue());
  reply.set("count_is", count->is);
  return reply;
}

ToolAnswer sparql_count(ToolCall& call) {
  const std::string& text = call.arguments.text("query");
  if (!looks_like_query(text)) return count_class(call, text);
  auto read = read_query(text, *call.graph, call);
  if (!read) return ToolError(std::move(read).error());
  constexpr double kAll = 0.9;  // a little is left for the estimate
  const auto total = is_of_graphs(read->query)
                         ? count_statements(read->query, call)
                         : count_rows(read->query, *call.graph, kAll, 0, call);
  if (!total) return ToolError(total.error());
  Reply reply;
  for (std::string& note : read->notes) reply.warn(std::move(note));
  const bool is_fed_all = read->incomplete.empty();
  if (!is_fed_all) reply.warn("not complete: " + read->incomplete);
  if (total->is == "at_least" && total->n == kCountedThere && call.graph->info().is_remote) {
    reply.warn(
        fmt::format("{} is large: it was made to count no further", call.graph->info().name));
  } else if (total->is != "exact") {
    reply.warn("the time did not suffice to count to the end; a longer timeout may");
  }
  if (total->n == 0U) reply.next(query_usage(call, text));
  reply.set("count", total->n ? ReplyValue(*total->n) : ReplyValue());
  reply.set("count_is", is_fed_all ? total->is : "at_least");
  return reply;
}

ToolAnswer sparql_stats(ToolCall& call) {
  const auto handle = call.handles.get(call.arguments.text("result"), call.op);
  if (!handle) return ToolError(handle.error());
  Reply reply;
  reply.about(handle->origin.source, handle->origin.prefixes);
  reply.ref(handle->ref);
  reply.set_quietly("rows", handle->ref.rows);
  reply.set("cols", std::uint64_t{handle->ref.columns.size()});
  reply.set_quietly("sz", handle->ref.sz);
  reply.set_quietly("dtype", name_of(handle->ref.dtype));
  reply.set("columns", ReplyValue::List(handle->ref.columns.begin(), handle->ref.columns.end()));
  reply.set("made_by", handle->origin.tool);
  reply.set("made_from", handle->origin.source);
  reply.set("created_at", to_utc(handle->ref.created_at));
  reply.set_quietly("snapshot", handle->origin.snapshot);
  reply.set("complete", handle->ref.complete);
  if (!handle->ref.complete) reply.warn("not complete: " + handle->origin.incomplete);
  reply.text("query", handle->origin.query);
  return reply;
}

Tool query_tool() {
  Tool tool;
  tool.name = "sparql_query";
  tool.title = "Run a SPARQL query";
  tool.listing = Listing::Minimal;
  tool.category = ToolCategory::Query;
  tool.memory_writes = MemoryWrites::IfAllowed;
  tool.purpose =
      "Runs a SPARQL query. All rows are stored behind a handle; the reply shows the first. "
      "Prefixes of the data need not be declared; empty answers are explained.";
  tool.needs_graph = true;
  tool.parameters = {
      text_parameter("query", "the query; VALUES ?x { @results_0.x } takes a column",
                     query_aliases()),
      limit_parameter(100, 10'000, "rows to show; all are stored"),
      timeout_parameter(30, 300),
      flag_parameter("validate", true, "refuse what cannot end in time"),
      flag_parameter("explain", false, "show the plan, run nothing"),
      flag_parameter("diagnose", true, "find out why there are no rows"),
      flag_parameter("store_pattern", true, "keep its pattern in the bank, quarantined"),
  };
  tool.returns = stored_result_keys();
  tool.returns.push_back({"boolean", "boolean", "the answer of ASK", true});
  tool.returns.push_back({"diagnosis", "object",
                          "why there are no rows: cause, says, parts, candidates, suggestion",
                          true});
  tool.returns.push_back({"schema_fragment", "array",
                          "what the classes and properties of the query go with, where it has "
                          "unknown names",
                          true});
  tool.returns.push_back({"plan", "string", "with explain", true});
  tool.returns.push_back({"pattern", "string", "the item of its pattern in the memory bank", true});
  tool.examples = {
      {"the instances of a class",
       arguments_of({{"query", JsonValue("SELECT ?x WHERE { ?x a ex:Planet } ORDER BY ?x")}})},
      {"more about rows of an earlier result",
       arguments_of({{"query", JsonValue("SELECT ?x ?name WHERE { VALUES ?x { @results_0.x } ?x "
                                         "rdfs:label ?name }")}})}};
  tool.handler = sparql_query;
  return tool;
}

Tool slice_tool() {
  Tool tool;
  tool.name = "sparql_slice";
  tool.title = "Read rows of a result";
  tool.listing = Listing::Minimal;
  tool.category = ToolCategory::Query;
  tool.phase = ReplyPhase::Get;
  tool.purpose = "Shows rows of a stored result, page by page.";
  tool.parameters = {handle_parameter("result", "the handle, e.g. results_0")};
  Parameter offset;
  offset.name = "offset";
  offset.type = ParameterType::Integer;
  offset.doc = "the first row, counted from 0";
  offset.otherwise = JsonValue(0);
  offset.aliases = {"start"};
  Parameter columns;
  columns.name = "columns";
  columns.type = ParameterType::Texts;
  columns.doc = "names of the columns to show; all otherwise";
  tool.parameters.push_back(std::move(offset));
  tool.parameters.push_back(limit_parameter(100, 1'000, "rows to show"));
  tool.parameters.push_back(std::move(columns));
  tool.returns = {{"rows", "array", "the rows, in Turtle's notation"},
                  {"returned", "integer", "rows shown"},
                  {"total_available", "integer", "rows of the handle"},
                  {"source_total", "integer", "rows of the whole answer, where known", true},
                  {"source_total_is", "string", "exact, at_least or estimate", true},
                  {"offset", "integer", "the first row shown"},
                  {"has_more", "boolean", "there are rows behind those shown"},
                  {"next_offset", "integer", "where they begin; null at the end", true}};
  tool.examples = {{"the next page", arguments_of({{"result", JsonValue("results_0")},
                                                   {"offset", JsonValue(100)}})}};
  tool.handler = sparql_slice;
  return tool;
}

Tool count_tool() {
  Tool tool;
  tool.name = "sparql_count";
  tool.title = "Count without storing";
  tool.category = ToolCategory::Analyze;
  tool.needs_graph = true;
  tool.purpose = "Counts the rows of any query, or the instances of a class, without storing them.";
  std::vector<std::string> aliases = query_aliases();
  for (const char* alias : {"resource", "class", "class_uri", "cls", "uri", "iri"}) {
    aliases.emplace_back(alias);
  }
  tool.parameters = {text_parameter("query", "a query, or the name of a class", aliases),
                     timeout_parameter(30, 300)};
  tool.returns = {{"count", "integer", "how many"},
                  {"count_is", "string", "exact, at_least or estimate"}};
  tool.examples = {{"of a class", arguments_of({{"query", JsonValue("ex:Planet")}})}};
  tool.handler = sparql_count;
  return tool;
}

Tool stats_tool() {
  Tool tool;
  tool.name = "sparql_stats";
  tool.title = "Size and origin of a handle";
  tool.category = ToolCategory::Analyze;
  tool.purpose = "Tells the size and the origin of a handle.";
  tool.parameters = {handle_parameter("result", "the handle, e.g. results_0")};
  tool.returns = {{"rows", "integer", "rows, statements or lines"},
                  {"cols", "integer", "columns"},
                  {"sz", "integer", "characters of the whole"},
                  {"source", "string", "where it came from"},
                  {"query", "string", "the query it came from", true}};
  tool.examples = {{"of a result", arguments_of({{"result", JsonValue("results_0")}})}};
  tool.handler = sparql_stats;
  return tool;
}

}  // namespace

void add_query_tools(Registry& registry) {
  registry.add(query_tool());
  registry.add(slice_tool());
  registry.add(count_tool());
  registry.add(stats_tool());
}

}  // namespace helve::toolkit
