// Readers, writers and compactions of one store at once, for HELVE_SOAK_SECONDS (2): money is moved
// between accounts, and whoever looks finds all of it, in every state, and the same twice. Ten
// times all of them rest: what is held then must not grow.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <shared_mutex>
#include <thread>

#include "sources/store/live/live_testing.h"
#include "tests/store/fail.h"
#include "tests/store/process_use.h"
#include "tests/store/store_asking.h"
#include "tests/support/temp_directory.h"

namespace helve {
namespace {

using std::chrono::steady_clock;
using store::LiveSnapshot;
using store::LiveStore;

constexpr int kAccounts = 40;
constexpr int kBalance = 100;
constexpr int kWriters = 3;
constexpr int kReaders = 3;
// A transaction adds so many entries to its writer's journal, all with new terms; after so many
// transactions the journal is dropped.
constexpr int kEntries = 20;
constexpr int kJournal = 50;
// How much is changed before it is compacted, in stretches in which that is left to grow.
constexpr std::uint64_t kTermsOfStretch = 40'000;

constexpr std::uint64_t kMiB = 1 << 20;
// What may be allocated beyond the first rest, and resident beyond the most of the first three
// tenths. AddressSanitizer keeps what was freed for a while.
constexpr std::uint64_t kGrowthMax = (HELVE_KEEPS_FREED ? 256 : 4) * kMiB;
constexpr std::uint64_t kPeakGrowthMax = (HELVE_SANITIZED ? 256 : 32) * kMiB;

// Where all wait while one measures.
class Rest {
 public:
  // Held by who works, for as long as it should not be disturbed.
  std::shared_lock<std::shared_mutex> work() {
    while (is_called_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::shared_lock(mutex_);
  }
  std::unique_lock<std::shared_mutex> begin() {
    is_called_ = true;
    std::unique_lock lock(mutex_);
    is_called_ = false;
    return lock;
  }

 private:
  std::shared_mutex mutex_;
  std::atomic<bool> is_called_ = false;
};

class Bank {
 public:
  explicit Bank(const std::filesystem::path& folder) : folder_(folder) {
    std::string text;
    for (int i = 0; i < kAccounts; ++i) {
      text += fmt::format(
          "<urn:a/{}> <urn:balance> \"{}\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n", i,
          kBalance);
    }
    const auto base = store::live_testing::load(text);
    if (!store::write_snapshot(*base, {}, folder_, {})) fail("the store cannot be written");
    store_ = good(LiveStore::open(folder_, {}, {}), "opening");
  }

  void run(std::chrono::seconds time) {
    stretch_max_ = std::chrono::milliseconds(time) / 20;
    std::vector<std::thread> threads;
    threads.reserve(kWriters + kReaders + 2);
    for (int i = 0; i < kWriters; ++i) threads.emplace_back([this, i] { write(i); });
    for (int i = 0; i < kReaders; ++i) threads.emplace_back([this] { read(); });
    threads.emplace_back([this] { read_from_disk(); });
    threads.emplace_back([this] { compact(); });
    watch(time);
    is_over_ = true;
    for (std::thread& thread : threads) thread.join();
    check_reopened();
    fmt::print(
        "{} transactions, {} states read, {} from disk, {} compactions, at most {} changes and {} "
        "terms before one\n",
        writes_.load(), reads_.load(), disk_reads_.load(), compactions_.load(),
        changes_most_.load(), terms_most_.load());
  }

 private:
  void write(int writer) {
    std::mt19937 random(static_cast<unsigned>(writer));
    for (int i = 0; !is_over_; ++i) {
      const auto turn = rest_.work();
      const auto from = random() % kAccounts;
      const auto to = (from + 1 + random() % (kAccounts - 1)) % kAccounts;
      std::string update = fmt::format(
          "DELETE {{ <urn:a/{0}> <urn:balance> ?x . <urn:a/{1}> <urn:balance> ?y }} "
          "INSERT {{ <urn:a/{0}> <urn:balance> ?less . <urn:a/{1}> <urn:balance> ?more }} "
          "WHERE {{ <urn:a/{0}> <urn:balance> ?x . <urn:a/{1}> <urn:balance> ?y "
          "BIND(?x - {2} AS ?less) BIND(?y + {2} AS ?more) }} ; "
          "DELETE WHERE {{ GRAPH <urn:notes> {{ <urn:w/{3}> <urn:note> ?note }} }} ; "
          "INSERT DATA {{ GRAPH <urn:notes> {{ <urn:w/{3}> <urn:note> \"{4} of {3}\" }} }} ; ",
          from, to, 1 + random() % 20, writer, i);
      if (i % kJournal == 0) update += fmt::format("DROP SILENT GRAPH <urn:journal/{}> ; ", writer);
      update += fmt::format("INSERT DATA {{ GRAPH <urn:journal/{}> {{ ", writer);
      for (int k = 0; k < kEntries; ++k) {
        update += fmt::format("<urn:e/{0}/{1}> <urn:entry> \"{2} in {1} of {0}\" . ", writer, i, k);
      }
      good(change(*store_, update + "} }"), "update");
      ++writes_;
    }
  }

