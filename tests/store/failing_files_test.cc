// A store on a disk that fails once, or is full for a while: an error, nothing lost, and it goes
// on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sources/store/live/live_testing.h"
#include "tests/store/store_asking.h"
#include "tests/support/fake_env.h"

namespace helve {
namespace {

using store::LiveStore;
using store::live_testing::Model;
using Path = std::filesystem::path;

const Path kStorePath = "/store";
constexpr int kTransactions = 8;
constexpr int kCompactedAfter = 3;

std::string object_of(int i) { return fmt::format("<urn:o/{}>", i); }

// Which transactions are there, by the number of their statements: 2 is a whole one.
std::map<std::string, int> statements_of(const sparql::Snapshot& data) {
  std::map<std::string, int> counts;
  for (const auto& one : store::live_testing::contents_of(data)) {
    if (one[1] == "<urn:p>") ++counts[one[2]];
  }
  return counts;
}

class FailingFilesTest : public ::testing::Test {
 protected:
  // In an empty folder.
  void begin() {
    acknowledged_.clear();
    env_.files().crash();
    const auto names = env_.files().list(kStorePath);
    if (names) {
      for (const Path& name : *names) (void)env_.files().remove(kStorePath / name);
    }
    const auto base = store::live_testing::load("<urn:s> <urn:q> \"first\" .\n");
    ASSERT_TRUE(store::write_snapshot(*base, {}, kStorePath, {}, env_));
  }

  // Transactions with a compaction between them, in which something may fail.
  void run(LiveStore& store) {
    for (int i = 0; i < kTransactions; ++i) {
      if (i == kCompactedAfter) (void)store.compact({});
      const auto done = change(store, fmt::format("INSERT DATA {{ <urn:s> <urn:p> {} . "
                                                  "<urn:t> <urn:p> {} }}",
                                                  object_of(i), object_of(i)));
      if (done) acknowledged_.insert(object_of(i));
      refused_ += done ? 0 : 1;
    }
  }

  // After the power is lost as well.
  void check(const std::string& when) {
    env_.files().crash();
    const auto read = store::open_live_snapshot(kStorePath, {}, env_);
    ASSERT_TRUE(read) << when << read.error().to_string();
    const auto opened = LiveStore::open(kStorePath, {}, {}, env_);
    ASSERT_TRUE(opened) << when << opened.error().to_string();
    const auto counts = statements_of(*(*opened)->snapshot());
    EXPECT_EQ(statements_of(**read), counts) << when;
    for (const std::string& object : acknowledged_) {
      EXPECT_EQ(counts.count(object), 1U) << when << object << " is lost";
    }
    for (const auto& [object, count] : counts) {
      EXPECT_EQ(count, 2) << when << object << " is there by half";
    }
    EXPECT_TRUE(change(**opened, "INSERT DATA { <urn:s> <urn:p> <urn:last> }")) << when;
    EXPECT_TRUE((*opened)->compact({})) << when;
    EXPECT_TRUE(store::verify_snapshot(kStorePath, {}, env_)) << when;
  }

  FakeEnv env_;
  std::set<std::string> acknowledged_;
  int refused_ = 0;
};

TEST_F(FailingFilesTest, AnyOperationFailsOnce) {
  std::uint64_t operations = 0;
  for (std::uint64_t k = 1; operations == 0 || k <= operations; ++k) {
    begin();
    auto opened = LiveStore::open(kStorePath, {}, {}, env_);
    ASSERT_TRUE(opened);
    const std::uint64_t before = env_.files().operations();
    if (k > 1) env_.files().fail_operation(k - 1);
    run(**opened);
    if (k == 1) operations = env_.files().operations() - before;
    opened->reset();
    check(fmt::format("operation {}: ", k - 1));
    if (HasFailure()) return;
  }
  EXPECT_GT(refused_, 10);
}

TEST_F(FailingFilesTest, ADiskIsFullForAWhile) {
  for (std::uint64_t room = 0; room < 4'000; room += 7) {
    begin();
    auto opened = LiveStore::open(kStorePath, {}, {}, env_);
    ASSERT_TRUE(opened);
    env_.files().disk_full_after(room);
    run(**opened);
    env_.files().unlimited_disk();
    // Without being opened again.
    for (int i = 0; i < 3; ++i) {
      const auto done = change(**opened, fmt::format("INSERT DATA {{ <urn:s> <urn:p> <urn:l/{}> . "
                                                     "<urn:t> <urn:p> <urn:l/{}> }}",
                                                     i, i));
      EXPECT_TRUE(done) << room << ": " << done.error().to_string();
      acknowledged_.insert(fmt::format("<urn:l/{}>", i));
    }
    opened->reset();
    check(fmt::format("room for {} bytes: ", room));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace helve
