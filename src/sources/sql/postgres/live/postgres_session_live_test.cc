// Connections that are slow, lost, stopped or shared, live.
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>

#include "base/fd.h"
#include "sources/sql/postgres/live/postgres_live_testing.h"

namespace helve::sql {
namespace {

using ::testing::ElementsAre;

TEST_F(PostgresLive, SessionsLeaveNothingBehind) {
  source_ = open("reader", 1);
  const auto first = rows("SELECT pg_backend_pid()");
  error("SELECT 1/0");
  error("SELECT * FROM data.tt");
  EXPECT_EQ(rows("SELECT pg_backend_pid()"), first);
  EXPECT_THAT(rows("SELECT name FROM pg_cursors WHERE name <> ''"), ElementsAre("c"));
  const std::string state = "SELECT state FROM pg_stat_activity WHERE pid = " +
                            first.front().substr(0, first.front().find('^'));
  for (int i = 0; i < 250 && value_of(state) != "idle";
       ++i) {  // it is cleaned up behind the answer
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(value_of(state), "idle");
}

TEST_F(PostgresLive, AnswersAtTheDeadline) {
  for (const std::string sql :
       {"SELECT data.nap(100)", "SELECT count(*) FROM generate_series(1, 1000000000000)",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT data.nap(0.01) "
        "FROM c"}) {
    TextSink sink;
    const auto begin = real_clock().now();
    const TableRun done = run(sql, sink, {}, 300);
    const auto took = real_clock().now() - begin;
    ASSERT_TRUE(done.error) << sql;
    EXPECT_EQ(done.error->code, ErrorCode::LimitExceeded) << sql;
    EXPECT_LT(took, kSoon) << sql;
    EXPECT_THAT(rows("SELECT 1"), ElementsAre("1^integer"));
  }
}

TEST_F(PostgresLive, CancellingStopsTheServerToo) {
  OpContext context = within(60'000);
  std::thread canceller([&context] {
    EXPECT_TRUE(soon_sleeps(true));
    context.cancel.cancel();
  });
  TableQuery query;
  query.sql = "SELECT data.nap(55)";
  query.rules = naps();
  TextSink sink;
  const TableRun done = source_->run(query, sink, context);
  canceller.join();
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code, ErrorCode::Cancelled);
  EXPECT_TRUE(soon_sleeps(false));
}

TEST_F(PostgresLive, ABackendThatIsStoppedHoldsNobodyUp) {
  source_ = open("reader", 1);
  const auto pid = std::stoi(rows("SELECT pg_backend_pid()").front());
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  TextSink sink;
  const auto begin = real_clock().now();
  const TableRun done = run("SELECT 1", sink, {}, 300);
  EXPECT_LT(real_clock().now() - begin, kSoon);
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code, ErrorCode::LimitExceeded);
  EXPECT_THAT(rows("SELECT 2"), ElementsAre("2^integer"));
  ::kill(pid, SIGCONT);
}

TEST_F(PostgresLive, APeerThatNeverAnswersIsUnavailable) {
  const TempDirectory directory;
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (directory / ".s.PGSQL.5432").string();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 5), 0);
  DatabaseOptions options = options_for("reader", directory.path().string());
  options.connect_timeout = std::chrono::milliseconds(500);
  source_ = *open_postgres(options, real_env());
  EXPECT_EQ(error("SELECT 1").code, ErrorCode::Unavailable);
  const auto begin = real_clock().now();
  TextSink sink;
  const TableRun done = run("SELECT 1", sink, {}, 100);
  EXPECT_LT(real_clock().now() - begin, kSoon);
  EXPECT_EQ(done.error->code, ErrorCode::LimitExceeded);
  EXPECT_EQ(source_->catalogue(within(5'000)).error().code, ErrorCode::Unavailable);
}

TEST_F(PostgresLive, WhatCannotBeReachedIsUnavailableAndSaysNoSecrets) {
  ::setenv("HELVE_TEST_PASSWORD", "hunter2-secret", 1);
  DatabaseOptions options = options_for("reader", "/nowhere/at/all");
  options.address.password_reference = "env:HELVE_TEST_PASSWORD";
  source_ = *open_postgres(options, real_env());
  const Error found = error("SELECT 1");
  EXPECT_EQ(found.code, ErrorCode::Unavailable);
  EXPECT_EQ(found.to_string().find("hunter2"), std::string::npos);
  options.address.password_reference = "env:HELVE_TEST_NOT_SET";
  source_ = *open_postgres(options, real_env());
  EXPECT_EQ(error("SELECT 1").code, ErrorCode::Unavailable);
  options = options_for("reader", "localhost.invalid");
  source_ = *open_postgres(options, real_env());
  EXPECT_EQ(error("SELECT 1").code, ErrorCode::Unavailable);
  options = options_for("nobody_here", server_->socket());
  source_ = *open_postgres(options, real_env());
  EXPECT_NE(error("SELECT 1").code, ErrorCode::Internal);
}

TEST_F(PostgresLive, PasswordsAreReadAnewAndToldNobody) {
  execute("CREATE ROLE locked LOGIN PASSWORD 'correct horse'");
  const std::string hba = server_->data_folder() + "/pg_hba.conf";
  std::string rules;
  {
    std::ifstream old(hba);
    rules.assign(std::istreambuf_iterator<char>(old), {});
  }
  std::ofstream(hba, std::ios::trunc) << "local all locked scram-sha-256\n" << rules;
  execute("SELECT pg_reload_conf()");
  DatabaseOptions options = options_for("locked", server_->socket());
  options.address.password_reference = "env:HELVE_TEST_PASSWORD";
  ::setenv("HELVE_TEST_PASSWORD", "wrong battery", 1);
  Error refused(ErrorCode::Internal, "none");
  for (int i = 0; i < 250 && refused.code == ErrorCode::Internal; ++i) {  // until it has reloaded
    source_ = *open_postgres(options, real_env());
    TextSink sink;
    const TableRun done = run("SELECT 1", sink);
    if (done.error) refused = *done.error;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(refused.code, ErrorCode::Denied);
  EXPECT_EQ(refused.to_string().find("battery"), std::string::npos);
  ::setenv("HELVE_TEST_PASSWORD", "correct horse", 1);
  EXPECT_THAT(rows("SELECT current_user"), ElementsAre("locked"));
}

TEST_F(PostgresLive, ReplacesConnectionsThatTheServerClosed) {
  EXPECT_THAT(rows("SELECT 1"), ElementsAre("1^integer"));
  ASSERT_TRUE(server_->restart());
  EXPECT_THAT(rows("SELECT 2"), ElementsAre("2^integer"));
  const auto pid = rows("SELECT pg_backend_pid()").front();
  value_of("SELECT pg_terminate_backend(" + pid.substr(0, pid.find('^')) + ")");
  EXPECT_THAT(rows("SELECT 3"), ElementsAre("3^integer"));
  EXPECT_TRUE(source_->catalogue(within(5'000)).has_value());
}

TEST_F(PostgresLive, WaitsForAPlaceAmongItsConnections) {
  DatabaseOptions options = options_for("reader", server_->socket());
  options.connections_max = 1;
  options.acquire_timeout = std::chrono::milliseconds(50);
  source_ = *open_postgres(options, real_env());
  OpContext context = within(60'000);
  std::thread other([this, &context] {
    TableQuery query;
    query.sql = "SELECT data.nap(56)";
    query.rules = naps();
    TextSink sink;
    source_->run(query, sink, context);
  });
  EXPECT_TRUE(soon_sleeps(true));
  EXPECT_EQ(error("SELECT 1").code, ErrorCode::Unavailable);
  context.cancel.cancel();
  other.join();
  EXPECT_THAT(rows("SELECT 1"), ElementsAre("1^integer"));
}

TEST_F(PostgresLive, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([this, i, &good] {
      for (int k = 0; k < 30; ++k) {
        TableQuery query;
        query.sql = "SELECT " + std::to_string(i * 1'000 + k) + ", lower('A')";
        TextSink sink;
        const TableRun done = source_->run(query, sink, within(20'000));
        if (!done.error && sink.rows.size() == 1 &&
            sink.rows[0] == std::to_string(i * 1'000 + k) + "^integer|a") {
          ++good;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 180);
}

}  // namespace
}  // namespace helve::sql
