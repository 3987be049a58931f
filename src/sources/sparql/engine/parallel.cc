#include "sources/sparql/engine/parallel.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/executor.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kQueuedMax = 16;     // batches
constexpr std::size_t kBatchesAlone = 12;  // before others are asked to help

// What the caller and the helping threads share. Outlives tasks that start too late.
struct Exchange {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Batch> queue;
  std::optional<Error> error;
  std::size_t running = 0;
  bool is_closed = false;  // nothing may begin or go on
};

void work(Exchange& exchange, Operator& pipeline) {
  {
    const std::lock_guard lock(exchange.mutex);
    if (exchange.is_closed) return;
    ++exchange.running;
  }
  while (true) {
    Batch batch;
    const Result<bool> has_rows = pipeline.next(batch);
    std::unique_lock lock(exchange.mutex);
    if (!has_rows && !exchange.error) exchange.error = has_rows.error();
    if (!has_rows || !*has_rows) break;
    exchange.changed.wait(lock,
                          [&] { return exchange.is_closed || exchange.queue.size() < kQueuedMax; });
    if (exchange.is_closed) break;
    exchange.queue.push_back(std::move(batch));
    exchange.changed.notify_all();
  }
  const std::lock_guard lock(exchange.mutex);
  --exchange.running;
  exchange.changed.notify_all();
}

class ParallelRows final : public Operator {
 public:
  ParallelRows(std::unique_ptr<ScanParts> parts, std::vector<PipelineCopy> copies,
               const RunState& run, Schema schema)
      : Operator(std::move(schema)),
        parts_(std::move(parts)),
        copies_(std::move(copies)),
        executor_(*run.op.executor) {}
  ParallelRows(const ParallelRows&) = delete;
  ParallelRows& operator=(const ParallelRows&) = delete;
  ~ParallelRows() override { close(); }

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    while (true) {
      if (exchange_ != nullptr) {
        HELVE_ASSIGN(const bool is_taken, take_queued(batch));
        if (is_taken) return true;
      }
      if (!is_own_done_) {
        HELVE_ASSIGN(const bool has_rows, copies_.front().root->next(batch));
        if (has_rows) {
          if (exchange_ == nullptr && ++given_ == kBatchesAlone) start();
          return true;
        }
        is_own_done_ = true;
      }
      if (exchange_ == nullptr || is_all_done()) return false;
    }
  }

  void restart() override {
    close();
    exchange_.reset();
    parts_->restart();
    for (PipelineCopy& copy : copies_) copy.root->restart();
    given_ = 0;
    is_own_done_ = false;
  }

 private:
  void start() {
    exchange_ = std::make_shared<Exchange>();
    for (std::size_t i = 1; i < copies_.size(); ++i) {
      const bool is_accepted = executor_.try_submit(
          [exchange = exchange_, root = copies_[i].root.get()] { work(*exchange, *root); });
      if (!is_accepted) break;  // busy: the caller does it alone
    }
  }

  void close() {
    if (exchange_ == nullptr) return;
    std::unique_lock lock(exchange_->mutex);
    exchange_->is_closed = true;
    exchange_->changed.notify_all();
    exchange_->changed.wait(lock, [this] { return exchange_->running == 0; });
  }

  // Waits only where the caller has nothing left to do itself.
  Result<bool> take_queued(Batch& batch) {
    std::unique_lock lock(exchange_->mutex);
    if (is_own_done_) {
      exchange_->changed.wait(
          lock, [this] { return !exchange_->queue.empty() || exchange_->running == 0; });
    }
    if (exchange_->queue.empty()) {
      if (exchange_->error) return *exchange_->error;
      return false;
    }
    batch = std::move(exchange_->queue.front());
    exchange_->queue.pop_front();
    exchange_->changed.notify_all();
    return true;
  }

  // A task that has not begun finds no part to take.
  bool is_all_done() {
    const std::lock_guard lock(exchange_->mutex);
    return exchange_->queue.empty() && exchange_->running == 0 && !exchange_->error;
  }

  std::unique_ptr<ScanParts> parts_;
  std::vector<PipelineCopy> copies_;
  Executor& executor_;
  std::shared_ptr<Exchange> exchange_;
  std::size_t given_ = 0;
  bool is_own_done_ = false;
};

}  // namespace

PipelineCopy make_copy(const RunState& run) {
  PipelineCopy copy;
  copy.terms = std::make_unique<TermTable>(run.terms.shared_snapshot(), run.op);
  copy.expressions = std::make_unique<EvaluationContext>(run.expressions, *copy.terms);
  copy.run = std::make_unique<RunState>(RunState{run.op, *copy.terms, *copy.expressions, nullptr,
                                                 run.passes, MemoryCharge(), Explain::None});
  return copy;
}

OperatorPtr make_parallel(std::unique_ptr<ScanParts> parts, std::vector<PipelineCopy> copies,
                          const RunState& run) {
  Schema schema = copies.front().root->schema();
  return std::make_unique<ParallelRows>(std::move(parts), std::move(copies), run,
                                        std::move(schema));
}

}  // namespace helve::sparql
