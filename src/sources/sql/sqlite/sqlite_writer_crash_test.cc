// Workers that end, files that cannot grow, workers that lie: transactions are whole or not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "sources/sql/sqlite/sqlite_client.h"
#include "sources/sql/sqlite/sqlite_writer_testing.h"

namespace helve::sql {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* kState = "SELECT count(*), sum(length(text)), max(id) FROM log";

std::string grown(std::uint64_t rows, std::uint64_t bytes) {
  return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
         std::to_string(rows) + ") INSERT INTO log(text) SELECT printf('%." +
         std::to_string(bytes) + "d', i) FROM n";
}

// Kills its process a while after the next request, where it is told to; at once before it.
class KilledProcess final : public WorkerProcess {
 public:
  KilledProcess(std::unique_ptr<WorkerProcess> inner, std::optional<Duration>& kill_after)
      : inner_(std::move(inner)), kill_after_(kill_after) {}

  Result<void> write_stdin(std::string_view bytes, const OpContext& context) override {
    const auto pause = std::exchange(kill_after_, std::nullopt);
    if (pause == Duration(0)) inner_->kill();
    auto outcome = inner_->write_stdin(bytes, context);
    if (pause) std::this_thread::sleep_for(*pause);
    if (pause) inner_->kill();
    return outcome;
  }
  void close_stdin() override { inner_->close_stdin(); }
  Result<bool> read_output(std::string& out, std::string& err, const OpContext& context) override {
    return inner_->read_output(out, err, context);
  }
  Result<ExitStatus> wait(const OpContext& context) override { return inner_->wait(context); }
  void kill() override { inner_->kill(); }

 private:
  std::unique_ptr<WorkerProcess> inner_;
  std::optional<Duration>& kill_after_;
};

class KillingEnv final : public Env, public Processes {
 public:
  Clock& clock() override { return real_env().clock(); }
  Files& files() override { return real_env().files(); }
  Http& http() override { return real_env().http(); }
  Processes& processes() override { return *this; }
  Random& random() override { return real_env().random(); }
  Result<std::unique_ptr<WorkerProcess>> start(const ProcessOptions& options) override {
    HELVE_ASSIGN(auto process, real_env().processes().start(options));
    return std::make_unique<KilledProcess>(std::move(process), kill_after);
  }

  std::optional<Duration> kill_after;
};

class SqliteWriterCrashTest : public ::testing::TestWithParam<std::string> {
 protected:
  SqliteWriterCrashTest() {
    make_database(path_,
                  "PRAGMA journal_mode = " + GetParam() +
                      "; CREATE TABLE log(id INTEGER PRIMARY KEY, text); CREATE INDEX by_text "
                      "ON log(text); " +
                      grown(500, 100));
    source_ = writable(path_, env_);
  }

  std::string state() { return ask(*source_, kState).text; }
  void expect_sound() {
    Writer other(path_);
    std::string found;
    sqlite3_exec(
        other.get(), "PRAGMA integrity_check",
        [](void* to, int, char** values, char**) {
          *static_cast<std::string*>(to) += values[0];
          return 0;
        },
        &found, nullptr);
    EXPECT_EQ(found, "ok");
  }

  KillingEnv env_;
  TempDirectory folder_;
  std::filesystem::path path_ = folder_ / "log.db";
  std::shared_ptr<const TableSource> source_;
};

TEST_P(SqliteWriterCrashTest, AKilledWorkerLeavesEverythingAsItWas) {
  const std::string before = state();
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    const auto transaction = begun(*source_);
    EXPECT_EQ(changed(*transaction, "UPDATE log SET text = 'gone' WHERE id < 100"), "99 affected");
    if (round % 6 == 0) {  // larger than what SQLite keeps in memory: the file itself is changed
      EXPECT_EQ(changed(*transaction, grown(20'000, 1'000)), "20000 affected");
    }
    const bool is_running = round % 3 == 1;
    env_.kill_after = is_running ? std::chrono::milliseconds(2 * round) : Duration(0);
    EXPECT_THAT(changed(*transaction, is_running ? grown(100'000'000, 10) : "DELETE FROM log"),
                HasSubstr("SQLite worker failed: signal 9"));
    EXPECT_TRUE(transaction->commit(in_time()).error);
    EXPECT_EQ(state(), before);
  }
  expect_sound();
  EXPECT_EQ(committed(*source_, "DELETE FROM log"), "500 affected");
}

