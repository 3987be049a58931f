// What is seen of a folder that another process writes, and what seeing it costs.
#include "sources/store/live/follow_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "sources/sparql/algebra/parser.h"
#include "sources/store/live/change_log.h"
#include "sources/store/live/live_testing.h"
#include "sources/store/snapshot_layout.h"
#include "tests/support/fake_env.h"

namespace helve::store {
namespace {

using live_testing::contents_of;
using live_testing::Model;
using live_testing::RandomStatements;
using SharedSnapshot = std::shared_ptr<const LiveSnapshot>;

constexpr const char* kFollowedFolder = "/s";
constexpr std::size_t kAcknowledgementBytes = 48;

// Files of which one operation can be made to wait.
class GatedFiles final : public Files {
 public:
  explicit GatedFiles(Files& inner) : inner_(inner) {}

  void close_gate() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  void open_gate() {
    const std::lock_guard lock(mutex_);
    is_closed_ = false;
    changed_.notify_all();
  }
  void wait_until_someone_waits() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_waited_; });
  }

  Result<std::shared_ptr<const MappedFile>> map(const Path& path) override {
    std::unique_lock lock(mutex_);
    is_waited_ = is_closed_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_closed_; });
    return inner_.map(path);
  }
  Result<FileStatus> status(const Path& path) override { return inner_.status(path); }
  Result<std::unique_ptr<ByteSource>> open_read(const Path& path) override {
    return inner_.open_read(path);
  }
  Result<std::unique_ptr<WritableFile>> open_write(const Path& path, WriteMode mode) override {
    return inner_.open_write(path, mode);
  }
  Result<std::unique_ptr<ScratchFile>> make_scratch(const Path& folder) override {
    return inner_.make_scratch(folder);
  }
  Result<void> rename(const Path& from, const Path& to) override { return inner_.rename(from, to); }
  Result<void> rename_new(const Path& from, const Path& to) override {
    return inner_.rename_new(from, to);
  }
  Result<void> remove(const Path& path) override { return inner_.remove(path); }
  Result<void> sync_directory(const Path& path) override { return inner_.sync_directory(path); }
  Result<void> make_directories(const Path& path) override { return inner_.make_directories(path); }
  Result<std::vector<Path>> list(const Path& path) override { return inner_.list(path); }
  Result<std::unique_ptr<FileLock>> lock(const Path& path) override { return inner_.lock(path); }

 private:
  Files& inner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_closed_ = false;
  bool is_waited_ = false;
};

class GatedEnv final : public Env {
 public:
  explicit GatedEnv(FakeEnv& inner) : inner_(inner) {}
  Clock& clock() override { return inner_.clock(); }
  GatedFiles& files() override { return files_; }
  Http& http() override { return inner_.http(); }
  Processes& processes() override { return inner_.processes(); }
  Random& random() override { return inner_.random(); }

 private:
  FakeEnv& inner_;
  GatedFiles files_{inner_.files()};
};

class FollowFolderTest : public ::testing::Test {
 protected:
  FollowFolderTest() {
    load(model_);
    follow();
  }

  // A base of these statements in place of the one that is there.
  void load(const Model& model) {
    const auto base = live_testing::load(live_testing::to_nquads(model));
    const auto written =
        write_snapshot(*base, {{"t.nq"}, "test", {}}, kFollowedFolder, OpContext(), env_);
    ASSERT_TRUE(written) << written.error().to_string();
  }
  void follow() {
    const auto first = open_live_snapshot(kFollowedFolder, OpContext(), env_);
    ASSERT_TRUE(first) << first.error().to_string();
    states_ = *follow_folder(kFollowedFolder, *first, gated_);
  }

  std::shared_ptr<LiveStore> open() {
    LiveOptions options;
    options.compacts_itself = false;
    auto store = LiveStore::open(kFollowedFolder, options, OpContext(), env_);
    EXPECT_TRUE(store) << store.error().to_string();
    return *store;
  }
  static void update(LiveStore& store, const std::string& text) {
    const auto parsed = sparql::parse_update("PREFIX a: <http://a/> " + text);
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const auto done = store.update(parsed->update, {}, OpContext());
    ASSERT_TRUE(done) << done.error().to_string();
  }
  void update(const std::string& text) { update(*open(), text); }

