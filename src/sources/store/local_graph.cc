#include "sources/store/local_graph.h"

#include <mutex>
#include <utility>

#include "sources/store/dataset.h"
#include "sources/store/engine_graph.h"
#include "sources/store/local_lazy.h"
#include "sources/store/local_names.h"
#include "sources/store/local_schema.h"
#include "sources/store/local_triples.h"
#include "sources/triple_reader.h"

namespace helve::store {

namespace {

class LocalGraph final : public EngineGraph, public TripleReader {
 public:
  LocalGraph(std::shared_ptr<const Snapshot> snapshot, SourceInfo info, LocalFolder folder,
             std::shared_ptr<sparql::ServiceResolver> services)
      : EngineGraph(std::move(services)),
        snapshot_(std::move(snapshot)),
        data_(as_dataset(snapshot_)),
        info_(std::move(info)),
        names_(std::move(folder)) {}

  const SourceInfo& info() const override { return info_; }
  std::string fingerprint() const override {
    std::call_once(is_fingerprinted_, [this] { fingerprint_ = fingerprint_of(*snapshot_); });
    return fingerprint_;
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
  std::shared_ptr<const sparql::Snapshot> data() const override { return data_; }

  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const sparql::Snapshot> data_;
  SourceInfo info_;
  mutable std::once_flag is_fingerprinted_;
  mutable std::string fingerprint_;
  mutable Lazy<GraphSchema> schema_;
  mutable LocalNames names_;
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
