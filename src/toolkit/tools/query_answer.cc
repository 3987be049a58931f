#include "toolkit/tools/query_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/diagnosis/diagnosis.h"
#include "toolkit/tables/other_language.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/handle_view.h"
#include "toolkit/tools/learnt_prefixes.h"
#include "toolkit/tools/query_feed.h"
#include "toolkit/tools/query_gate.h"
#include "toolkit/tools/schema_fragment.h"
#include "toolkit/tools/stored_rows.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kFedTermsMax = 100'000;
constexpr double kCountShare = 0.3;      // of the time that is left
constexpr double kDiagnosisShare = 0.5;  // likewise
constexpr std::size_t kNamesShown = 3;

Result<std::vector<rdf::Term>> fed_terms(const Feed& feed, ToolCall& call, ReadQuery& read) {
  std::vector<std::string>& notes = read.notes;
  HELVE_ASSIGN(const Handle handle, call.handles.get(feed.key, call.op));
  if (handle.rows == nullptr) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no rows", feed.key),
                 "only handles of rows can feed a query"};
  }
  const auto& columns = handle.rows->columns();
  const auto column = std::find(columns.begin(), columns.end(), feed.column);
  if (column == columns.end()) {
    return Error{ErrorCode::InvalidInput, fmt::format("{} has no column {}", feed.key, feed.column),
                 fmt::format("its columns: {}", quote_names(columns))};
  }
  const auto views =
      handle.rows->distinct(static_cast<std::size_t>(column - columns.begin()), kFedTermsMax + 1);
  std::vector<rdf::Term> terms;
  std::size_t blanks = 0;
  for (std::size_t i = 0; i < std::min(views.size(), kFedTermsMax); ++i) {
    if (views[i].is_blank()) {
      ++blanks;
    } else {
      terms.emplace_back(views[i]);
    }
  }
  if (blanks > 0) {
    notes.push_back(
        fmt::format("{} blank nodes of @{}.{} were left out: they mean nothing outside "
                    "of their result",
                    format_count(blanks), feed.key, feed.column));
  }
  if (views.size() > kFedTermsMax) {
    read.incomplete = fmt::format("only the first {} different values of @{}.{} were used",
                                  format_count(kFedTermsMax), feed.key, feed.column);
  }
  if (!handle.ref.complete) {
    read.incomplete = fmt::format("it was fed from {}, which is not complete: {}", feed.key,
                                  handle.origin.incomplete);
  }
  return terms;
}

void show_fragment(const sparql::Query& query, const GraphSource& graph, ToolCall& call,
                   Reply& reply) {
  if (auto fragment = schema_fragment(query, graph, call)) reply.list(*std::move(fragment));
}

void warn_of_unknown_names(const sparql::Query& query, const GraphSource& graph, ToolCall& call,
                           Reply& reply) {
  const std::vector<UnknownName> unknown = unknown_names(query, graph, call.op);
  if (unknown.empty()) return;
  const ShownPrefixes prefixes = shown_prefixes(graph);
  show_fragment(query, graph, call, reply);
  for (const UnknownName& name : unknown) {
    const std::string shown = show_term(rdf::TermView::iri(name.iri), prefixes);
    std::string nearest;
    for (std::size_t i = 0; i < std::min(name.nearest.size(), kNamesShown); ++i) {
      nearest += i == 0 ? "; nearest: " : ", ";
      nearest += show_hit(name.nearest[i], prefixes);
    }
    reply.warn_from_data({fmt::format("{} is unknown to {}{}", shown, graph.info().name, nearest),
                          "the query has a name that is unknown to " + graph.info().name,
                          "unknown_name", shown + nearest});
  }
}

void show_diagnosis(const Diagnosis& diagnosis, ToolCall& call, Reply& reply) {
  ReplyValue::Members members;
  members.emplace_back("cause", name_of(diagnosis.cause));
  members.emplace_back("says", diagnosis.says);
  const auto add_all = [&members](const char* key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    members.emplace_back(key, ReplyValue::List(texts.begin(), texts.end()));
  };
  add_all("parts", diagnosis.parts);
  add_all("candidates", diagnosis.candidates);
  if (!diagnosis.suggestion.empty()) members.emplace_back("suggestion", diagnosis.suggestion);
  members.emplace_back("probes", diagnosis.probes);
  reply.set_quietly("diagnosis", std::move(members));
  reply.say(reply.headline, diagnosis.says, "diagnosis");
  if (!diagnosis.suggestion.empty()) {
    reply.next_from_data(query_from_data(call, diagnosis.suggestion));
  }
}

