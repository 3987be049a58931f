// EngineGraph: the part of a GraphSource that our own engine answers, whatever holds the data.
#pragma once

#include <memory>

#include "sources/graph_source.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/sparql/engine/query_run.h"
#include "sources/sparql/engine/service.h"

namespace helve::store {

class EngineGraph : public GraphSource {
 public:
  GraphRun run(const sparql::Query& query, std::uint64_t rows_max, RowSink& sink,
               const OpContext& context) const override;
  GraphRun run(const sparql::Query& query, std::uint64_t statements_max, rdf::StatementSink& sink,
               const OpContext& context) const override;
  Result<GraphCount> count_upto(const sparql::Pattern& pattern, const QueryDataset& dataset,
                                std::uint64_t cap, const OpContext& context) const override;
  Result<GraphPlan> explain(const sparql::Query& query, const OpContext& context) const override;
  Result<bool> has_term(const rdf::TermView& term, const OpContext& context) const override;

 protected:
  // Without `services`, SERVICE is refused.
  explicit EngineGraph(std::shared_ptr<sparql::ServiceResolver> services)
      : services_(std::move(services)) {}
  // What a call works on, from its beginning to its end.
  virtual std::shared_ptr<const sparql::Snapshot> data() const = 0;

 private:
  sparql::RunOptions options() const;
  template <typename Sink>
  void send(const sparql::Query& query, std::uint64_t rows_max, Sink& sink,
            const OpContext& context, GraphRun& result) const;

  std::shared_ptr<sparql::ServiceResolver> services_;
};

}  // namespace helve::store