  static std::string check(const std::shared_ptr<const LiveSnapshot>& state) {
    const auto sum = good(
        ask(state, "SELECT (SUM(?b) AS ?sum) (COUNT(*) AS ?n) { ?a <urn:balance> ?b }"), "sum");
    const std::string whole = fmt::format(
        "\"{}\"^^<http://www.w3.org/2001/XMLSchema#integer> "
        "\"{}\"^^<http://www.w3.org/2001/XMLSchema#integer> ",
        kAccounts * kBalance, kAccounts);
    if (sum != std::vector<std::string>{whole}) fail("there is more or less money: " + sum[0]);
    const store::live_testing::Model all = store::live_testing::contents_of(*state);
    if (all.size() != state->statements()) {
      fail(fmt::format("{} statements are scanned, {} counted", all.size(), state->statements()));
    }
    const auto named = good(ask(state, "SELECT * { GRAPH ?g { ?w ?p ?n } }"), "named graphs");
    if (named.size() + kAccounts != all.size()) fail("a statement is there twice");
    std::map<std::string, std::size_t> graphs;
    for (const auto& one : all) ++graphs[one[3]];
    for (const auto& [graph, statements] : graphs) {
      if (graph == "<urn:notes>" && statements > kWriters) fail("a note is there twice");
      if (graph.starts_with("<urn:journal") && statements % kEntries != 0) {
        fail(fmt::format("a transaction is in {} by half", graph));
      }
    }
    return store::live_testing::to_nquads(all);
  }

  void read() {
    std::uint64_t version = 0;
    while (!is_over_) {
      const auto turn = rest_.work();
      const auto state = store_->snapshot();
      if (state->version() < version) fail("a version went back");
      version = state->version();
      const std::string once = check(state);
      if (check(state) != once) fail("a state is not the same twice");
      ++reads_;
    }
  }

  void read_from_disk() {
    std::uint64_t version = 0;
    while (!is_over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const auto turn = rest_.work();
      const std::uint64_t least = store_->snapshot()->version();
      const auto state = good(store::open_live_snapshot(folder_, {}), "reading from disk");
      if (state->version() < std::max(version, least)) fail("a version on disk went back");
      version = state->version();
      check(state);
      ++disk_reads_;
    }
  }

  // Every tenth of a second, and every sixth time not before much has changed.
  void compact() {
    for (int i = 1; !is_over_; ++i) {
      const auto begin = steady_clock::now();
      do {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      } while (i % 6 == 0 && !is_over_ && held().terms < kTermsOfStretch &&
               steady_clock::now() < begin + stretch_max_);
      const auto turn = rest_.work();
      compact_once();
    }
  }

  struct Held {
    std::uint64_t changes = 0;
    std::uint64_t terms = 0;
  };
  Held held() const {
    const auto state = store_->snapshot();
    return {state->delta().changes(), state->delta().terms->size()};
  }

  void compact_once() {
    const Held before = held();
    changes_most_ = std::max(changes_most_.load(), before.changes);
    terms_most_ = std::max(terms_most_.load(), before.terms);
    if (const auto done = store_->compact({}); !done) {
      fail("compaction: " + done.error().to_string());
    }
    ++compactions_;
  }

  // Looks at what the process uses, in each tenth of the time and at a rest behind it.
  void watch(std::chrono::seconds time) {
    const auto begin = steady_clock::now();
    std::uint64_t settled_peak = 0;
    ProcessUse settled;
    for (int tenth = 1; tenth <= 10; ++tenth) {
      std::uint64_t peak = 0;
      while (steady_clock::now() < begin + std::chrono::milliseconds(time) * tenth / 10) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        peak = std::max(peak, ProcessUse::now(folder_).resident);
      }
      const ProcessUse use = rest();
      fmt::print(
          "{:>3} %: {} MiB at most; at rest {:.2f} MiB allocated, {} descriptors, {} mappings; {} "
          "transactions\n",
          tenth * 10, peak / kMiB, static_cast<double>(use.allocated) / kMiB, use.descriptors,
          use.mappings, writes_.load());
      std::fflush(stdout);
      if (tenth == 1) settled = use;
      if (tenth <= 3) settled_peak = std::max(settled_peak, peak);
      if (use.allocated > settled.allocated + kGrowthMax) fail("memory grows");
      if (peak > settled_peak + kPeakGrowthMax) fail("more memory is taken each time");
      if (use.descriptors > settled.descriptors) fail("descriptors leak");
      if (use.mappings > settled.mappings) fail("files stay mapped");
    }
  }

  // Nobody reads or writes, and there are no changes beside the base.
  ProcessUse rest() {
    const auto alone = rest_.begin();
    compact_once();
    return ProcessUse::now(folder_);
  }

  void check_reopened() {
    const std::string before = check(store_->snapshot());
    const std::uint64_t version = store_->snapshot()->version();
    store_.reset();
    store_ = good(LiveStore::open(folder_, {}, {}), "opening again");
    if (check(store_->snapshot()) != before) fail("it is not the same when it is opened again");
    if (store_->snapshot()->version() != version) fail("the version is another one");
    if (!store::verify_snapshot(folder_, {})) fail("the index is not sound");
  }

  const std::filesystem::path folder_;
  std::shared_ptr<LiveStore> store_;
  Rest rest_;
  std::chrono::milliseconds stretch_max_{};
  std::atomic<bool> is_over_ = false;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<std::uint64_t> reads_ = 0;
  std::atomic<std::uint64_t> disk_reads_ = 0;
  std::atomic<std::uint64_t> compactions_ = 0;
  std::atomic<std::uint64_t> changes_most_ = 0;
  std::atomic<std::uint64_t> terms_most_ = 0;
};

int run() {
  const char* const seconds = std::getenv("HELVE_SOAK_SECONDS");
  const TempDirectory folder;
  Bank(folder / "store").run(std::chrono::seconds(seconds == nullptr ? 2 : std::stol(seconds)));
  return 0;
}

}  // namespace
}  // namespace helve

int main() { return helve::run(); }
