#include "sources/store/engine_graph.h"

#include <fmt/format.h>

#include "sources/sparql/engine/explain.h"
#include "sources/store/local_schema.h"

namespace helve::store {

namespace {

// Rows as the engine sends them, handed on.
class RowForwarder final : public sparql::SolutionSink {
 public:
  RowForwarder(RowSink& sink, GraphRun& run) : sink_(sink), run_(run) {}

  Result<void> variables(const std::vector<std::string>& names) override {
    return sink_.columns(names);
  }
  Result<void> solution(std::span<const std::optional<rdf::TermView>> terms) override {
    HELVE_TRY(sink_.row(terms));
    ++run_.rows;
    return {};
  }
  Result<void> boolean(bool answer) override {
    run_.boolean = answer;
    return {};
  }

 private:
  RowSink& sink_;
  GraphRun& run_;
};

class StatementForwarder final : public rdf::StatementSink {
 public:
  StatementForwarder(rdf::StatementSink& sink, GraphRun& run) : sink_(sink), run_(run) {}

  Result<void> statement(const rdf::StatementView& statement) override {
    HELVE_TRY(sink_.statement(statement));
    ++run_.rows;
    return {};
  }
  void prefix(std::string_view name, std::string_view iri) override { sink_.prefix(name, iri); }

 private:
  rdf::StatementSink& sink_;
  GraphRun& run_;
};

struct Busiest {
  Duration own{};
  const sparql::PlanNode* node = nullptr;
};

void look_for_busiest(const sparql::PlanNode& node, Busiest& busiest) {
  Duration own = node.time;
  for (const sparql::PlanNode* input : node.inputs) {
    own -= input->time;
    look_for_busiest(*input, busiest);
  }
  if (!node.detail.empty() && own > busiest.own) busiest = {own, &node};
}

// The step that took longest by itself, as people read it.
std::string busiest_step(const sparql::QueryRun& run) {
  if (run.plan() == nullptr) return {};
  Busiest busiest;
  look_for_busiest(*run.plan(), busiest);
  if (busiest.node == nullptr) return {};
  return fmt::format("{} {}", busiest.node->name, busiest.node->detail);
}

}  // namespace

sparql::RunOptions EngineGraph::options() const {
  sparql::RunOptions run_options;
  run_options.is_union_default = true;
  run_options.services = services_.get();
  return run_options;
}

template <typename Sink>
void EngineGraph::send(const sparql::Query& query, std::uint64_t rows_max, Sink& sink,
                       const OpContext& context, GraphRun& result) const {
  sparql::RunOptions run_options = options();
  run_options.explain = sparql::Explain::Measured;
  auto run = sparql::QueryRun::start(query, data(), run_options, context);
  if (!run) {
    result.error = run.error();
    return;
  }
  if (const auto has_more = run->send(sink, rows_max)) {
    result.has_more = *has_more;
  } else {
    result.error = has_more.error();
    result.busiest = busiest_step(*run);
  }
}

GraphRun EngineGraph::run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
                          const OpContext& context) const {
  GraphRun result;
  RowForwarder forwarder(sink, result);
  send(query, rows_max, forwarder, context, result);
  return result;
}

GraphRun EngineGraph::run(const sparql::Query& query, std::uint64_t statements_max,
                          rdf::StatementSink& sink, const OpContext& context) const {
  GraphRun result;
  StatementForwarder forwarder(sink, result);
  send(query, statements_max, forwarder, context, result);
  return result;
}

Result<GraphCount> EngineGraph::count_upto(const sparql::Pattern& pattern,
                                           const QueryDataset& dataset, std::uint64_t cap,
                                           const OpContext& context) const {
  HELVE_ASSIGN(const auto count,
               sparql::count_solutions(pattern, data(), cap, options(), context, dataset));
  return GraphCount{count.n, !count.is_capped};
}

Result<GraphPlan> EngineGraph::explain(const sparql::Query& query, const OpContext& context) const {
  sparql::RunOptions run_options = options();
  run_options.explain = sparql::Explain::Plan;
  HELVE_ASSIGN(const auto run, sparql::QueryRun::start(query, data(), run_options, context));
  GraphPlan plan;
  if (run.plan() == nullptr) return plan;
  const sparql::PlanView view{false, query.prefixes};
  plan.text = sparql::plan_to_text(*run.plan(), view);
  std::string json;
  JsonWriter writer(json);
  sparql::write_plan(writer, *run.plan(), view);
  HELVE_ASSIGN(plan.tree, parse_json(json, context.limits));
  plan.estimated_rows = run.plan()->estimated_rows;
  plan.cost_ns = run.plan()->cost;
  return plan;
}

Result<bool> EngineGraph::has_term(const rdf::TermView& term, const OpContext& /*context*/) const {
  return occurs(*data(), term);
}

}  // namespace helve::store
