// Tools that write, on a shop that may be changed, for tests.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fake_env.h"
#include "tests/support/tables/fake_writer.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {

class WriteTest : public ToolTest {
 protected:
  explicit WriteTest(ToolkitOptions options = {}) : log_(std::make_shared<ListedAudit::Log>()) {
    shop_ = helve::testing::music_shop();
    writer_ = &shop_->open_for_writing();
    open(std::move(options), true);
    set_policy(R"({"read_only": false, "require_confirmation": "two_step"})");
  }

  void open(ToolkitOptions options, bool has_audit) {
    auto made = Toolkit::make(std::move(options), env_, helve::testing::graph_factory(),
                              has_audit ? std::make_unique<ListedAudit>(log_) : nullptr);
    toolkit_ = *std::move(made);
    EXPECT_TRUE(toolkit_->add_source(shop_).has_value());
  }

  void set_policy(std::string_view json) {
    auto policy = policy_from_json(*parse_json(json));
    ASSERT_TRUE(policy.has_value()) << policy.error().to_string();
    caller_.policy = std::make_shared<const Policy>(*std::move(policy));
  }

  static std::string arguments(std::string_view sql, std::string_view more = "") {
    return "{\"sql\":" + to_json(JsonValue(sql)) + (more.empty() ? "" : ", ") + std::string(more) +
           "}";
  }
  static std::string with_token(std::string_view sql, std::string_view token) {
    return arguments(sql, "\"confirm\":\"" + std::string(token) + "\"");
  }
  JsonValue modify(std::string_view sql, std::string_view more = "") {
    return call("data_modify", arguments(sql, more));
  }
  JsonValue failing(std::string_view tool, std::string_view given) {
    const JsonValue json = call(tool, given, false);
    const JsonValue* error = json.find("error");
    EXPECT_NE(error, nullptr) << to_json(json);
    return error != nullptr ? *error : JsonValue();
  }
  JsonValue refused(std::string_view sql, std::string_view more = "") {
    return failing("data_modify", arguments(sql, more));
  }
  // Asks, and makes the same call with the token.
  JsonValue confirmed(std::string_view sql) {
    const std::string token = text(modify(sql), "confirm");
    return call("data_modify", with_token(sql, token));
  }

  // What is there, without a tool in between.
  std::string value(std::string_view table, std::size_t row, std::size_t column) const {
    for (const auto& one : *shop_->content()) {
      if (one.info.name == table && row < one.rows.size()) {
        return one.rows[row][column] ? one.rows[row][column]->value : "NULL";
      }
    }
    return "(none)";
  }
  std::size_t rows(std::string_view table) const {
    for (const auto& one : *shop_->content()) {
      if (one.info.name == table) return one.rows.size();
    }
    return SIZE_MAX;
  }
  // The rows of a handle that a reply names under the key, as the reply of sparql_slice.
  std::string handle(const JsonValue& reply, std::string_view key) {
    const JsonValue* ref = reply.find(key);
    if (ref == nullptr) return "(no " + std::string(key) + ")";
    const JsonValue rows_of = call("sparql_slice", "{\"result\":\"" + text(*ref, "key") + "\"}");
    return to_json(*rows_of.find("rows"));
  }

  FakeEnv env_;
  std::shared_ptr<ListedAudit::Log> log_;
  std::shared_ptr<helve::testing::FakeTables> shop_;
  helve::testing::FakeWriter* writer_ = nullptr;
};

}  // namespace helve::toolkit
