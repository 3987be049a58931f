// What the adapter does when the server does not answer: every call comes back, and the next works.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/env.h"
#include "sources/sql/mysql/mysql_source.h"
#include "tests/integration/sql/mysql/live_server.h"

namespace helve::sql {
namespace {

using namespace std::chrono_literals;

constexpr Duration kDeadline = 300ms;
// Half a second is promised; the rest is for busy machines.
constexpr Duration kPatience = 5s;

bool is_stopped(int pid) {
  const auto threads = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads)) {
    std::string line;
    std::getline(std::ifstream(thread.path() / "stat"), line);
    if (line.compare(line.rfind(')') + 1, 2, " T") != 0) return false;
  }
  return true;
}

// Threads of the server go on for a moment after kill() has returned.
void stop(int pid) {
  ASSERT_EQ(::kill(pid, SIGSTOP), 0);
  for (int i = 0; i < 5000 && !is_stopped(pid); ++i) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(is_stopped(pid));
}

class MysqlDeadline : public LiveTest {
 protected:
  // Ends with `code`, soon.
  static void expect_end(const TableSource& source, const std::string& sql, ErrorCode code,
                         const OpContext& context = within(kDeadline)) {
    KeptRows rows;
    const auto begin = real_clock().now();
    const TableRun run = sql::run(source, sql, rows, context);
    EXPECT_LT(real_clock().now() - begin, kPatience) << sql;
    ASSERT_TRUE(run.error.has_value()) << sql;
    EXPECT_EQ(run.error->code, code) << sql << ": " << run.error->to_string();
  }
  static void expect_answer(const TableSource& source) {
    KeptRows rows;
    const TableRun run = sql::run(source, "SELECT 41 + 1", rows);
    ASSERT_FALSE(run.error) << run.error->to_string();
    EXPECT_EQ(rows.shown(0, 0), "42 integer");
  }
};

TEST_F(MysqlDeadline, EndsWhatTakesTooLong) {
  const auto source = server_->open("reader", 1);
  for (const char* const sql :
       {"SELECT x FROM nap", "SELECT COUNT(*) FROM number a, number b, number c",
        "SELECT a.n FROM number a, number b, number c ORDER BY a.label, b.label DESC",
        "SELECT n, x FROM naps"}) {
    expect_end(*source, sql, ErrorCode::LimitExceeded);
    expect_answer(*source);
  }
}

TEST_F(MysqlDeadline, TheServerStopsToo) {
  const auto source = server_->open("reader", 1);
  expect_end(*source, "SELECT x FROM nap /* to be killed */", ErrorCode::LimitExceeded);
  std::string left = "?";
  for (int i = 0; i < 50 && left != "0"; ++i) {
    left = server_->ask(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE "
        "'SELECT x FROM nap%' AND user = 'reader'");
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(left, "0");
}

TEST_F(MysqlDeadline, EndsWhenCancelled) {
  const auto source = server_->open("reader", 1);
  const OpContext context = within(60s);
  std::thread other([&] {
    std::this_thread::sleep_for(200ms);
    context.cancel.cancel();
  });
  expect_end(*source, "SELECT x FROM nap", ErrorCode::Cancelled, context);
  other.join();
  expect_answer(*source);
}

TEST_F(MysqlDeadline, GoodRowsBeforeTheEndAreKept) {
  const auto source = server_->open("reader", 1);
  KeptRows rows;
  const TableRun run =
      sql::run(*source, "SELECT n, REPEAT('x', 20000), x FROM late", rows, within(1s));
  ASSERT_TRUE(run.error.has_value());
  EXPECT_EQ(run.error->code, ErrorCode::LimitExceeded);
  EXPECT_GT(run.rows, 10U);
  EXPECT_EQ(run.rows, rows.rows.size());
  expect_answer(*source);
}

TEST_F(MysqlDeadline, AStoppedServerHoldsNobody) {
  for (const bool by_tcp : {false, true}) {
    const auto source = server_->open("reader", 2, by_tcp);
    expect_answer(*source);
    ASSERT_NO_FATAL_FAILURE(stop(server_->pid));
    expect_end(*source, "SELECT 1", ErrorCode::LimitExceeded);  // on the connection that is there
    expect_end(*source, "SELECT 1", ErrorCode::LimitExceeded);  // on a new one
    EXPECT_EQ(source->catalogue(within(kDeadline)).error().code, ErrorCode::LimitExceeded);
    ASSERT_EQ(::kill(server_->pid, SIGCONT), 0);
    expect_answer(*source);
  }
}

TEST_F(MysqlDeadline, ClosedConnectionsAreReplaced) {
  const auto source = server_->open("reader", 2);
  KeptRows rows;
  ASSERT_FALSE(sql::run(*source, "SELECT CONNECTION_ID()", rows).error);
  server_->run("KILL " + rows.rows[0][0]->value);
  std::this_thread::sleep_for(50ms);
  expect_answer(*source);
}

TEST_F(MysqlDeadline, ManyAtOnceShareTheConnections) {
  const auto source = server_->open("reader", 2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) expect_answer(*source);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A peer that takes the connection and says nothing.
class SilentPeer {
 public:
  SilentPeer() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_, plain, size), 0);
    EXPECT_EQ(::listen(fd_, 16), 0);
    EXPECT_EQ(::getsockname(fd_, plain, &size), 0);
    port = ntohs(address.sin_port);
  }
  ~SilentPeer() { ::close(fd_); }
  std::uint16_t port = 0;

 private:
  int fd_;
};

TEST(MysqlSilentPeer, HoldsNobody) {
  const SilentPeer peer;
  DatabaseOptions options;
  options.name = "silent";
  options.connections_max = 1;
  options.connect_timeout = 1s;
  options.address.dialect = SqlDialect::MySql;
  options.address.host = "127.0.0.1";
  options.address.port = peer.port;
  options.address.user = "u";
  options.address.database = "d";
  const auto source = open_mysql(std::move(options), real_env()).value();
  KeptRows rows;
  EXPECT_EQ(sql::run(*source, "SELECT 1", rows, within(kDeadline)).error->code,
            ErrorCode::LimitExceeded);
  EXPECT_EQ(sql::run(*source, "SELECT 1", rows, within(kDeadline)).error->code,
            ErrorCode::LimitExceeded);
  // No more threads wait than there are places.
  const auto third = sql::run(*source, "SELECT 1", rows, within(kDeadline)).error->code;
  EXPECT_TRUE(third == ErrorCode::Unavailable || third == ErrorCode::LimitExceeded);
  EXPECT_EQ(sql::run(*source, "SELECT 1", rows, within(20s)).error->code, ErrorCode::Unavailable);
}

}  // namespace
}  // namespace helve::sql