  NewestState newest(const OpContext& context = {}) {
    env_.clock().advance(std::chrono::seconds(2));
    return states_(context);
  }
  // As one who opens it now sees it.
  void expect_newest(const char* when) {
    const NewestState found = newest();
    EXPECT_FALSE(found.staleness) << when << ": " << found.staleness->reason.to_string();
    const auto wanted = open_live_snapshot(kFollowedFolder, OpContext(), env_);
    ASSERT_TRUE(wanted) << when;
    EXPECT_EQ(contents_of(*found.snapshot), contents_of(**wanted)) << when;
    EXPECT_EQ(found.snapshot->fingerprint(), (*wanted)->fingerprint()) << when;
    EXPECT_EQ(found.snapshot->version(), (*wanted)->version()) << when;
    EXPECT_EQ(found.snapshot->triples(), (*wanted)->triples()) << when;
    EXPECT_EQ(found.snapshot->named_graphs().size(), (*wanted)->named_graphs().size()) << when;
  }

  std::filesystem::path log() {
    return log_path(kFollowedFolder,
                    *(*open_snapshot(kFollowedFolder, OpContext(), env_))->content_checksum());
  }
  void cut_log(std::size_t bytes) {
    std::string content = *env_.files().content(log());
    content.resize(content.size() - bytes);
    env_.files().put(log(), content);
  }

  FakeEnv env_;
  GatedEnv gated_{env_};
  Model model_ = {{"<http://a/s>", "<http://a/p>", "\"1\"", ""},
                  {"<http://a/s>", "<http://a/p>", "\"2\"", "<http://a/g>"}};
  StateSource states_;
};

TEST_F(FollowFolderTest, SeesAllThatOthersCommit) {
  expect_newest("nothing is written");
  Model model = model_;
  RandomStatements random(5, true);
  const SharedSnapshot first = newest().snapshot;
  const Model before = contents_of(*first);
  {
    const auto store = open();
    for (int i = 0; i < 30; ++i) {
      live_testing::edit(*store, model, random, 1 + random.below(20), 40);
      if (i % 7 == 0)
        update(*store, "CREATE SILENT GRAPH <http://a/empty" + std::to_string(i) + ">");
      if (i % 3 != 0) continue;  // several at once
      expect_newest("a transaction");
    }
    expect_newest("the last");
    EXPECT_EQ(newest().snapshot->delta().terms, first->delta().terms) << "all was read anew";
  }
  EXPECT_EQ(contents_of(*newest().snapshot), model);
  EXPECT_EQ(contents_of(*first), before);
}

