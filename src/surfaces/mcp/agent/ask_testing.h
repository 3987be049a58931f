// A client that is written down: what it can, what comes with the call, what its model says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "surfaces/mcp/server/turn.h"

namespace helve::mcp {

inline JsonValue json_of(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *value : JsonValue();
}

inline JsonValue said(std::string_view text) {
  std::string result = R"({"role":"assistant","model":"m","content":{"type":"text","text":)";
  append_json_string(result, text);
  return json_of(result + "}}");
}

class SamplingTurn final : public Turn {
 public:
  Revision spoken = Revision::R20251125;
  std::set<std::string, std::less<>> capabilities = {"sampling", "sampling.tools"};
  toolkit::Caller who;
  OpContext context;
  std::string kept_state;
  std::map<std::string, JsonValue, std::less<>> came;  // with the call
  std::vector<JsonValue> when_asked;                   // before 2026-07-28, in order
  std::optional<AskFailure> failure;

  std::vector<InputRequest> asked;
  std::string state_to_keep;
  std::vector<std::pair<double, std::string>> told;
  std::vector<std::string> tools_noted;

  const toolkit::Caller& caller() const override { return who; }
  Revision revision() const override { return spoken; }
  const OpContext& op() const override { return context; }
  bool can(std::string_view capability) const override { return capabilities.contains(capability); }
  void progress(double done, std::optional<double> /*total*/, std::string_view message) override {
    told.emplace_back(done, message);
  }
  void log(LogLevel /*level*/, std::string_view /*logger*/, std::string_view /*data*/) override {}
  void note_tool(std::string_view tool, bool is_error, Duration /*took*/) override {
    tools_noted.push_back(std::string(tool) + (is_error ? " failed" : ""));
  }
  std::optional<InputAnswers> ask(std::vector<InputRequest> requests, std::string state) override {
    EXPECT_EQ(requests.size(), 1U);
    if (is_modern(spoken)) {
      // Answers count with the state of the question alone.
      const JsonValue* const given =
          kept_state.empty() && came.empty() ? nullptr : answer(requests[0].key);
      if (given != nullptr) return InputAnswers{{requests[0].key, *given}};
      state_to_keep = std::move(state);
      asked.push_back(std::move(requests[0]));
      return std::nullopt;
    }
    asked.push_back(std::move(requests[0]));
    if (asked.size() > when_asked.size()) return std::nullopt;
    return InputAnswers{{asked.back().key, when_asked[asked.size() - 1]}};
  }
  std::optional<AskFailure> take_failure() override { return std::exchange(failure, std::nullopt); }
  const std::string& state() const override { return kept_state; }
  const JsonValue* answer(std::string_view key) const override {
    const auto found = came.find(key);
    return found == came.end() ? nullptr : &found->second;
  }
};

}  // namespace helve::mcp
