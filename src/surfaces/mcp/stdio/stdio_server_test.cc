#include "surfaces/mcp/stdio/stdio_server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "base/real_env.h"
#include "surfaces/mcp/server/server_testing.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";

std::string call(int id, std::string_view tool) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + "\"}}";
}

// A server behind two pipes.
class StdioTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    ASSERT_EQ(::pipe(to_server_), 0);
    ASSERT_EQ(::pipe(from_server_), 0);
  }

  void start(StdioOptions options = {}) {
    options.in = to_server_[0];
    options.out = from_server_[1];
    server_ = std::make_unique<Server>(ServerOptions{}, std::vector<std::shared_ptr<Offer>>{offer_},
                                       real_env(), nullptr);
    ended_ = std::async(std::launch::async,
                        [this, options] { return serve_stdio(*server_, {}, options, stop_); });
  }

  void TearDown() override {
    close_input();
    if (ended_.valid()) {
      EXPECT_TRUE(has_ended());
    }
    ::close(from_server_[1]);
    if (from_server_[0] >= 0) ::close(from_server_[0]);
    ::close(to_server_[0]);
  }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(to_server_[1], text.data(), text.size());
      ASSERT_GT(count, 0);
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void line(std::string_view text) const { write(std::string(text) + "\n"); }
  void close_input() {
    if (to_server_[1] >= 0) ::close(to_server_[1]);
    to_server_[1] = -1;
  }
  bool has_ended() const {
    return ended_.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }

  // The next line; empty when none comes.
  std::string next() {
    while (read_.find('\n') == std::string::npos) {
      pollfd wait{from_server_[0], POLLIN, 0};
      if (::poll(&wait, 1, 20'000) <= 0) return "";
      char piece[4096];
      const ssize_t count = ::read(from_server_[0], piece, sizeof piece);
      if (count <= 0) return "";
      read_.append(piece, static_cast<std::size_t>(count));
    }
    const std::size_t end = read_.find('\n');
    std::string text = read_.substr(0, end);
    read_.erase(0, end + 1);
    return text;
  }
  // Nothing more was written when the server ended.
  bool is_silent() {
    ::close(from_server_[1]);
    from_server_[1] = -1;
    return next().empty();
  }

  std::shared_ptr<SmallOffer> offer_ = std::make_shared<SmallOffer>();
  std::unique_ptr<Server> server_;
  CancelToken stop_;
  std::future<Result<void>> ended_;
  int to_server_[2] = {-1, -1};
  int from_server_[2] = {-1, -1};
  std::string read_;
};

TEST_F(StdioTest, TheProcessIsOneSession) {
  start();
  line(kInitialize);
  EXPECT_NE(next(), "");
  line(call(1, "session"));
  const std::string reply = next();
  const std::size_t at = reply.find("stdio-");
  ASSERT_NE(at, std::string::npos) << reply;
  const std::string name = reply.substr(at, 6 + 12);
  EXPECT_TRUE(offer_->ended().empty());
  close_input();
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(offer_->ended(), std::vector<std::string>{name});
}

TEST_F(StdioTest, AnswersLineByLine) {
  start();
  line(kInitialize);
  EXPECT_NE(next().find("\"protocolVersion\":\"2025-11-25\""), std::string::npos);
  write("\n  \n\r\n");
  write(call(1, "echo") + "\r\n" + call(2, "echo"));
  EXPECT_NE(next().find("\"id\":1,\"result\""), std::string::npos);
  write("\n");
  EXPECT_NE(next().find("\"id\":2,\"result\""), std::string::npos);
  line("{nonsense");
  EXPECT_NE(next().find("-32700"), std::string::npos);
}

TEST_F(StdioTest, ASlowCallDoesNotHoldUpAQuickOne) {
  StdioOptions options;
  options.threads = 2;
  start(options);
  line(kInitialize);
  next();
  line(call(1, "wait"));
  ASSERT_TRUE(offer_->wait_started(1));
  line(call(2, "echo"));
  EXPECT_NE(next().find("\"id\":2,\"result\""), std::string::npos);
  line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  line(call(3, "echo"));
  EXPECT_NE(next().find("\"id\":3,\"result\""), std::string::npos);
}

// With every thread at work somebody still reads: cancellations come through.
TEST_F(StdioTest, CancellationIsHeardWhenAllAreBusy) {
  StdioOptions options;
  options.threads = 2;
  start(options);
  line(kInitialize);
  next();
  for (int id = 1; id <= 5; ++id) line(call(id, "wait"));
  ASSERT_TRUE(offer_->wait_started(2));
  for (int id = 1; id <= 5; ++id) {
    line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
         std::to_string(id) + "}}");
  }
  line(call(6, "echo"));
  EXPECT_NE(next().find("\"id\":6,\"result\""), std::string::npos);
}

