#include "sources/store/local_graph.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "sources/sparql/engine/explain.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/store/dataset.h"
#include "sources/store/local_lazy.h"
#include "sources/store/local_names.h"
#include "sources/store/local_schema.h"
#include "sources/store/local_triples.h"
#include "sources/triple_reader.h"

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

class LocalGraph final : public GraphSource, public TripleReader {
 public:
  LocalGraph(std::shared_ptr<const Snapshot> snapshot, SourceInfo info, LocalFolder folder,
             std::shared_ptr<sparql::ServiceResolver> services)
      : snapshot_(std::move(snapshot)),
        data_(as_dataset(snapshot_)),
        info_(std::move(info)),
        names_(std::move(folder)),
        services_(std::move(services)) {}

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override {
    std::call_once(is_fingerprinted_, [this] { fingerprint_ = fingerprint_of(*snapshot_); });
    return fingerprint_;
  }

  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    GraphRun result;
    RowForwarder forwarder(sink, result);
    send(query, rows_max, forwarder, context, result);
    return result;
  }

  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    GraphRun result;
    StatementForwarder forwarder(sink, result);
    send(query, statements_max, forwarder, context, result);
    return result;
  }

  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    HELVE_ASSIGN(const auto count,
                 sparql::count_solutions(pattern, data_, cap, options(), context, dataset));
    return GraphCount{count.n, !count.is_capped};
  }

  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override {
    sparql::RunOptions run_options = options();
    run_options.explain = sparql::Explain::Plan;
    HELVE_ASSIGN(const auto run, sparql::QueryRun::start(query, data_, run_options, context));
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

  Result<bool> has_term(const rdf::TermView& term, const OpContext& /*context*/) const override {
    return occurs(*data_, term);
  }

  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    return names_.find(*snapshot_, request, context);
  }

  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    return schema_.get(context, [&]() -> Result<std::shared_ptr<const GraphSchema>> {
      HELVE_ASSIGN(auto made, make_schema(*snapshot_, context));
      return std::make_shared<const GraphSchema>(std::move(made));
    });
  }

  PrefixList prefixes() const override { return snapshot_->prefixes(); }

  Id find_iri(std::string_view iri) const override {
    return snapshot_->dictionary().find(rdf::TermView::iri(iri)).value_or(Id());
  }
  rdf::TermView read_term(Id id, std::string& scratch) const override {
    return snapshot_->dictionary().term(id, scratch);
  }
  Result<bool> read_triples(const TripleIds& known, std::uint64_t most,
                            std::vector<TripleIds>& triples,
                            const OpContext& context) const override {
    return store::read_triples(*snapshot_, known, most, triples, context);
  }
  Result<bool> count_by_object(Id predicate, std::uint64_t most, std::vector<ObjectCount>& counts,
                               const OpContext& context) const override {
    return store::count_by_object(*snapshot_, predicate, most, counts, context);
  }

  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }

 private:
  sparql::RunOptions options() const {
    sparql::RunOptions run_options;
    run_options.is_union_default = true;
    run_options.services = services_.get();
    return run_options;
  }

  template <typename Sink>
  void send(const sparql::Query& query, std::uint64_t rows_max, Sink& sink,
            const OpContext& context, GraphRun& result) const {
    sparql::RunOptions run_options = options();
    run_options.explain = sparql::Explain::Measured;
    auto run = sparql::QueryRun::start(query, data_, run_options, context);
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

  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const sparql::Snapshot> data_;
  SourceInfo info_;
  mutable std::once_flag is_fingerprinted_;
  mutable std::string fingerprint_;
  mutable Lazy<GraphSchema> schema_;
  mutable LocalNames names_;
  std::shared_ptr<sparql::ServiceResolver> services_;
};

}  // namespace

Result<std::shared_ptr<const GraphSource>> make_local_graph(
    std::shared_ptr<const Snapshot> snapshot, SourceInfo info, LocalFolder folder,
    std::shared_ptr<sparql::ServiceResolver> services) {
  return std::make_shared<const LocalGraph>(std::move(snapshot), std::move(info), std::move(folder),
                                            std::move(services));
}

std::shared_ptr<const Snapshot> snapshot_of(const GraphSource& graph) {
  const auto* const local = dynamic_cast<const LocalGraph*>(&graph);
  return local != nullptr ? local->snapshot() : nullptr;
}

}  // namespace helve::store
