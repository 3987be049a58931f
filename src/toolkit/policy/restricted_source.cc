#include "toolkit/policy/restricted_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/digest.h"
#include "base/unicode_case.h"
#include "sources/rdf/vocabulary.h"
#include "toolkit/policy/graph_access.h"
#include "toolkit/policy/restricted_schema.h"

namespace helve::toolkit {

namespace {

using sparql::Constant;
using sparql::Pattern;
using sparql::TermPattern;
using sparql::Variable;

constexpr std::uint64_t kCountMax = 100'000;  // of what a name stands for
constexpr std::size_t kHitsMax = 1'000;       // looked through for those that may be seen

// Graphs with equal texts show the same data.
std::string restriction_of(const Policy& policy) {
  Policy of_graphs = unrestricted_policy();
  of_graphs.allowed_graphs = policy.allowed_graphs;
  of_graphs.denied_graphs = policy.denied_graphs;
  of_graphs.allowed_endpoints = policy.allowed_endpoints;
  of_graphs.denied_endpoints = policy.denied_endpoints;
  return digest_hex(DigestKind::Sha256, visibility_key(of_graphs)).substr(0, 16);
}

Variable variable(std::string name) { return {std::move(name), {}}; }
Constant constant(const rdf::TermView& term) { return {rdf::Term(term), {}}; }

Pattern triple(TermPattern subject, sparql::PredicatePattern predicate, TermPattern object) {
  sparql::BasicGraphPattern pattern;
  pattern.triples.push_back({std::move(subject), std::move(predicate), std::move(object), {}});
  return Pattern(std::move(pattern));
}

std::string folded_name(const std::string& iri) {
  return to_lower_case(iri.substr(iri.find_last_of("#/:") + 1));
}

class RestrictedGraph final : public GraphSource {
 public:
  RestrictedGraph(std::shared_ptr<const GraphSource> source, std::shared_ptr<const Policy> policy)
      : source_(std::move(source)),
        policy_(std::move(policy)),
        restriction_(restriction_of(*policy_)) {}

  const SourceInfo& info() const override { return source_->info(); }
  std::string fingerprint() const override {
    return fmt::format("{} {}", source_->fingerprint(), restriction_);
  }

  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    return run_within(query, rows_max, sink, context);
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    return run_within(query, statements_max, sink, context);
  }

