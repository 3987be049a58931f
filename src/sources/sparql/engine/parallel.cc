#include "sources/sparql/engine/parallel.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <utility>

#include "base/executor.h"

namespace helve::sparql {

namespace {

constexpr std::size_t kWaitingMax = 24;    // batches, of the part whose turn it is and of others
constexpr std::size_t kBatchesAlone = 12;  // before others are asked to help
constexpr std::uint32_t kPartsAhead = 4;   // for each copy

// What was made of a part and not given yet.
struct PartRows {
  std::deque<Batch> batches;
  std::optional<Error> error;  // behind the batches
  bool is_done = false;
};

// What the caller and the helping threads share. Outlives tasks that start too late.
struct Exchange {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint32_t parts = 0;
  std::uint32_t ahead_max = 0;
  std::uint32_t turn = 0;     // the part that rows are given of
  std::uint32_t untaken = 0;  // the first part that no one works on
  std::deque<PartRows> rows;  // of the parts from `turn` to `untaken`
  std::size_t waiting = 0;    // batches, in all of them
  std::size_t running = 0;
  bool has_failed = false;  // what comes behind will not be asked for
  bool is_closed = false;   // nothing may begin or go on

  // All of these with the mutex held.
  bool has_more() const { return untaken < parts && !has_failed && !is_closed; }
  bool can_take() const { return has_more() && untaken - turn < ahead_max; }
  std::uint32_t take() {
    rows.emplace_back();
    return untaken++;
  }
  PartRows& of(std::uint32_t part) { return rows[part - turn]; }
  // What a run of a part gave. False: it was the last.
  bool add(std::uint32_t part, const Result<bool>& has_rows, Batch&& batch) {
    PartRows& made = of(part);
    if (has_rows && *has_rows) {
      made.batches.push_back(std::move(batch));
      ++waiting;
    } else {
      made.is_done = true;
      if (!has_rows) made.error = has_rows.error();
      has_failed = has_failed || !has_rows;
    }
    changed.notify_all();
    return !made.is_done;
  }
  // The part whose turn it is never waits for others.
  bool has_room(std::uint32_t part) {
    return part == turn ? of(part).batches.size() < kWaitingMax : waiting < kWaitingMax;
  }
  void end_turn() {
    rows.pop_front();
    ++turn;
    changed.notify_all();
  }
};

void begin_part(PipelineCopy& copy, std::uint32_t part) {
  copy.part->part = part;
  copy.root->restart();
}

// Nothing may be thrown through a thread of the pool.
Result<bool> next_of(Operator& root, Batch& batch) {
  try {
    return root.next(batch);
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::LimitExceeded, "the machine has no memory left",
                 "--threads 1 needs less");
  }
}

void work_on(Exchange& exchange, PipelineCopy& copy, std::uint32_t part,
             std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  begin_part(copy, part);
  while (true) {
    Batch batch;
    const Result<bool> has_rows = next_of(*copy.root, batch);
    lock.lock();
    if (!exchange.add(part, has_rows, std::move(batch))) return;
    exchange.changed.wait(lock, [&] { return exchange.is_closed || exchange.has_room(part); });
    if (exchange.is_closed) return;
    lock.unlock();
  }
}

void help(Exchange& exchange, PipelineCopy& copy) {
  std::unique_lock lock(exchange.mutex);
  if (exchange.is_closed) return;
  ++exchange.running;
  while (exchange.has_more()) {
    if (exchange.can_take()) {
      work_on(exchange, copy, exchange.take(), lock);
    } else {
      exchange.changed.wait(lock);
    }
  }
  --exchange.running;
  exchange.changed.notify_all();
}

class ParallelRows final : public Operator {
 public:
  ParallelRows(std::vector<PipelineCopy> copies, const RunState& run, Schema schema)
      : Operator(std::move(schema)), copies_(std::move(copies)), op_(run.op) {}
  ParallelRows(const ParallelRows&) = delete;
  ParallelRows& operator=(const ParallelRows&) = delete;
  ~ParallelRows() override { close(); }

  Result<bool> next(Batch& batch) override {
    batch.reset(schema().size());
    return exchange_ == nullptr ? next_alone(batch) : next_of_all(batch);
  }

  // REQUIRES: nothing was asked for yet.
  std::vector<PipelineCopy> release() { return std::move(copies_); }

  void restart() override {
    close();
    exchange_.reset();
    own().run->is_eager = false;
    begin_part(own(), 0);
    own_part_ = 0;
    given_ = 0;
  }

 private:
  PipelineCopy& own() { return copies_.front(); }
  std::uint32_t parts() { return own().part->parts; }

