#include "agent/ask/recorded_request.h"

#include <gtest/gtest.h>

namespace helve::agent {
namespace {

RecordedRun run_of(const std::string& start) {
  auto file = parse_trajectory(start + "\n", "test");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().to_string());
  return runs_of(*std::move(file)).at(0);
}

TEST(RecordedRequest, IsWhatWasAsked) {
  const auto request = recorded_request(run_of(
      R"({"kind":"run_start","task":"How many?","loop":"rlm","config":{"source":"sample",)"
      R"("signature":"context -> answer","iterations_max":7,"parallel_calls_max":1,)"
      R"("time_max_s":30},"origin":{"helve":"1.2.3"},"context":[{"layer":"L0","text":"a"}]})"));
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->loop, Loop::Rlm);
  EXPECT_EQ(request->run.signature, "context -> answer");
  EXPECT_EQ(request->run.limits.iterations_max, 7U);
  EXPECT_EQ(request->run.limits.parallel_calls_max, 1U);
  EXPECT_EQ(request->run.limits.time_max, std::chrono::seconds(30));
  EXPECT_EQ(request->run.context, "a");
  EXPECT_EQ(to_json(request->run.origin), R"({"helve":"1.2.3"})");
}

// Threads are made for calls at once, and a file must not say how many.
TEST(RecordedRequest, LimitsOfAHostileFileAreBounded) {
  for (const char* const count : {"30000", "9223372036854775808", "18446744073709551615"}) {
    std::string start = R"({"kind":"run_start","task":"a","loop":"react","config":{)";
    for (const char* const name :
         {"parallel_calls_max", "answer_chars_max", "iterations_max", "tool_calls_max",
          "model_calls_max", "tokens_max", "time_max_s"}) {
      start += "\"" + std::string(name) + "\":" + count + ",";
    }
    const auto request = recorded_request(run_of(start + R"("x":1}})"));
    ASSERT_TRUE(request.has_value());
    const RunLimits& limits = request->run.limits;
    EXPECT_LE(limits.parallel_calls_max, 16U);
    EXPECT_LE(limits.answer_chars_max, 1'000'000U);
    EXPECT_LE(limits.iterations_max, 1'000'000'000U);
    EXPECT_LE(limits.tool_calls_max, 1'000'000'000U);
    EXPECT_LE(limits.model_calls_max, 1'000'000'000U);
    EXPECT_LE(limits.tokens_max, 1'000'000'000U);
    EXPECT_LE(limits.time_max, std::chrono::hours(24));
  }
}

}  // namespace
}  // namespace helve::agent
