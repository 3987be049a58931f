// How often the disk is synchronised: once for a transaction that comes alone, once for all that
// come while it is at work.
#include "sources/store/live/store_commit.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "sources/store/live/live_testing.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

using live_testing::contents_of;
using live_testing::Model;
using live_testing::Statement;

// Where synchronisations wait until it is opened.
class Barrier {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void wait_for_one() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return arrived_ > 0; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool is_open_ = false;
};

class GroupCommitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto base = live_testing::load(live_testing::to_nquads(model_));
    ASSERT_TRUE(write_snapshot(*base, {}, kFolder, OpContext(), env_));
    ASSERT_TRUE(env_.files().sync_directory("/data"));
    auto opened = LiveStore::open(kFolder, {.compacts_itself = false}, OpContext(), env_);
    ASSERT_TRUE(opened) << opened.error().to_string();
    store_ = *std::move(opened);
    checksum_ = *store_->snapshot()->base()->content_checksum();
    syncs_ = env_.files().syncs();
  }

  static Statement statement(int number) {
    return {"<http://a/s>", "<http://a/p>", "\"number " + std::to_string(number) + "\"", ""};
  }
  void commit(int number) {
    const auto done = store_->write(
        [&](Transaction& to) -> Result<void> {
          HELVE_ASSIGN(const Quad quad, live_testing::intern(to, statement(number)));
          return to.add(quad);
        },
        OpContext());
    EXPECT_TRUE(done) << done.error().to_string();
  }
  Result<LogContent> log() { return read_log(log_path(kFolder, checksum_), checksum_, env_); }
  // Since it was opened.
  std::uint64_t syncs() { return env_.files().syncs() - syncs_; }

  static constexpr const char* kFolder = "/data/store";
  FakeEnv env_;
  Model model_ = {{"<http://a/s>", "<http://a/p>", "\"first\"", ""}};
  std::shared_ptr<LiveStore> store_;
  std::uint64_t checksum_ = 0;
  std::uint64_t syncs_ = 0;
};

TEST_F(GroupCommitTest, OneTransactionAfterTheOtherIsOneSynchronisationEach) {
  for (int i = 0; i < 10; ++i) {
    commit(i);
    model_.insert(statement(i));
    EXPECT_EQ(syncs(), static_cast<std::uint64_t>(i) + 1);
  }
  // Acknowledgements are written, and wait for the next.
  EXPECT_EQ(log()->acknowledged_records, 10U);
  env_.files().crash();
  EXPECT_EQ(log()->acknowledged_records, 9U);
  const auto read = open_live_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(contents_of(**read), model_);
}

TEST_F(GroupCommitTest, TransactionsThatComeMeanwhileShareTheNext) {
  constexpr int kOthers = 12;
  Barrier barrier;
  env_.files().on_sync([&] { barrier.pass(); });
  std::vector<std::thread> threads;
  threads.emplace_back([this] { commit(0); });
  barrier.wait_for_one();
  for (int i = 1; i <= kOthers; ++i) threads.emplace_back([this, i] { commit(i); });
  while (log()->records.size() < kOthers + 1) std::this_thread::yield();
  // All of them are written, and none is anybody's yet.
  EXPECT_EQ(syncs(), 0U);
  EXPECT_EQ(log()->acknowledged_records, 0U);
  EXPECT_EQ(store_->snapshot()->version(), 0U);
  barrier.open();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(syncs(), 2U);
  EXPECT_EQ(store_->snapshot()->version(), kOthers + 1U);
  env_.files().crash();
  for (int i = 0; i <= kOthers; ++i) model_.insert(statement(i));
  const auto read = open_live_snapshot(kFolder, OpContext(), env_);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(contents_of(**read), model_);
}

}  // namespace
}  // namespace helve::store
