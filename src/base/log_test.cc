// The log's lines, levels and threads.
#include "base/log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/json.h"
#include "tests/support/fake_env.h"

namespace helve {
namespace {

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    set_log_sink([this](std::string_view line) { lines_.emplace_back(line); }, clock_);
  }
  void TearDown() override {
    set_log_sink({});
    set_log_level(LogLevel::Warn);
    set_log_format(LogFormat::Text);
  }

  FakeClock clock_;
  std::vector<std::string> lines_;
};

TEST_F(LogTest, BelowWarnIsOffByDefault) {
  log_debug("d");
  log_info("i");
  log_warn("w");
  log_error("e");
  EXPECT_EQ(lines_, (std::vector<std::string>{"helve: warning: w\n", "helve: error: e\n"}));
  EXPECT_FALSE(is_logged(LogLevel::Info));
  set_log_level(LogLevel::Debug);
  log_debug("d");
  log_info("i");
  EXPECT_EQ(lines_[2], "helve: debug: d\n");
  EXPECT_EQ(lines_[3], "helve: i\n");
}

TEST_F(LogTest, TextFieldsAreSafeAndSplittable) {
  log_warn("odd\x1B[31m file", {{"path", "a b.ttl"},
                                {"line", 3},
                                {"empty", ""},
                                {"ok", false},
                                {"rate", 0.5},
                                {"quote", std::string("x\"y\n")}});
  EXPECT_EQ(
      lines_.at(0),
      "helve: warning: odd\\x1B[31m file path=\"a b.ttl\" line=3 empty=\"\" ok=false rate=0.5 "
      "quote=\"x\\\"y\\n\"\n");
}

TEST_F(LogTest, JsonLinesHaveTimeLevelAndTypedFields) {
  set_log_format(LogFormat::Json);
  clock_.advance(std::chrono::milliseconds(1'234));
  log_error("broken", {{"n", 7U}, {"s", "x\ny"}, {"level", "mine"}});
  EXPECT_EQ(lines_.at(0),
            "{\"time\":\"2025-01-01T00:00:01.234Z\",\"level\":\"error\",\"message\":\"broken\","
            "\"n\":7,\"s\":\"x\\ny\",\"level_\":\"mine\"}\n");
  EXPECT_TRUE(parse_json(lines_[0]));
}

TEST_F(LogTest, LinesOfManyThreadsStayWhole) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) log_warn("same", {{"i", 1}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(lines_.size(), 400U);
  for (const std::string& line : lines_) EXPECT_EQ(line, "helve: warning: same i=1\n");
}

}  // namespace
}  // namespace helve
