#include "tests/store/crash_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/fd.h"
#include "tests/store/power_loss_files.h"
#include "tests/store/store_asking.h"

namespace helve {

namespace {

using store::LiveStore;
using store::live_testing::Model;

constexpr auto kSyncDelayMax = std::chrono::microseconds(1'500);
// Of what is sorted on disk: each piece of a document is a batch of its own.
constexpr std::size_t kPieceBytes = 2'000;
constexpr std::size_t kBatchBytes = 1;

std::shared_ptr<const store::Snapshot> load_in_memory(const Model& model) {
  return store::live_testing::load(store::live_testing::to_nquads(model));
}

class CrashWorker {
 public:
  CrashWorker(const std::filesystem::path& root, Env& env, std::string run, int out)
      : root_(root), env_(env), run_(std::move(run)), out_(out) {}

  Result<void> run() {
    store::LiveOptions options;
    options.compacts_itself = false;
    HELVE_ASSIGN(store_, LiveStore::open(root_ / "store", options, OpContext(), env_));
    tell("O");
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kCrashThreads; ++thread) {
      threads.emplace_back([this, thread] { tell_error(write(thread)); });
    }
    threads.emplace_back([this] { tell_error(update()); });
    threads.emplace_back([this] { tell_error(compact()); });
    threads.emplace_back([this] { tell_error(replace()); });
    tell_error(load());
    for (std::thread& thread : threads) thread.join();
    return {};
  }

  // One write() each, which the lines of other threads do not come between.
  void tell(const std::string& line) const { (void)write_fd_fully(out_, line + "\n"); }

 private:
  void tell_error(const Result<void>& outcome) const {
    if (!outcome) tell("E " + outcome.error().to_string());
  }
  std::uint64_t below(std::uint64_t end) { return env_.random().next_u64() % end; }
  void pause(std::uint64_t microseconds_max) {
    std::this_thread::sleep_for(std::chrono::microseconds(below(microseconds_max)));
  }

  static Result<void> edit(store::Transaction& to, const Model& statements, bool is_added) {
    for (const auto& one : statements) {
      HELVE_ASSIGN(const store::Quad quad, store::live_testing::intern(to, one));
      HELVE_TRY(is_added ? to.add(quad) : to.remove(quad));
    }
    return {};
  }

  // The counter as the store has it.
  std::uint64_t counter_of(std::uint64_t thread) const {
    const auto all = store::live_testing::contents_of(*store_->snapshot());
    for (std::uint64_t value = 0;; ++value) {
      if (all.count(*counters_at(thread, value).begin()) > 0) return value;
    }
  }

  Result<void> write(std::uint64_t thread) {
    std::vector<CrashTransaction> mine;
    for (std::uint64_t number = counter_of(thread) + 1;; ++number) {
      CrashTransaction one{fmt::format("r{}t{}n{}", run_, thread, number), thread, number,
                           1 + below(30), ""};
      if (below(40) == 0) one.statements += 1'500;  // more than a buffer takes
      Model removed = counters_at(thread, number - 1);
      if (mine.size() > 3 || (!mine.empty() && below(3) == 0)) {
        one.replaces = mine.back().id;
        removed.merge(mine.back().added());
        mine.pop_back();
      }
      tell(fmt::format("B {} {} {} {} {}", one.id, thread, number, one.statements, one.replaces));
      const auto work = [&](store::Transaction& to) -> Result<void> {
        HELVE_TRY(edit(to, removed, false));
        HELVE_TRY(edit(to, counters_at(thread, number), true));
        return edit(to, one.added(), true);
      };
      HELVE_TRY(store_->write(work, OpContext()));
      tell("A " + one.id);
      mine.push_back(one);
      if (below(4) == 0) pause(2'000);
    }
  }

  // SPARQL updates, in graphs of their own.
  Result<void> update() {
    for (std::uint64_t number = 1;; ++number) {
      const auto one = CrashUpdate::make(fmt::format("r{}u{}", run_, number),
                                         [this](std::uint64_t end) { return below(end); });
      tell("U " + one.to_line());
      HELVE_TRY(change(*store_, one.to_sparql()));
      tell("u");
      if (below(4) == 0) pause(5'000);
    }
  }

  Result<void> compact() {
    while (true) {
      pause(40'000);
      tell("C");
      HELVE_TRY(store_->compact(OpContext()));
      tell("c");
    }
  }

  // As a load under a budget of memory that is far too small.
  Result<std::shared_ptr<const store::Snapshot>> load_on_disk(const Model& model,
                                                              const std::filesystem::path& folder) {
    const std::string text = store::live_testing::to_nquads(model);
    std::vector<rdf::Document> documents;
    documents.push_back(rdf::Document::from_text("t.nq", text, rdf::Format::NQuads));
    store::LoadOptions options;
    options.piece_bytes = kPieceBytes;
    options.batch_bytes = kBatchBytes;
    options.scratch = folder;
    options.env = &env_;
    OpContext context;
    context.executor = &executor_;
    HELVE_ASSIGN(const auto loaded, store::load_documents(std::move(documents), options, context));
    if (!loaded.report.is_external) return Error{ErrorCode::Internal, "nothing was put aside"};
    return loaded.snapshot;
  }

  Result<void> load() {
    const auto folder = root_ / "new" / "loaded";
    std::uint64_t number = 0;
    if (const auto info = store::read_snapshot_info(folder, OpContext(), env_)) {
      number = std::stoull(info->origin.key);
    }
    while (true) {
      pause(60'000);
      const Model model = load_number(++number);
      std::shared_ptr<const store::Snapshot> made;
      if (is_external_load(number)) {
        tell("X");
        HELVE_ASSIGN(made, load_on_disk(model, folder));
        tell("x");
      } else {
        made = load_in_memory(model);
      }
      tell(fmt::format("L {}", number));
      store::SnapshotOrigin origin;
      origin.key = std::to_string(number);
      HELVE_TRY(store::write_snapshot(*made, origin, folder, OpContext(), env_));
      tell(fmt::format("l {}", number));
    }
  }

  // Changes an index and then loads another in its place, as helve load --force does.
  Result<void> replace() {
    const auto folder = root_ / "replaced";
    std::uint64_t changes = 0;
    while (true) {
      HELVE_ASSIGN(const std::uint64_t which, change_replaced(folder, changes));
      HELVE_ASSIGN(const auto lock, store::lock_for_writing(folder, env_));
      const std::uint64_t next = (which + 1) % kReplacements;
      tell(fmt::format("R {}", next));
      const Model model = replacement(next);
      std::shared_ptr<const store::Snapshot> made;
      if (below(2) == 0) {
        HELVE_ASSIGN(made, load_on_disk(model, folder));
      } else {
        made = load_in_memory(model);
      }
      HELVE_TRY(store::write_snapshot(*made, {}, folder, OpContext(), env_,
                                      store::IfPresent::Replace, lock.get()));
      tell("r");
    }
  }

  // A few transactions, of which the log has one at least in the end. Tells which of the
  // replacements the index was.
  Result<std::uint64_t> change_replaced(const std::filesystem::path& folder,
                                        std::uint64_t& changes) {
    store::LiveOptions options;
    options.compacts_itself = false;
    HELVE_ASSIGN(const auto opened, LiveStore::open(folder, options, OpContext(), env_));
    std::optional<CrashTransaction> last;
    const std::uint64_t count = 1 + below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (below(8) == 0) HELVE_TRY(opened->compact(OpContext()));
      CrashTransaction one{fmt::format("r{}c{}", run_, ++changes), 0, changes, 1 + below(30), ""};
      const bool replaces = last && below(3) == 0;
      if (replaces) one.replaces = last->id;
      tell(fmt::format("T {} 0 {} {} {}", one.id, changes, one.statements, one.replaces));
      const auto work = [&](store::Transaction& to) -> Result<void> {
        if (replaces) HELVE_TRY(edit(to, last->added(), false));
        return edit(to, one.added(), true);
      };
      HELVE_TRY(opened->write(work, OpContext()));
      tell("t");
      last = one;
    }
    const Model found = store::live_testing::contents_of(*opened->snapshot());
    for (std::uint64_t which = 0; which < kReplacements; ++which) {
      const Model wanted = replacement(which);
      if (std::includes(found.begin(), found.end(), wanted.begin(), wanted.end())) return which;
    }
    return Error{ErrorCode::Internal, "the index that is replaced is none of them"};
  }

  const std::filesystem::path root_;
  Env& env_;
  const std::string run_;
  const int out_;
  Executor executor_{2};
  std::shared_ptr<LiveStore> store_;
};

}  // namespace

int run_crash_worker(const std::filesystem::path& root, const std::filesystem::path& journal,
                     const std::string& run, int out) {
  PowerLossFiles files(root, journal, kSyncDelayMax);
  PowerLossEnv env(files);
  CrashWorker worker(root, env, run, out);
  const auto outcome = worker.run();
  worker.tell("E " + (outcome ? "it ended" : outcome.error().to_string()));
  return 1;
}

}  // namespace helve