void add_query_diagnosis(const sparql::Query& query, const GraphSource& graph, ToolCall& call,
                         Reply& reply) {
  Diagnosis diagnosis;
  const auto schema = graph.schema(call.op);
  if (schema && (*schema)->triples == 0 && (*schema)->is_complete) {
    diagnosis.cause = EmptyCause::TrulyEmpty;
    diagnosis.says = "The graph is empty: it has no triples at all.";
  } else {
    diagnosis = diagnose_empty(query, graph, with_share(call.op, kDiagnosisShare, call.env));
  }
  show_diagnosis(diagnosis, call, reply);
  const bool is_about_names = diagnosis.cause == EmptyCause::UnknownIri ||
                              diagnosis.cause == EmptyCause::NoMatch ||
                              diagnosis.cause == EmptyCause::Reversed;
  if (is_about_names) show_fragment(query, graph, call, reply);
}

// Why the one pattern has no matches is soon found, whatever else the query has. A changed query
// would be one of the pattern alone, so none is suggested.
void diagnose_unmatched(const sparql::Query& query, const GraphSource& graph,
                        const ProbeCandidate& unmatched, ToolCall& call, Reply& reply) {
  sparql::Select select;
  select.is_star = true;
  select.body.where = unmatched.pattern;
  sparql::Query alone;
  alone.prefixes = query.prefixes;
  alone.dataset = query.dataset;
  alone.form = std::move(select);
  Diagnosis diagnosis =
      diagnose_empty(alone, graph, with_share(call.op, kDiagnosisShare, call.env));
  if (diagnosis.cause == EmptyCause::Unknown) {
    diagnosis.cause = EmptyCause::NoMatch;
    diagnosis.says = fmt::format("Nothing matches {}.", unmatched.text);
  }
  diagnosis.parts = {unmatched.text};
  diagnosis.suggestion.clear();
  show_diagnosis(diagnosis, call, reply);
  show_fragment(query, graph, call, reply);
}

// A single row of counts that are all zero: as empty as no rows.
bool is_zero_count(const sparql::Query& query, const RowTable& rows) {
  const auto* select = std::get_if<sparql::Select>(&query.form);
  if (select == nullptr || !select->body.group_by.empty() || !sparql::is_grouped(*select) ||
      rows.rows() != 1 || rows.columns().empty()) {
    return false;
  }
  for (const sparql::SelectItem& item : select->items) {
    const auto* aggregate = item.expression ? item.expression->if_is<sparql::Aggregate>() : nullptr;
    if (aggregate == nullptr || aggregate->kind != sparql::AggregateKind::Count) return false;
  }
  for (std::size_t column = 0; column < rows.columns().size(); ++column) {
    const auto cell = rows.cell(0, column);
    if (cell && cell->value != "0") return false;
  }
  return true;
}

std::string why_incomplete(const GraphRun& run, const RowTableBuilder& rows, const Policy& policy) {
  if (run.error && !rows.is_full()) {
    std::string why =
        fmt::format("stopped after {} rows: {}", format_count(rows.rows()), run.error->message);
    if (!run.busiest.empty()) why += fmt::format("; most of the time went into {}", run.busiest);
    return why;
  }
  if (!run.incomplete.empty()) return run.incomplete;
  if (rows.is_full() || run.has_more) {
    return fmt::format("the first {} rows: at most {} rows or {} are stored",
                       format_count(rows.rows()), format_count(policy.rows_stored_max),
                       format_bytes(policy.bytes_stored_max));
  }
  return {};
}

// Out of time, or cut off by an endpoint: the rows that came are good.
bool keeps_rows(const Error& error) {
  return error.code == ErrorCode::LimitExceeded || error.code == ErrorCode::Unavailable;
}

ToolError stopped(const GraphRun& run) {
  ToolError error(*run.error);
  if (!run.busiest.empty()) {
    error.error.message += fmt::format("; most of the time went into {}", run.busiest);
  }
  if (!run.cause.empty()) {
    error.details.emplace_back("cause", run.cause);
    error.details.emplace_back("retry", run.may_retry);
  }
  if (run.error->code == ErrorCode::LimitExceeded && error.error.hint.empty()) {
    error.error.hint = "bind a subject, a class or an exact value, or ask for a sample with LIMIT";
  }
  return error;
}

// What an endpoint had no time for comes with a query that it may have time for.
ToolError stopped(const GraphRun& run, const sparql::Query& query, const GraphSource& graph,
                  ToolCall& call) {
  ToolError error = stopped(run);
  if (!graph.info().is_remote || run.error->code != ErrorCode::LimitExceeded) return error;
  const auto profile = known_profile(graph, call);
  if (profile == nullptr) return error;
  GuardRequest request;
  request.rows_max = call.policy.rows_stored_max;
  if (auto lighter = lighter_query(query, *profile, request)) {
    suggest(*std::move(lighter), query, error);
  }
  return error;
}

