// BatchOperator: the common form of operators that make whole batches out of whole batches, with
// small batches first, so that EXISTS, ASK and small LIMITs cost little.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sources/sparql/engine/operator.h"

namespace helve::sparql {

// `names` without those that are not kept; all of them where `kept` is null.
Schema kept_schema(const Schema& schema, const std::set<std::string>* kept);

// Appends from[rows[i]] for every i.
void gather(const std::vector<Id>& from, std::span<const std::uint32_t> rows, std::vector<Id>& to);

class BatchOperator : public Operator {
 public:
  Result<bool> next(Batch& batch) final;
  void restart() override;

 protected:
  BatchOperator(Schema schema, const RunState& run) : Operator(std::move(schema)), run_(run) {}

  // Appends until `out` is_full() or there is no more; true: no more.
  virtual Result<bool> fill(Batch& out) = 0;

  std::size_t rows_wanted() const { return rows_wanted_; }
  bool is_full(const Batch& out) const { return out.rows >= rows_wanted_; }
  Result<void> pace(std::uint64_t items) { return run_.pace.add(items * row_bytes(), items); }

 private:
  const RunState& run_;
  std::size_t rows_wanted_ = 1;
  bool is_done_ = false;
  std::optional<Error> pending_;  // met behind rows that were given first
};

}  // namespace helve::sparql
