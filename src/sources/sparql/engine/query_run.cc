// Starting a query and handing out what it gives. Graphs are made in graph_result.cc.
#include "sources/sparql/engine/query_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "sources/sparql/algebra/analysis.h"
#include "sources/sparql/engine/graph_result.h"
#include "sources/sparql/engine/planner.h"

namespace helve::sparql {

struct QueryRun::State {
  State(const Query& run_query, std::shared_ptr<const Snapshot> snapshot, const RunOptions& options,
        const OpContext& context)
      : query(run_query),
        terms(std::move(snapshot), context),
        expressions(context, terms, options.env != nullptr ? *options.env : real_env(),
                    query.base_iri, query.version, options.passes),
        run{context,         terms,
            expressions,     options.services,
            options.passes,  MemoryCharge(*context.memory, "operators of the query"),
            options.explain, options.parallel_cost_min} {}

  Query query;
  TermTable terms;
  EvaluationContext expressions;
  RunState run;
  PlanStorage storage;
  DatasetView dataset;
  OperatorPtr root;
  std::vector<std::string> variables;
};

namespace {

Error unknown_graph(const DatasetGraph& graph, const Snapshot& data) {
  std::string hint = "graphs named in a query are never fetched";
  std::string scratch;
  const std::vector<Id> named = data.named_graphs();
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, named.size()); ++i) {
    hint += i == 0 ? "; known graphs: " : ", ";
    hint += quote_iri(data.term(named[i], scratch).value);
  }
  if (named.size() > kShown) hint += ", ...";
  if (named.empty()) hint += "; the data has no named graphs: leave FROM out";
  return {ErrorCode::Denied,
          fmt::format("{} <{}>: the data has no such graph", graph.is_named ? "FROM NAMED" : "FROM",
                      graph.iri),
          std::move(hint)};
}

// https://www.w3.org/TR/sparql11-query/#specifyingDataset
Result<DatasetView> view_of(const Query& query, const Snapshot& data, const RunOptions& options) {
  DatasetView view;
  const std::vector<Id> known = data.named_graphs();
  if (query.dataset.empty()) {
    if (options.is_union_default) view.default_graph.kind = GraphScope::Kind::Union;
    view.named = known;
    return view;
  }
  view.default_graph.kind = GraphScope::Kind::Merged;
  for (const DatasetGraph& graph : query.dataset) {
    if (graph.iri.empty() && !graph.is_named) {
      view.default_graph.merged.emplace_back();
      continue;
    }
    const auto id = data.find(rdf::TermView::iri(graph.iri));
    if (!id || !std::binary_search(known.begin(), known.end(), *id)) {
      if (options.has_empty_graphs) continue;
      return unknown_graph(graph, data);
    }
    (graph.is_named ? view.named : view.default_graph.merged).push_back(*id);
  }
  for (std::vector<Id>* ids : {&view.named, &view.default_graph.merged}) {
    std::sort(ids->begin(), ids->end());
    ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
  }
  return view;
}

Error refused_service(const Service& service) {
  const auto* endpoint = std::get_if<Constant>(&service.endpoint);
  return {ErrorCode::Denied,
          fmt::format("SERVICE {} is refused: queries reach no other endpoint here",
                      endpoint != nullptr ? "<" + endpoint->term.value + ">"
                                          : "?" + std::get<Variable>(service.endpoint).name),
          "ask the endpoint itself, or leave the SERVICE part out"};
}

// Before anything is run: a service that is refused is refused even where no row would reach it.
Result<void> check_services(const Query& query, ServiceResolver* services) {
  for (const PatternPart& part : pattern_parts(query)) {
    if (part.kind != PatternPart::Kind::Service) continue;
    const auto& service = std::get<Service>(part.pattern->node);
    if (services == nullptr) return refused_service(service);
    if (const auto* endpoint = std::get_if<Constant>(&service.endpoint)) {
      HELVE_TRY(services->check(endpoint->term.value));
    }
  }
  return {};
}

}  // namespace

QueryRun::QueryRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
QueryRun::QueryRun(QueryRun&&) noexcept = default;
QueryRun& QueryRun::operator=(QueryRun&&) noexcept = default;
QueryRun::~QueryRun() = default;

Result<QueryRun> QueryRun::start(const Query& query, std::shared_ptr<const Snapshot> snapshot,
                                 const RunOptions& options, const OpContext& context) {
  auto state = std::make_unique<State>(query, std::move(snapshot), options, context);
  HELVE_TRY(check_services(state->query, options.services));
  HELVE_ASSIGN(state->dataset, view_of(state->query, state->terms.snapshot(), options));
  Planner planner(state->run, state->storage, state->dataset);
  if (const auto* select = std::get_if<Select>(&state->query.form)) {
    HELVE_ASSIGN(state->root, planner.plan_select(*select));
    state->variables = state->root->schema().names();
  } else {
    HELVE_ASSIGN(state->root, planner.plan_body(state->query.body()));
  }
  return QueryRun(std::move(state));
}

