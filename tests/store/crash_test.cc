// Kills a program that changes a store, at any moment, and with it, mostly, the power of its disk:
// crash_test [ROUNDS [SEED]]
//
// After each round the folder must open, with everything that was acknowledged, nothing by half and
// nothing that was never begun, and its index must be sound. crash_worker.cc is what is killed.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/fd.h"
#include "tests/store/crash_worker.h"
#include "tests/store/disk_model.h"
#include "tests/store/fail.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using std::chrono::steady_clock;
using store::live_testing::Model;
using Path = std::filesystem::path;

constexpr std::uint64_t kRoundsOfOneStore = 25;

class Worker {
 public:
  Worker(const Path& root, const Path& journal, const std::string& run) {
    std::array<int, 2> ends{};
    HELVE_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
    lines_ = UniqueFd(ends[0]);
    const UniqueFd out(ends[1]);
    id_ = ::fork();
    HELVE_CHECK(id_ >= 0);
    if (id_ > 0) return;
    const int told = ::dup(out.get());  // without O_CLOEXEC
    ::execl("/proc/self/exe", "crash_test", "worker", root.c_str(), journal.c_str(), run.c_str(),
            std::to_string(told).c_str(), nullptr);
    std::_Exit(127);
  }

  // Kills it some time after it wrote a line that begins with this letter, or after one second.
  void kill_after(char letter, std::chrono::microseconds later, CrashLedger& ledger) {
    auto end = steady_clock::now() + std::chrono::seconds(letter == 0 ? 0 : 1);
    if (letter == 0) end += later;
    while (steady_clock::now() < end) {
      if (!read(ledger, end)) continue;
      if (letter != 0 && rest_has_ && last_ == letter) {
        end = std::min(end, steady_clock::now() + later);
        letter = 0;
      }
    }
    ::kill(id_, SIGKILL);
    int status = 0;
    ::waitpid(id_, &status, 0);
    while (read(ledger, steady_clock::now() + std::chrono::seconds(1))) {
    }
  }

 private:
  bool read(CrashLedger& ledger, steady_clock::time_point until) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
    pollfd waiting{lines_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::max<long>(left, 0))) <= 0) return false;
    std::array<char, 4096> buffer{};
    const auto [count, error] = read_fd(lines_.get(), buffer);
    if (count == 0) return false;
    rest_.append(buffer.data(), count);
    for (std::size_t at = rest_.find('\n'); at != std::string::npos; at = rest_.find('\n')) {
      const std::string line = rest_.substr(0, at);
      rest_.erase(0, at + 1);
      if (line[0] == 'E') fail("the worker failed: " + line);
      ledger.read_line(line);
      last_ = line[0];
      rest_has_ = true;
    }
    return true;
  }

  pid_t id_ = -1;
  UniqueFd lines_;
  std::string rest_;
  char last_ = 0;
  bool rest_has_ = false;
};

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
    const auto made = store::live_testing::load(store::live_testing::to_nquads(all));
    const auto written = store::write_snapshot(*made, {}, root_ / "store", OpContext());
    if (!written) fail(written.error().to_string());
    model_.adopt();
    // Blank nodes get other names, so that what was loaded counts.
    const auto loaded = good(store::open_live_snapshot(root_ / "store", OpContext()), "opening");
    Model found = store::live_testing::contents_of(*loaded);
    for (std::uint64_t thread = 0; thread < kCrashThreads; ++thread) {
      for (const auto& one : counters_at(thread, 0)) found.erase(one);
    }
    ledger_ = CrashLedger(std::move(found));
  }

  void run_round(std::uint64_t round) {
    where_ = fmt::format("round {}", round);
    auto before = ledger_.lines;
    Worker worker(root_, journal_, std::to_string(round));
    // At any moment from the start, in the middle of changes, or of a compaction or a load.
    constexpr std::array<char, 9> kMoments = {0, 'O', 'A', 'A', 'C', 'C', 'C', 'L', 'L'};
    const char moment = kMoments[random_() % kMoments.size()];
    const std::uint64_t range = moment == 'C' || moment == 'L' ? 30'000 : 200'000;
    worker.kill_after(moment, std::chrono::microseconds(random_() % range), ledger_);
    const bool is_power_lost = random_() % 4 != 0;
    model_.replay(journal_);
    if (is_power_lost) model_.lose_power(random_);
    model_.write_out();
    power_losses_ += is_power_lost ? 1 : 0;
    compactions_cut_ += (ledger_.lines['C'] - before['C']) - (ledger_.lines['c'] - before['c']);
    loads_cut_ += (ledger_.lines['L'] - before['L']) - (ledger_.lines['l'] - before['l']);
    check(is_power_lost);
  }

  void check(bool is_power_lost) {
    std::filesystem::remove_all(copy_);
    std::filesystem::copy(root_, copy_, std::filesystem::copy_options::recursive);
    const Path folder = copy_ / "store";
    const Model read = contents(good(store::open_live_snapshot(folder, {}), where_ + ", reading"));
    expect_nothing(ledger_.check(read), "as readers see it");
    {
      const auto opened = good(store::LiveStore::open(folder, {}, {}), where_ + ", recovering");
      if (contents(opened->snapshot()) != read)
        fail(where_ + ": recovered and read are not the same");
      if (const auto sound = store::verify_snapshot(folder, {}); !sound) {
        fail(where_ + ": " + sound.error().to_string());
      }
      const auto compacted = opened->compact({});
      if (!compacted) fail(where_ + ": " + compacted.error().to_string());
      if (contents(opened->snapshot()) != read) fail(where_ + ": compaction changes what is there");
    }
    if (contents(good(store::open_live_snapshot(folder, {}), where_ + ", again")) != read) {
      fail(where_ + ": what was compacted is not the same when it is opened again");
    }
    if (const auto sound = store::verify_snapshot(folder, {}); !sound) {
      fail(where_ + ", compacted: " + sound.error().to_string());
    }
    const Path loaded = copy_ / "new" / "loaded";
    std::optional<Model> found;
    if (store::is_snapshot_folder(loaded)) {
      if (const auto sound = store::verify_snapshot(loaded, {}); !sound) {
        fail(where_ + ", loaded: " + sound.error().to_string());
      }
      found = contents(good(store::open_live_snapshot(loaded, {}), where_ + ", loaded"));
    }
    expect_nothing(ledger_.check_loaded(found), "loaded");
    ledger_.settle(read, found, is_power_lost);
  }

  Model contents(const std::shared_ptr<const store::LiveSnapshot>& snapshot) const {
    Model model = store::live_testing::contents_of(*snapshot);
    if (const auto failure = snapshot->failure()) fail(where_ + ": " + failure->to_string());
    return model;
  }

  void expect_nothing(const std::string& wrong, std::string_view what) const {
    if (!wrong.empty()) fail(fmt::format("{}, {}: {}", where_, what, wrong));
  }

  void add_lines() {
    for (const auto& [letter, count] : ledger_.lines) lines_[letter] += count;
  }

  void report(std::uint64_t rounds) {
    add_lines();
    fmt::print(
        "{} rounds, {} of them with a power loss: {} transactions begun, {} acknowledged, none "
        "lost, none by half; {} of {} compactions and {} of {} loads interrupted\n",
        rounds, power_losses_, lines_['B'], lines_['A'], compactions_cut_, lines_['C'], loads_cut_,
        lines_['L']);
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
  std::uint64_t compactions_cut_ = 0;
  std::uint64_t loads_cut_ = 0;
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
