#include "sources/store/external_build.h"

#include <algorithm>

#include "base/executor.h"
#include "sources/store/order_derivation.h"

namespace helve::store {

namespace {

std::size_t budget_left(const MemoryBudget& memory) {
  return memory.bytes_max() - std::min(memory.bytes_max(), memory.bytes_used());
}

}  // namespace

std::size_t ExternalBuild::threads() const {
  return context_.executor != nullptr ? context_.executor->threads() + 1 : 1;
}

// Buffers that double may take twice of what they hold, and sorting as much again; an eighth is for
// readers and what else there is.
std::size_t ExternalBuild::batch_bytes() const {
  constexpr std::size_t kBatchBytesMin = 256 * kKiB;
  const std::size_t usable = context_.memory->bytes_max() / 8 * 7;
  return std::max(kBatchBytesMin, usable / threads() * 2 / 7);
}

Result<BuildPlace> ExternalBuild::place() {
  const std::lock_guard lock(mutex_);
  if (scratch_ == nullptr) {
    HELVE_ASSIGN(scratch_, ScratchSpace::create(folder_, env_));
  }
  return BuildPlace{scratch_.get(), context_.memory};
}

Result<void> ExternalBuild::add_batch(LoadingSink& sink) {
  HELVE_ASSIGN(const BuildPlace where, place());
  HELVE_ASSIGN(LoadBatch batch, put_aside(sink, where, context_));
  sink.begin_batch();
  const std::lock_guard lock(mutex_);
  if (batches_.size() == kBatchesMax) {
    return Error{ErrorCode::LimitExceeded, "the data is too large for so little memory",
                 "raise the memory limit or load less at once"};
  }
  batches_.push_back(std::move(batch));
  return {};
}

Result<void> ExternalBuild::number_terms(StageWork& work) {
  HELVE_ASSIGN(const BuildPlace where, place());
  std::uint64_t terms = 0;
  for (const LoadBatch& batch : batches_) terms += batch.term_count();
  work.start(terms);
  stream_.emplace(where, context_);
  terms_.emplace(batches_, where, context_);
  HELVE_TRY(terms_->run(*stream_, work.done));
  for (LoadBatch& batch : batches_) batch.terms = {};
  return {};
}

Result<void> ExternalBuild::sort(StageWork& work) {
  HELVE_ASSIGN(const BuildPlace where, place());
  std::uint64_t rows = 0;
  bool has_named_graphs = false;
  for (const LoadBatch& batch : batches_) {
    rows += batch.rows();
    has_named_graphs = has_named_graphs || batch.has_named_graphs;
  }
  work.start(rows * (1 + (has_named_graphs ? kOrders : kTripleOrders)));
  HELVE_TRY(RowMerge(batches_, *terms_, where, context_).run(*stream_, work.done));
  terms_.reset();
  batches_.clear();
  return derive_all(has_named_graphs, work);
}

// Every order is one stable sort away from another: two chains of them, side by side.
Result<void> ExternalBuild::derive_all(bool has_named_graphs, StageWork& work) {
  using Step = std::pair<Order, Order>;
  std::array<std::vector<Step>, 2> chains{
      std::vector<Step>{
          {Order::Spo, Order::Pso}, {Order::Pso, Order::Ops}, {Order::Ops, Order::Sop}},
      std::vector<Step>{{Order::Spo, Order::Osp}, {Order::Osp, Order::Pos}}};
  if (has_named_graphs) {
    chains[0].emplace_back(Order::Spo, Order::Gspo);
    chains[1].emplace_back(Order::Osp, Order::Gosp);
    chains[1].emplace_back(Order::Pos, Order::Gpos);
  }
  const std::size_t bytes_max = budget_left(*context_.memory) / chains.size() / 8 * 7;
  return parallel_for(chains.size(), context_, [&](std::size_t i) -> Result<void> {
    for (const auto& [from, to] : chains[i]) {
      HELVE_TRY(derive_order({from, stream_->indexes()[from], stream_->default_graph()}, to,
                             bytes_max, stream_->order(to), context_, work.done));
      HELVE_TRY(stream_->finish_order(to));
    }
    return {};
  });
}

Result<std::shared_ptr<const Snapshot>> ExternalBuild::count(
    std::vector<std::pair<std::string, std::string>> prefixes) {
  return stream_->finish(std::move(prefixes));
}

}  // namespace helve::store
