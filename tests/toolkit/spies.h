// Sources that look at what reaches them through a policy: the deadline, the memory, the datasets
// and the rules of each call.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/memory_budget.h"
#include "sources/graph_source.h"
#include "sources/table_source.h"

namespace helve::proofs {

// What calls had with them, the worst of each.
struct Seen {
  std::uint64_t touches = 0;
  Duration longest{0};
  std::size_t memory_max = 0;  // SIZE_MAX: a call had none
  std::uint64_t without_rules = 0;
  std::set<std::string> functions;  // that rules allowed

  void note(const OpContext& context) {
    ++touches;
    longest = std::max(
        longest, context.deadline.is_never() ? Duration::max() : context.deadline.remaining());
    memory_max =
        std::max(memory_max, context.memory == nullptr ? SIZE_MAX : context.memory->bytes_max());
  }
};

class SpyGraph final : public GraphSource {
 public:
  explicit SpyGraph(std::shared_ptr<const GraphSource> graph) : graph_(std::move(graph)) {}

  Seen& seen() const { return seen_; }

  const SourceInfo& info() const override { return graph_->info(); }
  std::string fingerprint() const override { return graph_->fingerprint(); }
  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override {
    seen_.note(context);
    return graph_->run(query, rows_max, sink, context);
  }
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override {
    seen_.note(context);
    return graph_->run(query, statements_max, sink, context);
  }
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override {
    seen_.note(context);
    return graph_->count_upto(pattern, dataset, cap, context);
  }
  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override {
    seen_.note(context);
    return graph_->explain(query, context);
  }
  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override {
    seen_.note(context);
    return graph_->has_term(term, context);
  }
  Result<std::vector<NameHit>> find(const FindRequest& request,
                                    const OpContext& context) const override {
    seen_.note(context);
    return graph_->find(request, context);
  }
  Result<std::shared_ptr<const GraphSchema>> schema(const OpContext& context) const override {
    seen_.note(context);
    return graph_->schema(context);
  }
  PrefixList prefixes() const override { return graph_->prefixes(); }

 private:
  std::shared_ptr<const GraphSource> graph_;
  mutable Seen seen_;
};

// Refuses, as an adapter would, statements that have a word of `hidden` in them where there are
// rules.
class SpyTables final : public TableSource {
 public:
  SpyTables(std::shared_ptr<const TableSource> tables, std::string hidden)
      : tables_(std::move(tables)), hidden_(std::move(hidden)) {}

  Seen& seen() const { return seen_; }

  const SourceInfo& info() const override { return tables_->info(); }
  std::string fingerprint() const override { return tables_->fingerprint(); }
  SqlDialect dialect() const override { return tables_->dialect(); }
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override {
    note(query, context);
    TableRun refused;
    refused.error = refusal(query);
    return refused.error ? refused : tables_->run(query, sink, context);
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    note(query, context);
    PlanOutcome refused;
    refused.error = refusal(query);
    return refused.error ? refused : tables_->explain(query, context);
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    seen_.note(context);
    return tables_->catalogue(context, is_fresh);
  }
  Result<SourceRights> rights(const OpContext& context) const override {
    seen_.note(context);
    return tables_->rights(context);
  }
  std::string setup_script() const override { return tables_->setup_script(); }

 private:
  void note(const TableQuery& query, const OpContext& context) const {
    seen_.note(context);
    if (query.rules == nullptr) ++seen_.without_rules;
    const auto& functions = allowed_functions(query.rules);
    seen_.functions.insert(functions.begin(), functions.end());
  }
  std::optional<Error> refusal(const TableQuery& query) const {
    const std::string text = ascii_lower(query.sql);
    const bool is_hidden =
        text.find(hidden_) != std::string::npos || text.find('*') != std::string::npos;
    if (query.rules == nullptr || !is_hidden) return std::nullopt;
    return Error{ErrorCode::Denied, "that may not be read"};
  }

  std::shared_ptr<const TableSource> tables_;
  std::string hidden_;
  mutable Seen seen_;
};

}  // namespace helve::proofs
