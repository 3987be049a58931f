// Kills a program that changes a store, at any moment, and with it, mostly, the power of its disk:
// crash_test [ROUNDS [SEED]]
//
// After each round the folder must open, with everything that was acknowledged, nothing by half and
// nothing that was never begun, and its index must be sound. crash_worker.cc is what is killed.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>

#include "sources/store/scratch_space.h"
#include "tests/store/crash_worker.h"
#include "tests/store/disk_model.h"
#include "tests/store/fail.h"
#include "tests/store/killed_worker.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using store::live_testing::Model;
using Path = std::filesystem::path;

constexpr std::uint64_t kRoundsOfOneStore = 25;
// From so many on, everything must have been interrupted.
constexpr std::uint64_t kManyRounds = 200;

// What is begun and ends: with which lines.
struct Work {
  char begin;
  char end;
  std::string_view name;
};
constexpr std::array<Work, 7> kWorks = {{
    {'B', 'A', "transactions"},
    {'U', 'u', "SPARQL updates"},
    {'C', 'c', "compactions"},
    {'L', 'l', "loads, as they are written"},
    {'X', 'x', "loads, as they are sorted on disk"},
    {'T', 't', "transactions of an index that is then replaced"},
    {'R', 'r', "loads that replace an index with a log"},
}};

class CrashRounds {
 public:
  CrashRounds(const Path& folder, std::uint64_t seed)
      : root_(folder / "disk"),
        journal_(folder / "journal"),
        copy_(folder / "copy"),
        random_(seed),
        model_(root_),
        ledger_(Model()) {}

