#include "sources/sparql/engine/batch_operator.h"

#include <utility>

namespace helve::sparql {

Schema kept_schema(const Schema& schema, const std::set<std::string>* kept) {
  if (kept == nullptr) return schema;
  std::vector<std::string> names;
  for (const std::string& name : schema.names()) {
    if (kept->contains(name)) names.push_back(name);
  }
  return Schema(std::move(names));
}

void gather(const std::vector<Id>& from, std::span<const std::uint32_t> rows, std::vector<Id>& to) {
  const std::size_t begin = to.size();
  to.resize(begin + rows.size());
  Id* const out = to.data() + begin;
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = from[rows[i]];
}

void BatchOperator::restart() {
  rows_wanted_ = run_.first_rows(rows_max());
  is_done_ = false;
  pending_.reset();
}

Result<bool> BatchOperator::next(Batch& batch) {
  batch.reset(schema().size());
  if (pending_) return *pending_;
  if (is_done_) return false;
  Result<bool> done = fill(batch);
  if (done) {
    is_done_ = *done;
  } else {
    if (batch.rows == 0) return std::move(done).error();
    pending_ = std::move(done).error();
  }
  constexpr std::size_t kGrowth = 8;
  rows_wanted_ = std::min(rows_wanted_ * kGrowth, rows_max());
  return batch.rows > 0;
}

}  // namespace helve::sparql