HandleOrigin query_origin(ToolCall& call, const GraphSource& graph, const QueryChoices& choices) {
  HandleOrigin origin;
  origin.tool = call.tool.name;
  origin.source = graph.info().name;
  origin.query = choices.query;
  origin.snapshot = graph.fingerprint();
  origin.call_hash = call.call_hash;
  origin.prefixes = kept_prefixes(graph);
  return origin;
}

// The handle of an equal call, if there is one; the reply tells of it.
std::optional<Result<Handle>> known_handle(const HandleOrigin& origin, ToolCall& call,
                                           Reply& reply) {
  const auto same = call.handles.find_same(origin);
  if (!same) return std::nullopt;
  reply.warn(fmt::format("the same call on unchanged data: {} is its handle", same->key));
  return call.handles.get(same->key, call.op);
}

// What an endpoint would answer to a query that has no rows for certain.
GraphRun without_rows(const sparql::Query& query, RowSink& rows) {
  GraphRun run;
  if (const auto* select = std::get_if<sparql::Select>(&query.form)) {
    if (auto begun = rows.columns(sparql::result_variables(*select)); !begun) {
      run.error = std::move(begun).error();
    }
  } else {
    run.boolean = false;
  }
  return run;
}

void explain_empty(const sparql::Query& query, const GraphSource& graph,
                   const QueryChoices& choices, ToolCall& call, Reply& reply) {
  if (choices.unmatched) {
    diagnose_unmatched(query, graph, *choices.unmatched, call, reply);
  } else {
    add_query_diagnosis(query, graph, call, reply);
  }
}

ToolAnswer select(const sparql::Query& query, const GraphSource& graph, const QueryChoices& choices,
                  ToolCall& call, Reply reply) {
  HandleOrigin origin = query_origin(call, graph, choices);
  origin.incomplete = choices.incomplete;
  Handle handle;
  if (auto known = known_handle(origin, call, reply)) {
    if (!*known) return ToolError(std::move(*known).error());
    handle = **std::move(known);
  } else {
    const Policy& policy = call.policy;
    RowTableBuilder rows({policy.rows_stored_max, policy.bytes_stored_max}, call.op);
    const auto started = call.env.clock().now();
    const GraphRun run = choices.unmatched
                             ? without_rows(query, rows)
                             : graph.run(query, policy.rows_stored_max, rows, call.op);
    for (const std::string& note : run.notes) reply.warn(note);
    if (run.error && !rows.is_full() && (rows.rows() == 0 || !keeps_rows(*run.error))) {
      return stopped(run, query, graph, call);
    }
    origin.execution_time_ms =
        std::chrono::duration<double, std::milli>(call.env.clock().now() - started).count();
    origin.incomplete = why_incomplete(run, rows, policy);
    const std::uint64_t stored = rows.rows();
    TotalRows total{stored, choices.incomplete.empty() ? "exact" : "at_least"};
    if (!origin.incomplete.empty()) {
      total = run.error && !rows.is_full() ? TotalRows{stored, "at_least"}
                                           : count_rows(query, graph, kCountShare, stored + 1, call)
                                                 .value_or(TotalRows{stored + 1, "at_least"});
      // An endpoint that gives too few rows may count too few.
      if (total.n < stored || !run.incomplete.empty()) {
        total = TotalRows{std::max(total.n.value_or(0), stored), "at_least"};
      }
    }
    if (origin.incomplete.empty()) origin.incomplete = choices.incomplete;
    origin.total_available = total.n;
    origin.total_is = total.is;
    handle.rows = rows.finish();
    auto ref = call.handles.put(handle.rows, origin, call.op);
    if (!ref) return ToolError(std::move(ref).error());
    handle.ref = *std::move(ref);
    handle.origin = std::move(origin);
  }
  show_stored_rows(handle, choices.limit, call, reply);
  const bool is_empty = handle.rows->rows() == 0 || is_zero_count(query, *handle.rows);
  if (is_empty && handle.ref.complete && choices.is_diagnosed) {
    explain_empty(query, graph, choices, call, reply);
  } else if (is_empty || !graph.info().is_remote || !needs_all_names(query)) {
    warn_of_unknown_names(query, graph, call, reply);
  }
  return reply;
}

