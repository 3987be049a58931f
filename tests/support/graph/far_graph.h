// A small graph that looks like a large endpoint: its schema tells of a million times as much, and
// what is asked of it is kept. It can be made to give up.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sources/graph_source.h"
#include "sources/sparql/algebra/printer.h"

namespace helve::testing {

class FarGraph final : public GraphSource {
 public:
  static constexpr std::uint64_t kMore = 1'000'000;

  explicit FarGraph(std::shared_ptr<const GraphSource> inner, const std::string& name = {})
      : inner_(std::move(inner)), info_(inner_->info()) {
    if (!name.empty()) info_.name = name;
    info_.is_remote = true;
  }

  // Every query ends as one that took too long, from now on.
  void give_up(std::string words = "the query is too heavy") {
    has_given_up_ = true;
    words_ = std::move(words);
  }
  // Queries that have this in their text end so, from now on; "" is in all of them.
  void fail(std::string part, Error error, std::string cause) {
    failing_ = Failing{std::move(part), std::move(error), std::move(cause)};
  }
  // Things cannot be searched by name, from now on: the vocabulary can.
  void search_no_things() { searches_things_ = false; }
  // Every answer says so, from now on.
  void leave_out(std::string why) { incomplete_ = std::move(why); }
  // Prefixes are known once the schema was asked for.
  void forget_prefixes() { knows_prefixes_ = false; }
  int schemas_asked() const { return schemas_asked_; }
  std::vector<std::string> take_asked() const {
    const std::lock_guard lock(mutex_);
    return std::exchange(asked_, {});
  }

  // Of the last count_upto().
  std::uint64_t last_cap() const { return last_cap_; }

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override { return inner_->fingerprint(); }
  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    note(to_sparql(query));
    if (fails(query)) return failed();
    GraphRun run = has_given_up_ ? too_heavy() : inner_->run(query, rows_max, sink, context);
    run.incomplete = incomplete_;
    return run;
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    note(to_sparql(query));
    return has_given_up_ ? too_heavy() : inner_->run(query, statements_max, sink, context);
  }
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    sparql::Select all;
    all.is_star = true;
    all.body.where = pattern;
    sparql::Query query;
    query.form = std::move(all);
    note(to_sparql(query));
    last_cap_ = cap;
    return inner_->count_upto(pattern, dataset, cap, context);
  }
  Result<GraphPlan> explain(const sparql::Query& /*query*/,
                            const OpContext& /*context*/) const override {
    return Error{ErrorCode::Unavailable, "its plans cannot be asked for"};
  }
  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    note("has_term");
    return inner_->has_term(term, context);
  }
  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    if (request.kind == NameKind::Instance && !searches_things_) {
      return Error(ErrorCode::Unavailable, info_.name + " does not search", "ask again")
          .with_detail("come back later");
    }
    return inner_->find(request, context);
  }
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    ++schemas_asked_;
    knows_prefixes_ = true;
    HELVE_ASSIGN(const auto small, inner_->schema(context));
    auto large = std::make_shared<GraphSchema>(*small);
    for (std::uint64_t* n : {&large->triples, &large->subjects, &large->objects}) *n *= kMore;
    for (ClassInfo& one : large->classes) one.instances *= kMore;
    for (PropertyInfo& one : large->properties) {
      for (std::uint64_t* n : {&one.triples, &one.subjects, &one.objects}) *n *= kMore;
    }
    large->origin = "the VoID description of the endpoint, asked 2026-01-02";
    return std::shared_ptr<const GraphSchema>(std::move(large));
  }
  PrefixList prefixes() const override {
    return knows_prefixes_ ? inner_->prefixes() : PrefixList();
  }

 private:
  void note(std::string query) const {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(query));
  }
  struct Failing {
    std::string part;
    Error error;
    std::string cause;
  };
  bool fails(const sparql::Query& query) const {
    return failing_ && to_sparql(query).find(failing_->part) != std::string::npos;
  }
  GraphRun failed() const {
    GraphRun run;
    run.error = failing_->error;
    run.cause = failing_->cause;
    return run;
  }
  GraphRun too_heavy() const {
    GraphRun run;
    run.error =
        Error(ErrorCode::LimitExceeded, "the query is too heavy for " + info_.name, "narrow it")
            .with_detail(words_);
    run.cause = "too_heavy";
    return run;
  }

  std::shared_ptr<const GraphSource> inner_;
  SourceInfo info_;
  bool has_given_up_ = false;
  std::string words_;
  std::optional<Failing> failing_;
  bool searches_things_ = true;
  std::string incomplete_;
  mutable std::atomic<bool> knows_prefixes_{true};
  mutable std::atomic<int> schemas_asked_{0};
  mutable std::atomic<std::uint64_t> last_cap_{0};
  mutable std::mutex mutex_;
  mutable std::vector<std::string> asked_;
};

}  // namespace helve::testing