  void run(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (round % kRoundsOfOneStore == 0) begin(round);
      run_round(round);
    }
    report(rounds);
  }

 private:
  void begin(std::uint64_t round) {
    add_lines();
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
    Model first;
    store::live_testing::RandomStatements random(static_cast<unsigned>(random_()), round % 2 == 0);
    for (int i = 0; i < 1'000; ++i) first.insert(random.next(300));
    Model all = first;
    for (std::uint64_t thread = 0; thread < kCrashThreads; ++thread) {
      all.merge(counters_at(thread, 0));
    }
    write_index(all, "store");
    write_index(replacement(0), "replaced");
    model_.adopt();
    // Blank nodes get other names, so that what was loaded counts.
    const auto loaded = good(store::open_live_snapshot(root_ / "store", OpContext()), "opening");
    Model found = contents(loaded);
    for (std::uint64_t thread = 0; thread < kCrashThreads; ++thread) {
      for (const auto& one : counters_at(thread, 0)) found.erase(one);
    }
    ledger_ = CrashLedger(std::move(found));
  }

  void write_index(const Model& model, std::string_view name) const {
    const auto made = store::live_testing::load(store::live_testing::to_nquads(model));
    const auto written = store::write_snapshot(*made, {}, root_ / name, OpContext());
    if (!written) fail(written.error().to_string());
  }

  void run_round(std::uint64_t round) {
    where_ = fmt::format("round {}", round);
    auto before = ledger_.lines;
    const auto was_there = scratch_folders();
    // A worker that is killed before it opens its journal has done nothing: the journal of the
    // round before must not be replayed again.
    std::filesystem::remove(journal_);
    KilledWorker worker(root_, journal_, std::to_string(round));
    // At any moment from the start, in the middle of changes, or of something that is shorter.
    constexpr std::string_view kMoments("\0OAAUUCCCLLXXXRRRR", 18);
    const char moment = kMoments[random_() % kMoments.size()];
    const bool is_short = std::string_view("CLXR").find(moment) != std::string_view::npos;
    const std::uint64_t range = is_short ? 30'000 : 200'000;
    worker.kill_after(moment, std::chrono::microseconds(random_() % range), ledger_);
    const bool is_power_lost = random_() % 4 != 0;
    model_.replay(journal_);
    if (is_power_lost) model_.lose_power(random_);
    model_.write_out();
    power_losses_ += is_power_lost ? 1 : 0;
    for (const Work& work : kWorks) {
      cut_[work.begin] += ledger_.lines[work.begin] - before[work.begin];
      cut_[work.begin] -= ledger_.lines[work.end] - before[work.end];
    }
    for (const Path& folder : scratch_folders()) scratch_left_ += was_there.count(folder) == 0;
    check(is_power_lost);
  }

  // Folders in which something is built, or was.
  std::set<Path> scratch_folders() const {
    std::set<Path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      if (store::is_scratch_name(entry.path().filename())) found.insert(entry.path());
    }
    return found;
  }

  void check(bool is_power_lost) {
    std::filesystem::remove_all(copy_);
    std::filesystem::copy(root_, copy_, std::filesystem::copy_options::recursive);
    CrashLedger::Found found;
    found.store = check_changing("store");
    found.updated = take_updated_graphs(found.store);
    found.replaced = check_changing("replaced");
    const Path loaded = copy_ / "new" / "loaded";
    if (store::is_snapshot_folder(loaded)) {
      verify(loaded);
      found.loaded = contents(good(store::open_live_snapshot(loaded, {}), where_ + ", loaded"));
    }
    if (const std::string wrong = ledger_.check(found); !wrong.empty()) {
      fail(fmt::format("{}: {}", where_, wrong));
    }
    ledger_.settle(found, is_power_lost);
  }

  // What readers find, which must be what a writer finds, and stay through compaction.
  Model check_changing(std::string_view name) const {
    const Path folder = copy_ / name;
    const std::string where = fmt::format("{}, {}", where_, name);
    Model read = contents(good(store::open_live_snapshot(folder, {}), where + ", reading"));
    {
      const auto opened = good(store::LiveStore::open(folder, {}, {}), where + ", recovering");
      if (contents(opened->snapshot()) != read) fail(where + ": recovered is not what is read");
      verify(folder);
      const auto compacted = opened->compact({});
      if (!compacted) fail(where + ": " + compacted.error().to_string());
      if (contents(opened->snapshot()) != read) fail(where + ": compaction changes what is there");
    }
    if (contents(good(store::open_live_snapshot(folder, {}), where + ", again")) != read) {
      fail(where + ": what was compacted is not the same when it is opened again");
    }
    verify(folder);
    return read;
  }

  void verify(const Path& folder) const {
    if (const auto sound = store::verify_snapshot(folder, {}); !sound) {
      fail(fmt::format("{}, {}: {}", where_, folder.string(), sound.error().to_string()));
    }
  }

  Model contents(const std::shared_ptr<const store::LiveSnapshot>& snapshot) const {
    Model model = store::live_testing::contents_of(*snapshot);
    model.merge(updated_graphs(*snapshot));
    if (const auto failure = snapshot->failure()) fail(where_ + ": " + failure->to_string());
    return model;
  }

  void add_lines() {
    for (const auto& [letter, count] : ledger_.lines) lines_[letter] += count;
    for (const auto& [verb, count] : ledger_.steps_cut) steps_cut_[verb] += count;
  }

  void report(std::uint64_t rounds) {
    add_lines();
    fmt::print(
        "{} rounds, {} of them with a power loss: nothing that was acknowledged is lost, nothing "
        "is there by half\n",
        rounds, power_losses_);
    for (const Work& work : kWorks) {
      fmt::print("{:>8} {}: {} done, {} interrupted\n", lines_[work.begin], work.name,
                 lines_[work.end], cut_[work.begin]);
      if (rounds >= kManyRounds && cut_[work.begin] == 0) fail("none of them was interrupted");
    }
    fmt::print("interrupted steps of SPARQL updates:");
    for (const auto& [verb, count] : steps_cut_) fmt::print(" {} {};", count, name_of(verb));
    fmt::print("\nscratch folders of builds that were left behind: {}\n", scratch_left_);
  }

  const Path root_;
  const Path journal_;
  const Path copy_;
  std::mt19937_64 random_;
  DiskModel model_;
  CrashLedger ledger_;
  std::string where_;
  std::map<char, std::uint64_t> lines_;
  std::uint64_t power_losses_ = 0;
  std::map<char, std::uint64_t> cut_;  // by the letter of its beginning
  std::map<GraphStep::Verb, std::uint64_t> steps_cut_;
  std::uint64_t scratch_left_ = 0;
};

std::uint64_t rounds_from_environment() {
  const char* const rounds = std::getenv("HELVE_CRASH_ROUNDS");
  return rounds == nullptr ? 20 : std::stoull(rounds);
}

int run(int count, char** arguments) {
  if (count == 6 && std::string_view(arguments[1]) == "worker") {
    return run_crash_worker(arguments[2], arguments[3], arguments[4], std::stoi(arguments[5]));
  }
  const std::uint64_t rounds = count > 1 ? std::stoull(arguments[1]) : rounds_from_environment();
  const std::uint64_t seed = count > 2 ? std::stoull(arguments[2]) : std::random_device()();
  fmt::print("seed {}\n", seed);
  const TempDirectory folder;
  CrashRounds(folder.path(), seed).run(rounds);
  return 0;
}

}  // namespace
}  // namespace helve

int main(int count, char** arguments) { return helve::run(count, arguments); }
