// An offer over a small graph and a turn that notes what is sent, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "surfaces/mcp/offer/toolkit_offer.h"
#include "tests/support/graph/graph_of.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::mcp {

class FakeTurn final : public Turn {
 public:
  const toolkit::Caller& caller() const override { return caller_; }
  Revision revision() const override { return revision_; }
  const OpContext& op() const override { return op_; }
  bool can(std::string_view /*capability*/) const override { return false; }
  void progress(double /*done*/, std::optional<double> /*total*/,
                std::string_view /*message*/) override {}
  void log(LogLevel level, std::string_view logger, std::string_view data) override {
    logged.push_back(std::string(name_of(level)) + " " + std::string(logger) + " " +
                     std::string(data));
  }
  std::optional<InputAnswers> ask(std::vector<InputRequest> /*requests*/,
                                  std::string /*state*/) override {
    return std::nullopt;
  }
  const std::string& state() const override { return state_; }
  const JsonValue* answer(std::string_view /*key*/) const override { return nullptr; }

  void set_policy(toolkit::Policy policy) {
    caller_.policy = std::make_shared<const toolkit::Policy>(std::move(policy));
  }
  void set_caller(toolkit::Caller caller) { caller_ = std::move(caller); }
  void set_revision(Revision revision) { revision_ = revision; }

  std::vector<std::string> logged;

 private:
  toolkit::Caller caller_;
  Revision revision_ = kRevisions.front();
  OpContext op_;
  std::string state_;
};

class OfferTest : public ::testing::Test {
 protected:
  void SetUp() override {
    toolkit::ToolkitOptions options;
    options.is_one_session = false;
    options.marks_data = true;
    auto made = toolkit::Toolkit::make(options, real_env(), helve::testing::graph_factory());
    ASSERT_TRUE(made.has_value());
    toolkit_ = *std::move(made);
    ASSERT_TRUE(toolkit_->add_source(helve::testing::graph_of(toolkit::kPlanets, "planets")));
    ASSERT_TRUE(toolkit_->add_source(
        helve::testing::graph_of("<http://e/a> <http://e/b> <http://e/c> .", "Other-planes")));
    offer_ = make_toolkit_offer(*toolkit_, real_env(), {});
  }

  void make_offer(const OfferOptions& options) {
    offer_ = make_toolkit_offer(*toolkit_, real_env(), options);
  }

  static JsonValue parsed(std::string_view text) {
    auto json = parse_json(text);
    EXPECT_TRUE(json.has_value()) << text;
    return json ? *std::move(json) : JsonValue();
  }

  // The result, or null where there is an error.
  static JsonValue result_of(const std::optional<Outcome>& outcome) {
    if (!outcome || !std::holds_alternative<std::string>(*outcome)) {
      ADD_FAILURE() << (outcome ? std::get<RpcError>(*outcome).message : "not one of ours");
      return {};
    }
    return parsed(std::get<std::string>(*outcome));
  }
  static RpcError error_of(const std::optional<Outcome>& outcome) {
    if (!outcome || !std::holds_alternative<RpcError>(*outcome)) {
      ADD_FAILURE() << "no error";
      return {};
    }
    return std::get<RpcError>(*outcome);
  }

  JsonValue call(const std::string& tool, std::string_view arguments) {
    return result_of(offer_->call_tool(tool, parsed(arguments), turn_));
  }
  std::vector<JsonValue> list(ListKind kind) {
    std::vector<JsonValue> listed;
    for (const std::string& text : offer_->list(kind, turn_)) listed.push_back(parsed(text));
    return listed;
  }
  std::vector<std::string> names(ListKind kind, std::string_view key = "name") {
    std::vector<std::string> found;
    for (const JsonValue& entry : list(kind)) found.push_back(text_of(entry, key));
    return found;
  }

  static std::string text_of(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
  }

  std::unique_ptr<toolkit::Toolkit> toolkit_;
  std::shared_ptr<Offer> offer_;
  FakeTurn turn_;
};

}  // namespace helve::mcp