  Result<GraphCount> count_upto(const Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    const Reaches reaches = reaches_of(pattern);
    HELVE_TRY(check_endpoints(*policy_, reaches));
    if (is_open()) return source_->count_upto(pattern, dataset, cap, context);
    HELVE_ASSIGN(const VisibleGraphs visible, graphs(context));
    HELVE_TRY(check_graphs(*policy_, dataset, reaches, visible));
    return source_->count_upto(pattern, dataset_within(visible, dataset), cap, context);
  }

  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override {
    HELVE_ASSIGN(const auto within, restricted(query, context));
    return source_->explain(within ? *within : query, context);
  }

  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    if (is_open()) return source_->has_term(term, context);
    HELVE_ASSIGN(const VisibleGraphs visible, graphs(context));
    if (visible.is_all) return source_->has_term(term, context);
    return occurs(term, visible, context);
  }

  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    if (is_open()) return source_->find(request, context);
    HELVE_ASSIGN(const VisibleGraphs visible, graphs(context));
    if (visible.is_all) return source_->find(request, context);
    FindRequest wider = request;
    wider.hits_max = std::min(kHitsMax, request.hits_max * 10 + 50);
    HELVE_ASSIGN(std::vector<NameHit> hits, source_->find(wider, context));
    std::vector<NameHit> seen;
    for (NameHit& hit : hits) {
      if (seen.size() == request.hits_max) break;
      HELVE_ASSIGN(const bool is_visible, make_visible(hit, request, visible, context));
      if (is_visible) seen.push_back(std::move(hit));
    }
    return seen;
  }

  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    HELVE_ASSIGN(auto whole, source_->schema(context));
    if (is_open()) return whole;
    HELVE_ASSIGN(const VisibleGraphs visible, graphs(context));
    if (visible.is_all) return whole;
    const std::string state = source_->fingerprint();
    {
      const std::lock_guard lock(mutex_);
      if (schema_ != nullptr && schema_state_ == state) return schema_;
    }
    HELVE_ASSIGN(auto made, schema_within(*source_, *whole, dataset_within(visible, {}), context));
    const std::lock_guard lock(mutex_);
    schema_ = std::make_shared<const GraphSchema>(std::move(made));
    schema_state_ = state;
    return schema_;
  }

  PrefixList prefixes() const override { return source_->prefixes(); }

  std::optional<EndpointTraits> traits() const override { return source_->traits(); }
  std::optional<ShapeRecord> experience(const sparql::Query& query) const override {
    return source_->experience(query);
  }

 private:
  bool is_open() const { return !policy_->allowed_graphs && policy_->denied_graphs.empty(); }

  // Those that the source has. A source that does not know all of its graphs is asked for every
  // allowed one; where all but some are allowed, that cannot be.
  Result<VisibleGraphs> graphs(const OpContext& context) const {
    HELVE_ASSIGN(const auto whole, source_->schema(context));
    const bool knows_all = whole->is_complete && !info().is_remote;
    VisibleGraphs visible;
    if (policy_->allowed_graphs) {
      visible.names.insert(policy_->allowed_graphs->begin(), policy_->allowed_graphs->end());
    } else if (!knows_all) {
      return Error{ErrorCode::Denied,
                   fmt::format("{} does not tell all of its graphs, and the policy denies some",
                               info().name),
                   "name the graphs that may be read in \"allowed_graphs\""};
    } else {
      for (const auto& [iri, statements] : whole->graphs) visible.names.insert(iri);
      visible.has_unnamed = true;
      visible.is_all = true;
    }
    for (const std::string& iri : policy_->denied_graphs) {
      if (visible.names.erase(iri) > 0) visible.is_all = false;
    }
    if (visible.names.empty() && !visible.has_unnamed) {
      return Error{ErrorCode::Denied, "the policy allows no graph",
                   "name the graphs that may be read in \"allowed_graphs\""};
    }
    if (!policy_->allowed_graphs || !knows_all) return visible;
    return those_of(*whole, visible);
  }

  Result<VisibleGraphs> those_of(const GraphSchema& whole, const VisibleGraphs& visible) const {
    VisibleGraphs known;
    for (const auto& [iri, statements] : whole.graphs) {
      if (visible.names.contains(iri)) known.names.insert(iri);
    }
    if (known.names.empty()) {
      return Error{ErrorCode::Denied,
                   fmt::format("{} has none of the graphs that the policy allows", info().name),
                   fmt::format("allowed: <{}>{}", *visible.names.begin(),
                               visible.names.size() > 1 ? ", ..." : "")};
    }
    return known;
  }

  // nullopt: the query may run as it is.
  Result<std::optional<sparql::Query>> restricted(const sparql::Query& query,
                                                  const OpContext& context) const {
    const Reaches reaches = reaches_of(query);
    HELVE_TRY(check_endpoints(*policy_, reaches));
    if (is_open()) return std::optional<sparql::Query>();
    HELVE_ASSIGN(const VisibleGraphs visible, graphs(context));
    HELVE_TRY(check_graphs(*policy_, query.dataset, reaches, visible));
    std::optional<sparql::Query> within(query);
    within->dataset = dataset_within(visible, query.dataset);
    return within;
  }

  template <typename Sink>
  GraphRun run_within(const sparql::Query& query, std::uint64_t rows_max, Sink& sink,
                      const OpContext& context) const {
    const auto within = restricted(query, context);
    if (!within) {
      GraphRun run;
      run.error = within.error();
      return run;
    }
    return source_->run(*within ? **within : query, rows_max, sink, context);
  }

  Result<std::uint64_t> count(const Pattern& pattern, const VisibleGraphs& visible,
                              std::uint64_t cap, const OpContext& context) const {
    HELVE_ASSIGN(const GraphCount counted,
                 source_->count_upto(pattern, dataset_within(visible, {}), cap, context));
    return counted.n;
  }

  Result<bool> occurs(const rdf::TermView& term, const VisibleGraphs& visible,
                      const OpContext& context) const {
    if (term.is_blank()) return false;  // no query can name one
    HELVE_ASSIGN(const bool is_known, source_->has_term(term, context));
    if (!is_known) return false;
    if (term.is_iri() && visible.names.contains(std::string(term.value))) return true;
    std::vector<Pattern> places = {triple(variable("s"), variable("p"), constant(term))};
    if (term.is_iri()) {
      places.push_back(triple(constant(term), variable("p"), variable("o")));
      places.push_back(triple(variable("s"), constant(term), variable("o")));
    }
    for (const Pattern& place : places) {
      HELVE_ASSIGN(const std::uint64_t n, count(place, visible, 1, context));
      if (n > 0) return true;
    }
    return false;
  }

  // Whether the hit would be one if there were the allowed graphs alone; its label and count are
  // made those of the allowed graphs.
  Result<bool> make_visible(NameHit& hit, const FindRequest& request, const VisibleGraphs& visible,
                            const OpContext& context) const {
    const auto iri = rdf::TermView::iri(hit.iri);
    HELVE_ASSIGN(const bool is_there, occurs(iri, visible, context));
    if (!is_there) return false;
    HELVE_ASSIGN(const bool has_label, label_occurs(hit, visible, context));
    if (!has_label) {
      hit.label.clear();
      hit.language.clear();
      if (folded_name(hit.iri).find(to_lower_case(request.text)) == std::string::npos) return false;
    }
    Pattern counted = triple(constant(iri), variable("p"), variable("o"));
    if (hit.kind == NameKind::Class) {
      counted = triple(variable("s"), constant(rdf::TermView::iri(rdf::kRdfType)), constant(iri));
    } else if (hit.kind == NameKind::Property) {
      counted = triple(variable("s"), constant(iri), variable("o"));
    }
    HELVE_ASSIGN(hit.count, count(counted, visible, kCountMax, context));
    return true;
  }

  Result<bool> label_occurs(const NameHit& hit, const VisibleGraphs& visible,
                            const OpContext& context) const {
    if (hit.label.empty()) return false;
    const sparql::Expression text(
        sparql::Operation{sparql::Function::Str, {sparql::Expression(variable("l"))}});
    const sparql::Expression label(constant(rdf::TermView::literal(hit.label)));
    sparql::Filter filter;
    filter.inner = triple(constant(rdf::TermView::iri(hit.iri)), variable("p"), variable("l"));
    filter.conditions.emplace_back(sparql::Operation{sparql::Function::Equal, {text, label}});
    HELVE_ASSIGN(const std::uint64_t n, count(Pattern(std::move(filter)), visible, 1, context));
    return n > 0;
  }

  std::shared_ptr<const GraphSource> source_;
  std::shared_ptr<const Policy> policy_;
  std::string restriction_;
  mutable std::mutex mutex_;
  mutable std::string schema_state_;  // of the source when the schema was made
  mutable std::shared_ptr<const GraphSchema> schema_;
};

}  // namespace

std::shared_ptr<const GraphSource> restrict_source(std::shared_ptr<const GraphSource> source,
                                                   std::shared_ptr<const Policy> policy) {
  return std::make_shared<const RestrictedGraph>(std::move(source), std::move(policy));
}

}  // namespace helve::toolkit