TEST_P(SqliteWriterCrashTest, AWorkerKilledAtItsCommitDidAllOrNothing) {
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    const std::string before = state();
    const auto transaction = begun(*source_);
    EXPECT_EQ(changed(*transaction, grown(2'000, 100)), "2000 affected");
    const std::string after = seen(*transaction, kState);
    env_.kill_after = std::chrono::microseconds(500 * round);
    const CommitOutcome outcome = transaction->commit(in_time());
    const std::string now = state();
    if (outcome.error) {
      EXPECT_TRUE(outcome.is_unknown);
      EXPECT_THAT(now, AnyOf(before, after));
    } else {
      EXPECT_EQ(now, after);
    }
  }
  expect_sound();
}

TEST_P(SqliteWriterCrashTest, WhatAnotherProcessLeftIsRolledBack) {
  const std::string before = state();
  source_.reset();
  {
    SqliteOpen open{path_.native(), false, 0, sqlite::FileUse::Write};
    auto client = SqliteClient::start(worker_command(), open, real_env());
    ASSERT_TRUE(client);
    TermSink none;
    SqliteRun run;
    run.request = SqliteFrame::Begin;
    EXPECT_FALSE((*client)->ask(run, none, in_time()).error);
    run.request = SqliteFrame::Write;
    const std::string sql = grown(20'000, 1'000);
    run.sql = sql;
    EXPECT_FALSE((*client)->ask(run, none, in_time()).error);
  }
  const bool is_hot = GetParam() != "WAL";
  EXPECT_EQ(ask(*source_of(options_for(path_)), kState).run.error.has_value(), is_hot);
  EXPECT_EQ(ask(*writable(path_), kState).text, before);
  EXPECT_EQ(ask(*source_of(options_for(path_)), kState).text, before);
}

TEST_P(SqliteWriterCrashTest, AFullDiskUndoesTheTransaction) {
  const std::string before = state();
  const auto source = writable(path_, real_env(), "small-disk-worker");
  const auto transaction = begun(*source);
  EXPECT_EQ(changed(*transaction, grown(10, 10)), "10 affected");
  std::string outcome = changed(*transaction, grown(40'000, 1'000));
  if (outcome == "40000 affected") {
    const CommitOutcome commit = transaction->commit(in_time());
    ASSERT_TRUE(commit.error);
    EXPECT_FALSE(commit.is_unknown);
  } else {
    EXPECT_THAT(outcome, HasSubstr("error: "));
    EXPECT_TRUE(transaction->commit(in_time()).error ||
                ask(*source_, "SELECT count(*) FROM log").text.find("40") == std::string::npos);
  }
  EXPECT_EQ(state(), before);
  expect_sound();
}

INSTANTIATE_TEST_SUITE_P(Journals, SqliteWriterCrashTest,
                         ::testing::Values("DELETE", "PERSIST", "WAL"),
                         [](const auto& one) { return one.param; });

TEST(SqliteWriterWorkerTest, WorkersThatLieAreNotBelieved) {
  TempDirectory folder;
  const auto path = folder / "x.db";
  make_database(path, "CREATE TABLE t(a)");
  for (const char* role : {"crashing-worker", "noisy-worker", "rows-first-worker",
                           "broken-rows-worker", "huge-frame-worker", "flooding-worker",
                           "half-worker", "many-rows-worker", "talkative-worker"}) {
    SCOPED_TRACE(role);
    const auto source = writable(path, real_env(), role);
    const auto transaction = source->writer()->begin(in_time());
    ASSERT_FALSE(transaction);
    EXPECT_THAT(examined(*source, "DELETE FROM t"), HasSubstr("error: "));
  }
  const auto silent = writable(path, real_env(), "silent-worker");
  const auto late = silent->writer()->begin(in_time(std::chrono::milliseconds(50)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::LimitExceeded);
}

TEST(SqliteWriterWorkerTest, ACommitThatIsNotAnsweredIsUnknown) {
  TempDirectory folder;
  const auto path = folder / "x.db";
  make_database(path, "CREATE TABLE t(a)");
  const auto source = writable(path, real_env(), "agreeing-worker");  // answers once
  const auto transaction = begun(*source);
  const CommitOutcome outcome = transaction->commit(in_time(std::chrono::milliseconds(50)));
  ASSERT_TRUE(outcome.error);
  EXPECT_TRUE(outcome.is_unknown);
  const auto other = begun(*source);
  OpContext cancelled = in_time();
  cancelled.cancel.cancel();
  const CommitOutcome known = other->commit(cancelled);
  ASSERT_TRUE(known.error);
  EXPECT_FALSE(known.is_unknown);
}

}  // namespace
}  // namespace helve::sql
