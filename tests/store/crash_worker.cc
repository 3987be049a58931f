#include "tests/store/crash_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "tests/store/power_loss_files.h"

namespace helve {

namespace {

using store::LiveStore;
using store::live_testing::Model;

constexpr auto kSyncDelayMax = std::chrono::microseconds(1'500);

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
    threads.emplace_back([this] { tell_error(compact()); });
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

  static Result<void> change(store::Transaction& to, const Model& statements, bool is_added) {
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
        HELVE_TRY(change(to, removed, false));
        HELVE_TRY(change(to, counters_at(thread, number), true));
        return change(to, one.added(), true);
      };
      HELVE_TRY(store_->write(work, OpContext()));
      tell("A " + one.id);
      mine.push_back(one);
      if (below(4) == 0) pause(2'000);
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

  Result<void> load() {
    const auto folder = root_ / "new" / "loaded";
    std::uint64_t number = 0;
    if (const auto info = store::read_snapshot_info(folder, OpContext(), env_)) {
      number = std::stoull(info->origin.key);
    }
    while (true) {
      pause(60'000);
      const auto made =
          store::live_testing::load(store::live_testing::to_nquads(load_number(++number)));
      tell(fmt::format("L {}", number));
      store::SnapshotOrigin origin;
      origin.key = std::to_string(number);
      HELVE_TRY(store::write_snapshot(*made, origin, folder, OpContext(), env_));
      tell(fmt::format("l {}", number));
    }
  }

  const std::filesystem::path root_;
  Env& env_;
  const std::string run_;
  const int out_;
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