QueryRun::Kind QueryRun::kind() const {
  if (std::holds_alternative<Select>(state_->query.form)) return Kind::Solutions;
  return std::holds_alternative<Ask>(state_->query.form) ? Kind::Boolean : Kind::Graph;
}

const std::vector<std::string>& QueryRun::variables() const { return state_->variables; }

// What was read from damaged data is never handed out.
Result<bool> QueryRun::next(Batch& batch) {
  Result<bool> has_rows = state_->root->next(batch);
  HELVE_TRY(state_->run.check_data());
  return has_rows;
}

const PlanNode* QueryRun::plan() const { return state_->root->plan_node(); }

std::uint64_t QueryRun::spilled_bytes() const { return state_->run.spilled_bytes; }

rdf::TermView QueryRun::term(Id id, std::string& scratch) const {
  return state_->terms.term(id, scratch);
}

Result<bool> QueryRun::send(SolutionSink& sink, std::uint64_t rows_max,
                            const std::function<Result<void>()>& before_more) {
  Batch batch;
  if (kind() == Kind::Boolean) {
    HELVE_ASSIGN(const bool answer, next(batch));
    HELVE_TRY(sink.boolean(answer));
    return false;
  }
  HELVE_TRY(sink.variables(variables()));
  std::vector<std::string> scratch(variables().size());
  std::vector<std::optional<rdf::TermView>> terms(variables().size());
  std::vector<Id> last(variables().size());
  std::uint64_t sent = 0;
  while (true) {
    HELVE_ASSIGN(const bool has_rows, next(batch));
    if (!has_rows) return false;
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (sent == rows_max) return true;
      for (std::size_t column = 0; column < terms.size(); ++column) {
        const Id id = batch.at(column, row);
        // Neighbours are often the same.
        if (id == last[column]) continue;
        last[column] = id;
        terms[column] = id.is_defined() ? std::optional(term(id, scratch[column])) : std::nullopt;
      }
      HELVE_TRY(state_->run.check_data());
      HELVE_TRY(sink.solution(terms));
      ++sent;
    }
    if (before_more) HELVE_TRY(before_more());
  }
}

Result<bool> QueryRun::send(rdf::StatementSink& sink, std::uint64_t rows_max) {
  for (const auto& [name, iri] : state_->query.prefixes) sink.prefix(name, iri);
  GraphResult graph(state_->run, sink, rows_max);
  const auto* construct = std::get_if<Construct>(&state_->query.form);
  Result<bool> has_more = construct != nullptr
                              ? graph.construct(construct->triples, *state_->root)
                              : graph.describe(std::get<Describe>(state_->query.form),
                                               *state_->root, state_->dataset.default_graph);
  HELVE_TRY(state_->run.check_data());
  return has_more;
}

namespace {

// From so many on, counting everything at once is cheaper than stopping in time.
constexpr std::uint64_t kCapWorthCounting = 4'096;

Query count_query(const Pattern& pattern, const std::vector<DatasetGraph>& dataset) {
  Query query;
  query.dataset = dataset;
  Select select;
  select.body.where = pattern;
  query.form = std::move(select);
  return query;
}

// A single triple: the indexes mostly know how many there are.
bool is_one_triple(const Pattern& pattern) {
  const auto* const basic = pattern.if_is<BasicGraphPattern>();
  return basic != nullptr && basic->triples.size() == 1 &&
         !std::holds_alternative<Path>(basic->triples.front().predicate);
}

Result<std::uint64_t> count_all(const Query& query, std::shared_ptr<const Snapshot> snapshot,
                                const RunOptions& options, const OpContext& context) {
  HELVE_ASSIGN(QueryRun run, QueryRun::start(query, std::move(snapshot), options, context));
  Batch batch;
  HELVE_ASSIGN(const bool has_row, run.next(batch));
  std::uint64_t n = 0;
  if (!has_row) return n;
  std::string scratch;
  const std::string_view text = run.term(batch.columns.front()[0], scratch).value;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), n);
  HELVE_CHECK(parsed.ec == std::errc());
  return n;
}

}  // namespace

Result<CappedCount> count_solutions(const Pattern& pattern,
                                    std::shared_ptr<const Snapshot> snapshot, std::uint64_t cap,
                                    const RunOptions& options, const OpContext& context,
                                    const std::vector<DatasetGraph>& dataset) {
  Query query = count_query(pattern, dataset);
  if (cap >= kCapWorthCounting && is_one_triple(pattern)) {
    std::get<Select>(query.form).items = {{Variable{"n", {}}, Expression(Aggregate{})}};
    HELVE_ASSIGN(const std::uint64_t n, count_all(query, std::move(snapshot), options, context));
    return CappedCount{std::min(n, cap), n > cap};
  }
  // Without columns: nothing that only the answer would need is fetched.
  HELVE_ASSIGN(QueryRun run, QueryRun::start(query, std::move(snapshot), options, context));
  CappedCount count;
  Batch batch;
  while (count.n <= cap) {
    HELVE_ASSIGN(const bool has_rows, run.next(batch));
    if (!has_rows) return count;
    count.n += batch.rows;
  }
  return CappedCount{cap, true};
}

}  // namespace helve::sparql
