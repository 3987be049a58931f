#include "toolkit/tools/watched_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tables/fake_tables.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A database that answers with an error while it has one.
class FailingTables final : public TableSource {
 public:
  const SourceInfo& info() const override { return shop_->info(); }
  std::string fingerprint() const override { return shop_->fingerprint(); }
  SqlDialect dialect() const override { return SqlDialect::Sqlite; }
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& op) const override {
    if (!error) return shop_->run(query, sink, op);
    TableRun failed;
    failed.error = error;
    return failed;
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& op) const override {
    return shop_->explain(query, op);
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& op,
                                                     bool is_fresh) const override {
    if (error) return *error;
    return shop_->catalogue(op, is_fresh);
  }
  Result<SourceRights> rights(const OpContext& op) const override { return shop_->rights(op); }
  std::string setup_script() const override { return {}; }

  std::optional<Error> error;

 private:
  std::shared_ptr<helve::testing::FakeTables> shop_ = helve::testing::music_shop();
};

class WatchedTablesTest : public ToolTest {
 protected:
  WatchedTablesTest() : shop_(std::make_shared<FailingTables>()) {
    EXPECT_TRUE(toolkit_->add_source(shop_).has_value());
  }
  KnownSource known() { return toolkit_->sources(caller_).back(); }

  std::shared_ptr<FailingTables> shop_;
};

TEST_F(WatchedTablesTest, TellTheStateThatCallsFound) {
  EXPECT_EQ(known().state, SourceState::Unasked);
  EXPECT_FALSE(known().loaded_at);
  // A statement that is refused says nothing of the database.
  shop_->error = Error{ErrorCode::Denied, "not a read"};
  call("query_execute", R"({"sql": "DELETE FROM artist"})", false);
  shop_->error.reset();
  call("schema_inspect", "{}");
  EXPECT_EQ(known().state, SourceState::Ready);
  EXPECT_TRUE(known().loaded_at);
  shop_->error = Error{ErrorCode::Unavailable, "the server is away"};
  call("query_execute", R"({"sql": "SELECT name FROM artist"})", false);
  EXPECT_EQ(known().state, SourceState::Failed);
  EXPECT_EQ(known().failure->message, "the server is away");
  EXPECT_TRUE(known().failed_at);
  EXPECT_FALSE(known().loaded_at);
  // It is asked all the same, and comes back.
  shop_->error.reset();
  call("query_execute", R"({"sql": "SELECT name FROM artist"})");
  EXPECT_EQ(known().state, SourceState::Ready);
  EXPECT_FALSE(known().failure);
}

TEST_F(WatchedTablesTest, WhatIsToldBeforehandDoesNotCloseIt) {
  ASSERT_TRUE(toolkit_->fail_source("shop", {ErrorCode::Unavailable, "no password"}));
  EXPECT_EQ(known().state, SourceState::Failed);
  EXPECT_THAT(reply("schema_inspect", "{}").text, Not(HasSubstr("stale")));
  EXPECT_EQ(known().state, SourceState::Ready);
}

TEST_F(WatchedTablesTest, LoginsThatAreDeniedAreFailures) {
  shop_->error = Error{ErrorCode::Denied, "wrong password"};
  call("schema_inspect", "{}", false);
  EXPECT_EQ(known().state, SourceState::Failed);
}

}  // namespace
}  // namespace helve::toolkit
