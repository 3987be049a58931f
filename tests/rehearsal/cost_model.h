// CostModel: what a query that runs on a small graph would take on the real endpoint behind it. It
// knows nothing of the guard: it counts the index entries that the engine reads, and weighs each by
// how much more of its kind the real endpoint holds, as the real VoID tells.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/op_context.h"
#include "sources/sparql/algebra/query.h"
#include "sources/sparql/engine/dataset.h"
#include "sources/void_description.h"

namespace helve::rehearsal {

struct CostRates {
  double rows_per_second = 5e6;  // that the real endpoint reads
  double latency_seconds = 0.5;  // bound patterns took 0.4 to 0.6 s there
  double limit_seconds = 45;     // then it gives up
};

// Thread-safe.
class CostModel {
 public:
  // `real` describes the real endpoint; `small` outlives the model.
  CostModel(const VoidDescription& real, const sparql::Snapshot& small, CostRates rates);

  const CostRates& rates() const { return rates_; }
  // Real entries for one that is read here. Entries of one subject are as many there as here.
  double scan_weight(rdf::Id predicate) const { return of(scans_, predicate); }
  double object_weight(rdf::Id predicate, rdf::Id object) const;

 private:
  double of(const std::unordered_map<std::uint64_t, double>& weights, rdf::Id predicate) const;

  CostRates rates_;
  double all_ = 1;
  rdf::Id type_;
  std::unordered_map<std::uint64_t, double> scans_;    // by predicate
  std::unordered_map<std::uint64_t, double> objects_;  // by predicate: for one object
  std::unordered_map<std::uint64_t, double> classes_;
};

// What one query has read so far. For one thread.
class QueryCost {
 public:
  // `cancel` ends the query once it is over the limit.
  QueryCost(const CostModel& model, const sparql::Query& query, CancelToken cancel);

  void scanned(const sparql::QuadPattern& pattern, const sparql::QuadBatch& batch);
  void looked_up(const sparql::LookupKeys& keys);
  void found(const sparql::LookupKeys& keys, std::size_t rows);

  double seconds() const;
  bool is_over() const { return seconds() > model_.rates().limit_seconds; }
  std::uint64_t rows_read() const { return read_; }

 private:
  void charge(double weight);
  void check() const;

  const CostModel& model_;
  CancelToken cancel_;
  double streamed_;      // entries that a LIMIT explains: these are as many there
  double scanned_ = 0;   // entries here
  double scaled_ = 0;    // the same there
  double followed_ = 0;  // look-ups and what they found, for the entries here
  std::uint64_t read_ = 0;
};

// The same data; what is read of it is charged. Statistics are free; counts and groups that our
// indexes know are not given: the real endpoint has to read for them. `inner` and `cost` outlive
// it.
std::shared_ptr<const sparql::Snapshot> make_metered(const sparql::Snapshot& inner,
                                                     QueryCost& cost);

}  // namespace helve::rehearsal