ToolAnswer ask(const sparql::Query& query, const GraphSource& graph, const QueryChoices& choices,
               ToolCall& call, Reply reply) {
  RowTableBuilder none({1, std::size_t{1} << 20}, call.op);
  const GraphRun run =
      choices.unmatched ? without_rows(query, none) : graph.run(query, 1, none, call.op);
  if (run.error) return stopped(run, query, graph, call);
  const bool answer = run.boolean.value_or(false);
  reply.say(answer ? "yes" : "no");
  if (!run.incomplete.empty()) reply.warn("not complete: " + run.incomplete);
  reply.set_quietly("boolean", answer);
  if (!answer && choices.is_diagnosed) explain_empty(query, graph, choices, call, reply);
  return reply;
}

// Runs the query and stores what it makes.
std::variant<Handle, ToolError> made_graph(const sparql::Query& query, const GraphSource& graph,
                                           HandleOrigin origin, ToolCall& call) {
  auto builder = call.graphs.build(call.op);
  if (!builder) return ToolError(std::move(builder).error());
  const GraphRun run = graph.run(query, call.policy.rows_stored_max, (*builder)->sink(), call.op);
  if (run.error && (run.rows == 0 || !keeps_rows(*run.error))) {
    return stopped(run, query, graph, call);
  }
  if (run.error) origin.incomplete = stopped(run).error.message;
  if (!run.incomplete.empty()) origin.incomplete = run.incomplete;
  if (run.has_more) {
    origin.incomplete =
        fmt::format("at most {} statements are stored", format_count(call.policy.rows_stored_max));
  }
  auto made = (*builder)->finish(graph.info().name, call.op);
  if (!made) return ToolError(std::move(made).error());
  origin.total_available = run.rows;
  origin.total_is = origin.incomplete.empty() ? "exact" : "at_least";
  auto ref = call.handles.put(*made, HandleType::Graph, origin, call.op);
  if (!ref) return ToolError(std::move(ref).error());
  return Handle{*std::move(ref), std::move(origin), nullptr, *std::move(made), nullptr};
}

Result<void> show_graph(const Handle& handle, std::uint64_t limit, ToolCall& call, Reply& reply) {
  const std::uint64_t rows = handle.ref.rows;
  if (!handle.ref.complete) reply.warn("not complete: " + handle.origin.incomplete);
  reply.say(fmt::format("a graph of {} statement{}", format_count(rows), rows == 1 ? "" : "s"));
  reply.ref(handle.ref);
  reply.set_quietly("rows", rows);
  reply.set_quietly("total_available", handle.origin.total_available.value_or(rows));
  reply.set_quietly("total_is", handle.origin.total_is);
  reply.set_quietly("truncated", !handle.ref.complete || rows > limit);
  reply.set_quietly("limit_applied", limit);
  HELVE_ASSIGN(const SmallTable table,
               ask_small(*handle.graph, "SELECT ?s ?p ?o { ?s ?p ?o }", limit, call.op));
  ReplyList preview{"preview", {"subject", "predicate", "object"}, {}};
  for (const Cells& row : table.rows) {
    preview.items.emplace_back(ReplyValue::List{*row[0], *row[1], *row[2]});
  }
  preview.left_out = rows - std::min<std::uint64_t>(rows, preview.items.size());
  preview.chars_if_cut = preview_chars(call);
  reply.list(std::move(preview));
  reply.next(fmt::format("g_query handle={} query=\"...\"", handle.ref.key));
  return {};
}

ToolAnswer construct(const sparql::Query& query, const GraphSource& graph,
                     const QueryChoices& choices, ToolCall& call, Reply reply) {
  HandleOrigin origin = query_origin(call, graph, choices);
  origin.incomplete = choices.incomplete;
  Handle handle;
  if (auto known = known_handle(origin, call, reply)) {
    if (!*known) return ToolError(std::move(*known).error());
    handle = **std::move(known);
  } else {
    auto made = made_graph(query, graph, std::move(origin), call);
    if (auto* error = std::get_if<ToolError>(&made)) return std::move(*error);
    handle = std::get<Handle>(std::move(made));
  }
  if (auto shown = show_graph(handle, choices.limit, call, reply); !shown) {
    return ToolError(std::move(shown).error());
  }
  if (handle.ref.rows == 0 && choices.is_diagnosed && !query.body().where.is_unit()) {
    add_query_diagnosis(query, graph, call, reply);
  }
  return reply;
}