// What is decoded, and what is done with files, for one record behind few and behind many.
TEST_F(FollowFolderTest, ARecordCostsTheSameHoweverLongTheLogIs) {
  const auto cost = [&](int records) {
    {
      const auto store = open();
      for (int i = 0; i < records; ++i) {
        update(*store, "INSERT DATA { a:s a:p " + std::to_string(records * 10'000 + i) + " }");
      }
    }
    follow();
    newest();
    update("INSERT DATA { a:s a:q " + std::to_string(records) + " }");
    WorkMeter meter;
    OpContext context;
    context.meter = &meter;
    const std::uint64_t operations = env_.files().operations();
    const std::uint64_t version = newest(context).snapshot->version();
    return std::tuple(meter.done(), env_.files().operations() - operations, version);
  };
  const auto [checks, operations, version] = cost(2);
  EXPECT_EQ(version, 3U);
  const auto [later_checks, later_operations, later_version] = cost(400);
  EXPECT_EQ(later_version, 404U);
  EXPECT_EQ(later_checks, checks);
  EXPECT_LT(later_checks, 40U);
  EXPECT_EQ(later_operations, operations);
  EXPECT_LE(later_operations, 3U) << "two looks and the log";
  const std::uint64_t before = env_.files().operations();
  newest();
  EXPECT_EQ(env_.files().operations() - before, 2U) << "nothing is read where nothing is new";
}

TEST_F(FollowFolderTest, AnotherBaseIsOpened) {
  update("INSERT DATA { a:x a:p 'new' }");
  expect_newest("before");
  {
    const auto store = open();
    ASSERT_TRUE(store->compact(OpContext()));
    expect_newest("compacted");
    EXPECT_FALSE(newest().snapshot->has_changes());
    update(*store, "INSERT DATA { a:y a:p 'newer' }");
    expect_newest("changed behind that");
    const SharedSnapshot state = newest().snapshot;
    update(*store, "INSERT DATA { a:z a:p 'newest' }");
    expect_newest("again");
    EXPECT_EQ(newest().snapshot->base(), state->base()) << "opened anew";
    EXPECT_EQ(newest().snapshot->delta().terms, state->delta().terms) << "read anew";
  }
  load({{"<http://a/other>", "<http://a/p>", "\"1\"", ""}});
  expect_newest("another was loaded");
  EXPECT_EQ(newest().snapshot->triples(), 1U);
  update("INSERT DATA { a:x a:p 'new' }");
  expect_newest("and changed");
  load({{"<http://a/other>", "<http://a/p>", "\"1\"", ""}});
  expect_newest("the same once more, without the changes");
  EXPECT_EQ(newest().snapshot->triples(), 1U);
}

// A writer was stopped before it acknowledged a record, which readers see; the power fails, the
// record is lost, and another of the same length takes its place.
TEST_F(FollowFolderTest, ARecordThatWasNeverAcknowledgedMayBecomeAnother) {
  update("INSERT DATA { a:x a:p 'kept' }");
  const std::string kept = *env_.files().content(log());
  for (const std::size_t cut : {kAcknowledgementBytes, std::size_t{0}}) {
    update("INSERT DATA { a:x a:p 'lost' }");
    cut_log(kAcknowledgementBytes);
    expect_newest("seen");
    EXPECT_EQ(newest().snapshot->version(), 2U);
    const SharedSnapshot lost = newest().snapshot;
    env_.files().put(log(), kept);
    update("INSERT DATA { a:x a:p 'come' }");
    cut_log(cut);
    expect_newest("replaced");
    EXPECT_FALSE(newest().snapshot->find(rdf::TermView::literal("lost")));
    EXPECT_TRUE(lost->find(rdf::TermView::literal("lost")));
    env_.files().put(log(), kept);
    expect_newest("lost again");
    EXPECT_EQ(newest().snapshot->version(), 1U);
  }
}

TEST_F(FollowFolderTest, WhatAWriterHasNotAcknowledgedIsSeenWhenItHasEnded) {
  update("INSERT DATA { a:x a:p 'kept' }");
  expect_newest("acknowledged");
  update("INSERT DATA { a:x a:p 'may fail' }");
  cut_log(kAcknowledgementBytes);
  {
    const auto writer = env_.files().lock(std::filesystem::path(kFollowedFolder) / kLockFileName);
    ASSERT_TRUE(writer);
    expect_newest("a writer is at work");
    EXPECT_EQ(newest().snapshot->version(), 1U);
  }
  expect_newest("it was stopped");
  EXPECT_EQ(newest().snapshot->version(), 2U);
}

TEST_F(FollowFolderTest, WhoHasNoTimeGetsTheLastStateAndIsToldSo) {
  const SharedSnapshot before = newest().snapshot;
  update("INSERT DATA { a:x a:p 'new', 'newer' }");
  OpContext hurried;
  hurried.deadline = Deadline(env_.clock(), std::chrono::seconds(1));
  const WallTime then = env_.clock().wall();
  const NewestState late = newest(hurried);
  EXPECT_EQ(late.snapshot, before);
  ASSERT_TRUE(late.staleness);
  EXPECT_EQ(late.staleness->reason.code, ErrorCode::LimitExceeded);
  EXPECT_LE(late.staleness->read_at, then);
  EXPECT_GT(late.staleness->since, then);
  OpContext cancelled;
  cancelled.cancel.cancel();
  EXPECT_EQ(newest(cancelled).staleness->reason.code, ErrorCode::Cancelled);
  hurried.deadline = Deadline(env_.clock(), std::chrono::seconds(60));
  const NewestState found = newest(hurried);
  EXPECT_FALSE(found.staleness);
  EXPECT_EQ(found.snapshot->version(), 1U);
  // There is nothing to read: no time is needed.
  hurried.deadline = Deadline(env_.clock(), std::chrono::seconds(1));
  EXPECT_FALSE(newest(hurried).staleness);
}

// Given up behind the first of several records: its terms are there already.
TEST_F(FollowFolderTest, WhatWasReadHalfWayIsReadAgain) {
  const SharedSnapshot before = newest().snapshot;
  {
    const auto store = open();
    for (const char* name : {"'one'", "'two'@en", "a:three"}) {
      update(*store, std::string("INSERT DATA { a:new a:p ") + name + " }");
    }
  }
  for (const std::size_t bytes : {1U, 50U, 100U}) {
    MemoryBudget small("call", bytes, nullptr);
    OpContext context;
    context.memory = &small;
    const NewestState late = newest(context);
    EXPECT_EQ(late.snapshot, before) << bytes;
    ASSERT_TRUE(late.staleness) << bytes;
    EXPECT_EQ(late.staleness->reason.code, ErrorCode::LimitExceeded) << bytes;
    EXPECT_EQ(before->delta().terms->bytes(), 0U) << bytes;
    EXPECT_FALSE(before->find(rdf::TermView::literal("one"))) << bytes;
  }
  expect_newest("with memory");
  EXPECT_EQ(newest().snapshot->delta().terms, before->delta().terms) << "read anew";
}

TEST_F(FollowFolderTest, AFolderThatCannotBeReadIsToldOfUntilItCan) {
  for (std::uint64_t k = 1; k <= 8; ++k) {
    update("INSERT DATA { a:x a:p " + std::to_string(k) + " }");
    env_.files().fail_operation(k);
    const NewestState found = newest();
    EXPECT_TRUE(found.staleness || found.snapshot->version() == k) << k;
    if (found.staleness) {
      EXPECT_EQ(found.staleness->reason.code, ErrorCode::Unavailable) << k;
    }
    env_.files().fail_operation(1);
    (void)env_.files().status("/");  // no fault is left over
    expect_newest("mended");
  }
}

TEST_F(FollowFolderTest, FailuresAreNotTriedAgainAtOnce) {
  update("INSERT DATA { a:x a:p 1 }");
  EXPECT_FALSE(newest().staleness);
  update("INSERT DATA { a:x a:p 2 }");
  std::string content = *env_.files().content(log());
  content[content.size() - kAcknowledgementBytes - 8] ^= 1;
  env_.files().put(log(), content);
  const NewestState stale = newest();
  ASSERT_TRUE(stale.staleness);
  EXPECT_EQ(stale.staleness->reason.code, ErrorCode::Unavailable);
  EXPECT_EQ(stale.snapshot->version(), 1U);
  const std::uint64_t operations = env_.files().operations();
  env_.clock().advance(std::chrono::milliseconds(500));
  EXPECT_TRUE(states_(OpContext()).staleness);
  EXPECT_EQ(env_.files().operations(), operations);
  const NewestState later = newest();
  ASSERT_TRUE(later.staleness);
  EXPECT_EQ(later.staleness->since, stale.staleness->since);
  EXPECT_GT(env_.files().operations(), operations);
  content[content.size() - kAcknowledgementBytes - 8] ^= 1;
  env_.files().put(log(), content);
  expect_newest("mended");
}

TEST_F(FollowFolderTest, NobodyWaitsForAnotherBeyondItsTime) {
  update("INSERT DATA { a:x a:p 1 }");
  env_.clock().advance(std::chrono::seconds(2));
  gated_.files().close_gate();
  NewestState patient;
  std::thread reader([&] { patient = states_(OpContext()); });
  gated_.files().wait_until_someone_waits();
  OpContext hurried;
  hurried.deadline = Deadline(env_.clock(), std::chrono::seconds(10));
  NewestState found;
  std::atomic<bool> is_answered = false;
  std::thread other([&] {
    found = states_(hurried);
    is_answered = true;
  });
  while (!is_answered) {
    env_.clock().advance(std::chrono::seconds(1));
    std::this_thread::yield();
  }
  other.join();
  EXPECT_EQ(found.snapshot->version(), 0U);
  ASSERT_TRUE(found.staleness);
  EXPECT_EQ(found.staleness->reason.code, ErrorCode::LimitExceeded);
  gated_.files().open_gate();
  reader.join();
  EXPECT_EQ(patient.snapshot->version(), 1U);
  EXPECT_FALSE(patient.staleness);
  expect_newest("read");
}

}  // namespace
}  // namespace helve::store
