// A graph that counts what is asked of it. It can be made to fail.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sources/graph_source.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::testing {

// Not for several threads at once.
class CountingGraph final : public GraphSource {
 public:
  explicit CountingGraph(std::shared_ptr<const GraphSource> inner) : inner_(std::move(inner)) {}

  std::uint64_t queries() const { return asked_.size(); }
  std::uint64_t rows() const { return rows_; }
  // As SPARQL, in their order.
  const std::vector<std::string>& asked() const { return asked_; }
  // From the query of this number on (the first is 0) every one fails so.
  void fail_from(std::uint64_t number, Error error) {
    fail_from_ = number;
    error_ = std::move(error);
  }
  void set_info(SourceInfo info) { info_ = std::move(info); }
  void set_traits(EndpointTraits traits) { traits_ = std::move(traits); }
  // What is served at every moment, from now on.
  void set_moments(std::function<Moment(const OpContext&)> moments) {
    moments_ = std::move(moments);
  }

  const SourceInfo& info() const override { return info_ ? *info_ : inner_->info(); }
  std::string fingerprint() const override { return inner_->fingerprint(); }
  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    asked_.push_back(to_sparql(query));
    if (error_ && asked_.size() > fail_from_) {
      GraphRun failed;
      failed.error = error_;
      return failed;
    }
    GraphRun run = inner_->run(query, rows_max, sink, context);
    rows_ += run.rows;
    return run;
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    asked_.push_back(to_sparql(query));
    return inner_->run(query, statements_max, sink, context);
  }
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    asked_.emplace_back("count_upto");
    return inner_->count_upto(pattern, dataset, cap, context);
  }
  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override {
    return inner_->explain(query, context);
  }
  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    asked_.emplace_back("has_term");
    return inner_->has_term(term, context);
  }
  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    asked_.emplace_back("find");
    return inner_->find(request, context);
  }
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    return inner_->schema(context);
  }
  PrefixList prefixes() const override { return inner_->prefixes(); }
  std::optional<EndpointTraits> traits() const override { return traits_; }
  Moment at_this_moment(const OpContext& context) const override {
    if (!moments_) return {};
    Moment moment = moments_(context);
    staleness_ = moment.staleness;
    return moment;
  }
  std::optional<Staleness> staleness() const override { return staleness_; }

 private:
  std::shared_ptr<const GraphSource> inner_;
  std::optional<SourceInfo> info_;
  std::optional<EndpointTraits> traits_;
  std::function<Moment(const OpContext&)> moments_;
  mutable std::optional<Staleness> staleness_;
  std::optional<Error> error_;
  std::uint64_t fail_from_ = 0;
  mutable std::vector<std::string> asked_;
  mutable std::uint64_t rows_ = 0;
};

}  // namespace helve::testing