// A mistake of the query in the words of its writer, who has not seen our placeholders.
Error about_feeds(Error error, std::string_view text, const FedText& fed) {
  for (const Feed& feed : fed.feeds) {
    if (error.position != sparql::position_at(text, feed.begin)) continue;
    error.message = fmt::format("@{}.{} cannot stand here", feed.key, feed.column);
    error.hint =
        "a column of a handle goes into VALUES of one variable: VALUES ?x { @results_0.x }";
  }
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    const std::size_t end = std::min(text.find_first_of(" \t\n{}().,;", at), text.size());
    const std::string_view key = text.substr(at + 1, end - at - 1);
    const std::size_t line = key.rfind('_');
    const bool is_key = line != std::string_view::npos && find_handle_type(key.substr(0, line));
    if (is_key && (end == text.size() || text[end] != '.')) {
      error.hint = fmt::format("name a column of the handle: VALUES ?x {{ @{}.x }}", key);
    }
  }
  return error;
}

// Whether a prefix was used that is declared nowhere, be it well known or not: what the data
// declares comes first.
bool lacks_prefix(const Result<sparql::ParsedQuery>& parsing) {
  if (!parsing) return parsing.error().reason == ErrorReason::UndeclaredPrefix;
  return std::any_of(parsing->notes.begin(), parsing->notes.end(), [](const auto& note) {
    return note.kind == sparql::ParseNote::Kind::UndeclaredPrefix;
  });
}

}  // namespace

Result<ReadQuery> read_query(const std::string& text, const GraphSource& graph, ToolCall& call) {
  const FedText fed = take_feeds(text);
  sparql::ParseOptions options;
  options.known_prefixes = graph.prefixes();
  options.limits = call.op.limits;
  auto parsing = sparql::parse_query(fed.text, options);
  if (options.known_prefixes.empty() && lacks_prefix(parsing)) {
    options.known_prefixes = learnt_prefixes(graph, call.op);
    if (!options.known_prefixes.empty()) parsing = sparql::parse_query(fed.text, options);
  }
  if (!parsing) {
    Error error = about_feeds(std::move(parsing).error(), text, fed);
    if (is_like_sql(text)) error.hint = "this looks like SQL: query_execute runs it on a database";
    return error;
  }
  sparql::ParsedQuery& parsed = *parsing;
  ReadQuery read;
  for (const auto& note : parsed.notes) {
    // Known prefixes need no declaration here: only what else was noticed is worth telling.
    if (note.kind == sparql::ParseNote::Kind::Other) read.notes.push_back(note.text);
  }
  HELVE_TRY(bind_feeds(parsed.query, fed.feeds,
                       [&](const Feed& feed) { return fed_terms(feed, call, read); }));
  read.query = std::move(parsed.query);
  return read;
}

Result<TotalRows> count_rows(const sparql::Query& query, const GraphSource& graph, double share,
                             std::uint64_t at_least, ToolCall& call) {
  const auto* select = std::get_if<sparql::Select>(&query.form);
  const sparql::Pattern all =
      select != nullptr ? sparql::Pattern(sparql::SubSelect(*select)) : query.body().where;
  const OpContext part = with_share(call.op, share, call.env);
  // Of a large endpoint nothing is counted to its end.
  const std::uint64_t cap =
      is_far(graph, call.op, kCountedTriplesMax) ? kCountedThere : UINT64_MAX - 1;
  const auto count = graph.count_upto(all, query.dataset, std::max(cap, at_least), part);
  if (count) return TotalRows{count->n, count->is_exact ? "exact" : "at_least"};
  if (count.error().code != ErrorCode::LimitExceeded) return count.error();
  if (const auto plan = graph.explain(query, call.op); plan && plan->estimated_rows > 0) {
    const double rows = std::clamp(plan->estimated_rows, static_cast<double>(at_least), 1e18);
    return TotalRows{static_cast<std::uint64_t>(rows), "estimate"};
  }
  return TotalRows{at_least, "at_least"};
}

ToolAnswer answer_query(ToolCall& call, const GraphSource& graph, const QueryChoices& choices) {
  auto read = read_query(choices.query, graph, call);
  if (!read) return ToolError(std::move(read).error());
  const sparql::Query& query = read->query;
  Reply reply;
  for (std::string& note : read->notes) reply.warn(std::move(note));
  QueryChoices chosen = choices;
  chosen.incomplete = read->incomplete;
  QueryGate gate(query, graph, choices.is_validated && !choices.is_explained, call);
  if (auto refused = gate.check(reply)) return *std::move(refused);
  if (choices.is_explained) return gate.explained(std::move(reply));
  chosen.unmatched = gate.unmatched();
  if (std::holds_alternative<sparql::Select>(query.form)) {
    return select(query, graph, chosen, call, std::move(reply));
  }
  if (std::holds_alternative<sparql::Ask>(query.form)) {
    return ask(query, graph, chosen, call, std::move(reply));
  }
  return construct(query, graph, chosen, call, std::move(reply));
}

}  // namespace helve::toolkit