  // Until it is clear that there is work for more than one.
  Result<bool> next_alone(Batch& batch) {
    HELVE_ASSIGN(const bool has_rows, own().root->next(batch));
    if (has_rows) {
      if (++given_ == kBatchesAlone) start();
      return true;
    }
    if (*own_part_ + 1 >= parts()) return false;
    own().run->is_eager = true;
    begin_part(own(), ++*own_part_);
    start();
    return next_of_all(batch);
  }

  void start() {
    exchange_ = std::make_shared<Exchange>();
    exchange_->parts = parts();
    exchange_->ahead_max = kPartsAhead * static_cast<std::uint32_t>(copies_.size());
    exchange_->turn = *own_part_;
    exchange_->untaken = *own_part_;
    exchange_->take();
    own().run->is_eager = true;
    for (std::size_t i = 1; i < copies_.size(); ++i) {
      copies_[i].op->cancel = CancelToken();
      const bool is_accepted = op_.executor->try_submit(
          [exchange = exchange_, copy = &copies_[i]] { help(*exchange, *copy); });
      if (!is_accepted) break;  // busy: the caller does it alone
    }
  }

  void close() {
    if (exchange_ == nullptr) return;
    std::unique_lock lock(exchange_->mutex);
    exchange_->is_closed = true;
    for (std::size_t i = 1; i < copies_.size(); ++i) copies_[i].op->cancel.cancel();
    exchange_->changed.notify_all();
    exchange_->changed.wait(lock, [this] { return exchange_->running == 0; });
  }

  // Rows that wait; else rows of a part of its own, to be given or to wait. Waits itself only for
  // the part whose turn it is, which another thread works on then.
  Result<bool> next_of_all(Batch& batch) {
    std::unique_lock lock(exchange_->mutex);
    while (exchange_->turn < exchange_->parts) {
      if (!exchange_->rows.empty()) {
        HELVE_ASSIGN(const bool is_given, give_waiting(batch));
        if (is_given) return true;
        if (exchange_->rows.front().is_done) {
          exchange_->end_turn();
          continue;
        }
      }
      if (!own_part_ && exchange_->can_take()) {
        own_part_ = exchange_->take();
        lock.unlock();
        begin_part(own(), *own_part_);
        lock.lock();
      }
      if (own_part_ && exchange_->has_room(*own_part_)) {
        run_own(lock);
      } else {
        constexpr auto kCheckedEvery = std::chrono::milliseconds(5);
        exchange_->changed.wait_for(lock, kCheckedEvery);
        HELVE_TRY(op_.check());
      }
    }
    return false;
  }

  Result<bool> give_waiting(Batch& batch) {
    PartRows& now = exchange_->rows.front();
    if (now.batches.empty()) {
      if (now.error) return *now.error;
      return false;
    }
    batch = std::move(now.batches.front());
    now.batches.pop_front();
    --exchange_->waiting;
    exchange_->changed.notify_all();
    return true;
  }

  void run_own(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    Batch made;
    const Result<bool> has_rows = own().root->next(made);
    lock.lock();
    if (!exchange_->add(*own_part_, has_rows, std::move(made))) own_part_.reset();
  }

  std::vector<PipelineCopy> copies_;
  const OpContext& op_;
  std::shared_ptr<Exchange> exchange_;
  std::optional<std::uint32_t> own_part_ = 0;
  std::size_t given_ = 0;
};

}  // namespace

PipelineCopy make_own_copy(const RunState& run) {
  PipelineCopy copy;
  copy.run = std::make_unique<RunState>(
      RunState{run.op, run.terms, run.expressions, nullptr, run.passes, MemoryCharge()});
  return copy;
}

PipelineCopy make_copy(const RunState& run) {
  PipelineCopy copy;
  copy.op = std::make_unique<OpContext>(run.op);
  copy.terms = std::make_unique<TermTable>(run.terms.shared_snapshot(), *copy.op);
  copy.expressions = std::make_unique<EvaluationContext>(run.expressions, *copy.terms);
  copy.run = std::make_unique<RunState>(
      RunState{*copy.op, *copy.terms, *copy.expressions, nullptr, run.passes, MemoryCharge()});
  copy.run->is_eager = true;
  return copy;
}

OperatorPtr make_parallel(std::vector<PipelineCopy> copies, const RunState& run) {
  Schema schema = copies.front().root->schema();
  return std::make_unique<ParallelRows>(std::move(copies), run, std::move(schema));
}

std::vector<PipelineCopy> release_copies(Operator& rows) {
  auto* const parallel = dynamic_cast<ParallelRows*>(&rows);
  return parallel != nullptr ? parallel->release() : std::vector<PipelineCopy>();
}

std::string cores_text(std::size_t copies) { return fmt::format("{} cores", copies); }

std::size_t waiting_batches_max(std::size_t copies) { return 2 * kWaitingMax + copies; }

}  // namespace helve::sparql