TEST_F(StdioTest, TooManyAreToldSoAtOnce) {
  StdioOptions options;
  options.threads = 1;
  options.queue_max = 1;
  start(options);
  line(kInitialize);
  next();
  for (int id = 1; id <= 4; ++id) line(call(id, "wait"));
  std::size_t busy = 0;
  for (int i = 0; i < 2; ++i) busy += next().find("-31000") != std::string::npos ? 1 : 0;
  EXPECT_EQ(busy, 2U);
}

TEST_F(StdioTest, WhatWaitsBehindCallsThatDoNotEndIsToldSo) {
  StdioOptions options;
  options.threads = 1;
  start(options);
  line(kInitialize);
  next();
  for (int id = 1; id <= 3; ++id) line(call(id, "wait"));
  // One more thread than calls at once: somebody reads.
  std::size_t busy = 0;
  for (int i = 0; i < 2; ++i) busy += next().find("-31000") != std::string::npos ? 1 : 0;
  EXPECT_EQ(busy, 2U);
}

// Threads are made as they are needed, and no more than that.
TEST_F(StdioTest, ManySlowCallsLeaveRoomForQuickOnes) {
  start();
  line(kInitialize);
  next();
  for (int id = 1; id <= 40; ++id) line(call(id, "wait"));
  ASSERT_TRUE(offer_->wait_started(40));
  line(call(41, "echo"));
  EXPECT_NE(next().find("\"id\":41,\"result\""), std::string::npos);
}

TEST_F(StdioTest, WhatWasAskedBeforeTheEndIsAnswered) {
  start();
  write(std::string(kInitialize) + "\n" + call(1, "echo") + "\n" + call(2, "echo"));
  close_input();
  ASSERT_TRUE(has_ended());
  EXPECT_NE(next().find("\"id\":0"), std::string::npos);
  const std::string both = next() + next();
  EXPECT_NE(both.find("\"id\":1"), std::string::npos);
  EXPECT_NE(both.find("\"id\":2"), std::string::npos);
}

TEST_F(StdioTest, TheEndCancelsWhatGoesOn) {
  StdioOptions options;
  options.grace = std::chrono::milliseconds(10);
  start(options);
  line(kInitialize);
  next();
  line(call(1, "work"));
  ASSERT_TRUE(offer_->wait_started(1));
  close_input();
  ASSERT_TRUE(has_ended());
  EXPECT_TRUE(is_silent());
}

TEST_F(StdioTest, ItEndsWhenItIsStopped) {
  start();
  line(kInitialize);
  next();
  stop_.cancel();
  EXPECT_TRUE(has_ended());
}

TEST_F(StdioTest, ItEndsWhenNobodyReads) {
  start();
  line(kInitialize);
  next();
  ::close(from_server_[0]);
  from_server_[0] = -1;
  line(call(1, "echo"));
  EXPECT_TRUE(has_ended());
}

// A client that neither reads nor goes away cannot keep the process.
class DeafClientTest : public StdioTest {
 protected:
  void fill_output() {
    StdioOptions options;
    options.grace = std::chrono::milliseconds(100);
    offer_->tools_listed = 5'000;
    start(options);
    line(kInitialize);
    next();
    for (int id = 1; id <= 20; ++id) {
      line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/list"})");
    }
    // The pipe is full once the server has stopped taking lines.
    pollfd out{from_server_[0], POLLIN, 0};
    ASSERT_EQ(::poll(&out, 1, 20'000), 1);
  }
};

TEST_F(DeafClientTest, ItEndsWhenItIsStopped) {
  fill_output();
  stop_.cancel();
  EXPECT_TRUE(has_ended());
}

TEST_F(DeafClientTest, ItEndsWithItsInput) {
  fill_output();
  close_input();
  EXPECT_TRUE(has_ended());
}

TEST_F(StdioTest, LinesThatAreTooLongArePassedOver) {
  StdioOptions options;
  options.line_bytes_max = 1'000;
  start(options);
  line(kInitialize);
  next();
  std::thread writer([this] { write(std::string(300'000, 'x') + "\n" + call(1, "echo") + "\n"); });
  EXPECT_NE(next().find("-32600"), std::string::npos);
  EXPECT_NE(next().find("\"id\":1,\"result\""), std::string::npos);
  writer.join();
}

TEST_F(StdioTest, BatchesExistInTheirRevisionOnly) {
  start();
  line(kInitialize);
  next();
  line("[" + call(1, "echo") + "]");
  EXPECT_NE(next().find("-32600"), std::string::npos);
}

TEST_F(StdioTest, BatchesAreAnsweredTogether) {
  start();
  std::string old(kInitialize);
  old.replace(old.find("2025-11-25"), 10, "2025-03-26");
  line(old);
  next();
  line("[" + call(1, "echo") + R"(,{"jsonrpc":"2.0","method":"notifications/x"},)" +
       call(2, "none") + ",7]");
  const auto answers = parse_json(next());
  ASSERT_TRUE(answers);
  ASSERT_NE(answers->if_array(), nullptr);
  EXPECT_EQ(answers->if_array()->size(), 3U);
}

}  // namespace
}  // namespace helve::mcp
