// Readers, writers and compactions of one store at once, for HELVE_SOAK_SECONDS (2): money is moved
// between accounts, and whoever looks finds all of it, in every state, and the same twice.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "sources/store/live/live_testing.h"
#include "tests/store/fail.h"
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
constexpr std::uint64_t kMiB = 1 << 20;
// Beyond what it has after a tenth of the time.
constexpr std::uint64_t kGrowthMax = 256 * kMiB;
constexpr std::uint64_t kDescriptorsMore = 40;  // those that are open for a moment

struct Use {
  std::uint64_t resident = 0;
  std::uint64_t descriptors = 0;
};

Use use_now() {
  Use use;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> use.resident;
  use.resident *= static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++use.descriptors;
  }
  return use;
}

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
    std::vector<std::thread> threads;
    for (int i = 0; i < kWriters; ++i) threads.emplace_back([this, i] { write(i); });
    for (int i = 0; i < kReaders; ++i) threads.emplace_back([this] { read(); });
    threads.emplace_back([this] { read_from_disk(); });
    threads.emplace_back([this] { compact(); });
    watch(time);
    is_over_ = true;
    for (std::thread& thread : threads) thread.join();
    check_reopened();
    fmt::print("{} transactions, {} states read, {} from disk, {} compactions\n", writes_.load(),
               reads_.load(), disk_reads_.load(), compactions_.load());
  }

 private:
  void write(int writer) {
    std::mt19937 random(static_cast<unsigned>(writer));
    for (int i = 0; !is_over_; ++i) {
      const auto from = random() % kAccounts;
      const auto to = (from + 1 + random() % (kAccounts - 1)) % kAccounts;
      // A note of a writer takes the place of its last one: a term that is new each time.
      const std::string update = fmt::format(
          "DELETE {{ <urn:a/{0}> <urn:balance> ?x . <urn:a/{1}> <urn:balance> ?y }} "
          "INSERT {{ <urn:a/{0}> <urn:balance> ?less . <urn:a/{1}> <urn:balance> ?more }} "
          "WHERE {{ <urn:a/{0}> <urn:balance> ?x . <urn:a/{1}> <urn:balance> ?y "
          "BIND(?x - {2} AS ?less) BIND(?y + {2} AS ?more) }} ; "
          "DELETE WHERE {{ GRAPH <urn:notes> {{ <urn:w/{3}> <urn:note> ?note }} }} ; "
          "INSERT DATA {{ GRAPH <urn:notes> {{ <urn:w/{3}> <urn:note> \"{4} of {3}\" }} }}",
          from, to, 1 + random() % 20, writer, i);
      good(change(*store_, update), "update");
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
    const auto notes = good(ask(state, "SELECT * { GRAPH ?g { ?w ?p ?n } }"), "notes");
    if (notes.size() + kAccounts != all.size()) fail("a note is there twice");
    return store::live_testing::to_nquads(all);
  }

  void read() {
    std::uint64_t version = 0;
    while (!is_over_) {
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
      const std::uint64_t least = store_->snapshot()->version();
      const auto state = good(store::open_live_snapshot(folder_, {}), "reading from disk");
      if (state->version() < std::max(version, least)) fail("a version on disk went back");
      version = state->version();
      check(state);
      ++disk_reads_;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void compact() {
    while (!is_over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (const auto done = store_->compact({}); !done) {
        fail("compaction: " + done.error().to_string());
      }
      ++compactions_;
    }
  }

  // Samples what the process uses, and tells ten times.
  void watch(std::chrono::seconds time) const {
    const auto begin = steady_clock::now();
    Use settled;
    Use most;
    for (int tenth = 1; tenth <= 10; ++tenth) {
      Use here;
      while (steady_clock::now() < begin + std::chrono::milliseconds(time) * tenth / 10) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const Use now = use_now();
        here.resident = std::max(here.resident, now.resident);
        here.descriptors = std::max(here.descriptors, now.descriptors);
      }
      fmt::print("{:>3} %: {} MiB, {} descriptors, {} transactions\n", tenth * 10,
                 here.resident / kMiB, here.descriptors, writes_.load());
      std::fflush(stdout);
      if (tenth == 1) settled = here;
      if (here.resident > settled.resident + kGrowthMax) fail("memory grows");
      if (here.descriptors > settled.descriptors + kDescriptorsMore) fail("descriptors leak");
    }
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
  std::atomic<bool> is_over_ = false;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<std::uint64_t> reads_ = 0;
  std::atomic<std::uint64_t> disk_reads_ = 0;
  std::atomic<std::uint64_t> compactions_ = 0;
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
