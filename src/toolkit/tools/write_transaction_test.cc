#include "toolkit/tools/write_testing.h"
#include "toolkit/tools/write_tools.h"

namespace helve::toolkit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kOne = "UPDATE artist SET name = 'one' WHERE artist_id = 1";
constexpr std::string_view kTwo = "DELETE FROM artist WHERE artist_id > 3";

class Transactions : public WriteTest {
 protected:
  JsonValue act(std::string_view action, std::string_view token = "") {
    return call("transaction", action_of(action, token));
  }
  JsonValue fail_to(std::string_view action, std::string_view token = "") {
    return failing("transaction", action_of(action, token));
  }
  static std::string action_of(std::string_view action, std::string_view token) {
    std::string given = R"({"action":")" + std::string(action) + "\"";
    if (!token.empty()) given += R"(,"confirm":")" + std::string(token) + "\"";
    return given + "}";
  }
};

TEST_F(Transactions, MakeSeveralChangesAtOnce) {
  const std::string id = text(act("begin"), "transaction");
  const JsonValue one = modify(kOne);
  EXPECT_EQ(text(one, "status"), "open");
  EXPECT_EQ(text(one, "transaction"), id);
  EXPECT_EQ(handle(one, "before"), R"([["1","\"AC/DC\""]])");
  modify(kTwo);
  EXPECT_EQ(value("artist", 0, 1), "AC/DC");
  EXPECT_EQ(number(act("status"), "affected"), 3);
  const JsonValue asked = act("commit");
  EXPECT_EQ(text(asked, "status"), "confirmation_required");
  EXPECT_EQ(size(asked, "statements"), 2U);
  EXPECT_EQ(rows("artist"), 5U);
  const JsonValue done = act("commit", text(asked, "confirm"));
  EXPECT_EQ(text(done, "status"), "done");
  EXPECT_EQ(value("artist", 0, 1), "one");
  EXPECT_EQ(rows("artist"), 3U);
  EXPECT_EQ(text(act("status"), "status"), "none");
  EXPECT_EQ(writer_->counts().begun, 1);
  EXPECT_EQ(writer_->counts().open, 0);
  std::size_t intents = 0;
  for (const AuditRecord& record : log_->records) {
    if (record.verdict == "ok" || record.verdict == "asked") continue;
    ++intents;
    EXPECT_EQ(record.kind, AuditKind::Intent);
    EXPECT_EQ(record.transaction, id);
    EXPECT_EQ(record.affected, 3U);
    EXPECT_EQ(record.confirmation, "token");
  }
  EXPECT_EQ(intents, 1U);
  EXPECT_EQ(log_->records[1].transaction, id);
}

TEST_F(Transactions, AreRolledBackWithTheirSnapshots) {
  act("begin");
  modify(kOne);
  EXPECT_EQ((*toolkit_->handles(caller_, {}))->count(), 2U);
  EXPECT_EQ(text(act("rollback"), "status"), "rolled_back");
  EXPECT_EQ(value("artist", 0, 1), "AC/DC");
  EXPECT_EQ((*toolkit_->handles(caller_, {}))->count(), 0U);
  EXPECT_EQ(text(fail_to("rollback"), "code"), "not_found");
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(Transactions, AWordIsForTheStatementsThatItWasAskedFor) {
  act("begin");
  modify(kOne);
  const std::string token = text(act("commit"), "confirm");
  modify(kTwo);
  EXPECT_EQ(text(fail_to("commit", token), "code"), "denied");
  EXPECT_EQ(rows("artist"), 5U);
  EXPECT_EQ(text(act("commit", text(act("commit"), "confirm")), "status"), "done");
}

TEST_F(Transactions, TheLimitOfRowsIsOneForAll) {
  set_policy(R"({"read_only": false, "max_affected_rows": 3, "require_confirmation": "two_step"})");
  act("begin");
  modify(kTwo);
  const JsonValue error = refused("DELETE FROM album WHERE album_id < 3");
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "message"), HasSubstr("has changed 2"));
  EXPECT_EQ(number(act("status"), "affected"), 2);
  EXPECT_EQ(number(act("status"), "rows_left"), 1);
  // One that tells less than it does is undone, and the others stay.
  writer_->behaviour.affected = 2;
  EXPECT_EQ(text(refused(kOne), "code"), "denied");
  EXPECT_EQ(writer_->counts().undone, 1);
  writer_->behaviour.affected.reset();
  EXPECT_EQ(text(act("commit", text(act("commit"), "confirm")), "status"), "done");
  EXPECT_EQ(rows("artist"), 3U);
  EXPECT_EQ(value("artist", 0, 1), "AC/DC");
}

TEST_F(Transactions, AreOverWhereAStatementCannotBeUndone) {
  set_policy(R"({"read_only": false, "max_affected_rows": 3, "require_confirmation": "two_step"})");
  act("begin");
  modify(kOne);
  writer_->behaviour.affected = 9;
  writer_->behaviour.fails_undo = true;
  EXPECT_THAT(reply("data_modify", arguments(kTwo)).json, HasSubstr("was rolled back"));
  EXPECT_EQ(text(act("status"), "status"), "none");
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(Transactions, ErrorsOfOneStatementLeaveTheOthers) {
  act("begin");
  modify(kOne);
  EXPECT_EQ(text(refused("UPDATE artist SET artist_id = 1"), "code"), "invalid_input");
  EXPECT_EQ(number(act("status"), "affected"), 1);
  EXPECT_EQ(number(modify(kTwo, R"("dry_run":true)"), "estimated"), 2);
  EXPECT_EQ(number(act("status"), "affected"), 1);
  EXPECT_EQ(text(act("commit", text(act("commit"), "confirm")), "status"), "done");
  EXPECT_EQ(rows("artist"), 5U);
  EXPECT_EQ(value("artist", 0, 1), "one");
}

TEST_F(Transactions, AreRolledBackWhenNobodyUsesThem) {
  act("begin");
  modify(kOne);
  env_.clock().advance(OpenTransactions::kIdleMax);
  call("query_execute", R"({"sql":"SELECT 1"})");
  EXPECT_EQ(writer_->counts().open, 0);
  EXPECT_THAT(text(refused(kTwo), "message"), HasSubstr("too long"));  // it is not made by itself
  EXPECT_EQ(rows("artist"), 5U);
  act("begin");
  for (int i = 0; i < 5; ++i) {
    env_.clock().advance(OpenTransactions::kIdleMax - std::chrono::seconds(1));
    act("status");
  }
  env_.clock().advance(std::chrono::seconds(10));
  EXPECT_THAT(text(fail_to("commit"), "message"), HasSubstr("too long"));
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(Transactions, WaitForAWordWithinTheirLife) {
  act("begin");
  modify(kOne);
  const std::string token = text(act("commit"), "confirm");
  env_.clock().advance(std::chrono::minutes(4));
  EXPECT_EQ(text(act("commit", token), "status"), "done");
}

TEST_F(Transactions, AreOnePerSessionAndSource) {
  act("begin");
  EXPECT_EQ(text(fail_to("begin"), "code"), "invalid_input");
  caller_.identity = "another";
  EXPECT_EQ(text(act("status"), "status"), "none");
  EXPECT_EQ(text(modify(kOne), "status"), "confirmation_required");
  for (int i = 0; i < 3; ++i) {
    caller_.identity = "caller-" + std::to_string(i);
    act("begin");
  }
  caller_.identity = "last";
  EXPECT_EQ(text(fail_to("begin"), "code"), "limit_exceeded");
  EXPECT_EQ(writer_->counts().open, 4);
  toolkit_.reset();
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(Transactions, EndWithTheirPolicy) {
  act("begin");
  modify(kOne);
  set_policy(
      R"({"read_only": false, "max_affected_rows": 2000, "require_confirmation": "two_step"})");
  EXPECT_EQ(text(refused(kTwo), "code"), "denied");
  EXPECT_EQ(text(act("status"), "status"), "none");
}

TEST_F(Transactions, WhatCannotBeRecordedIsNotCommitted) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  act("begin");
  modify(kOne);
  log_->records_max = log_->records.size();
  EXPECT_EQ(text(fail_to("commit"), "code"), "unavailable");
  EXPECT_EQ(value("artist", 0, 1), "AC/DC");
  EXPECT_EQ(writer_->counts().committed, 0);
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(Transactions, AnUnknownEndIsSaid) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  act("begin");
  modify(kOne);
  writer_->behaviour.loses_commit = true;
  EXPECT_THAT(text(fail_to("commit"), "message"), HasSubstr("not known"));
  EXPECT_EQ(log_->records.back().verdict, "unknown");
  EXPECT_EQ(text(act("status"), "status"), "none");
}

TEST_F(Transactions, BelongToOneSessionAndEndWithIt) {
  caller_.shares_handles = true;
  caller_.session = "one";
  const std::string id = text(act("begin"), "transaction");
  modify(kOne);
  caller_.session = "two";
  EXPECT_EQ(text(act("status"), "status"), "none");
  EXPECT_EQ(text(modify(kTwo), "status"), "confirmation_required");  // no part of it
  const std::string other = text(act("begin"), "transaction");
  caller_.session = "one";
  toolkit_->end_session(caller_);
  const auto events = log_->wait_for_events(1);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].verdict, "rolled_back");
  EXPECT_EQ(events[0].reason, "its session ended");
  EXPECT_EQ(events[0].transaction, id);
  EXPECT_EQ(events[0].session, "one");
  EXPECT_EQ(events[0].source, "shop");
  EXPECT_EQ(events[0].estimated, 1U);
  EXPECT_EQ(events[0].affected, 0U);
  EXPECT_EQ(writer_->counts().open, 1);
  EXPECT_EQ(text(act("status"), "status"), "none");
  caller_.session = "two";
  EXPECT_EQ(text(act("status"), "transaction"), other);
  EXPECT_EQ(value("artist", 0, 1), "AC/DC");
}

TEST_F(Transactions, ThatNobodyEndedAreRecorded) {
  act("begin");
  modify(kOne);
  env_.clock().advance(OpenTransactions::kIdleMax);
  act("status");
  ASSERT_EQ(log_->events().size(), 1U);
  EXPECT_EQ(log_->events()[0].reason, "it was idle for 60 s");
  act("begin");
  modify(kOne);
  act("commit");  // asks: it may be idle
  env_.clock().advance(OpenTransactions::kLifeMax);
  act("status");
  ASSERT_EQ(log_->events().size(), 3U);
  std::vector<std::string> told;
  for (const AuditRecord& event : log_->events()) told.push_back(event.verdict + event.reason);
  EXPECT_THAT(told, ::testing::UnorderedElementsAre("rolled_backit was idle for 60 s",
                                                    "rolled_backit was open for 300 s",
                                                    "unanswerednobody answered in time"));
}

TEST_F(Transactions, ThatEndWithTheirPolicyOrTheProcessAreRecorded) {
  act("begin");
  modify(kOne);
  set_policy(
      R"({"read_only": false, "max_affected_rows": 2000, "require_confirmation": "two_step"})");
  refused(kTwo);
  ASSERT_EQ(log_->events().size(), 1U);
  EXPECT_THAT(log_->events()[0].reason, HasSubstr("policy"));
  EXPECT_EQ(log_->records.back().transaction, log_->events()[0].transaction);
  act("begin");
  toolkit_.reset();
  ASSERT_EQ(log_->events().size(), 2U);
  EXPECT_EQ(log_->events()[1].reason, "its session was closed");
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(Transactions, OfPoliciesWithoutAnAuditLeaveNoRecords) {
  set_policy(R"({"read_only": false, "audit": false, "require_confirmation": "two_step"})");
  act("begin");
  modify(kOne);
  act("commit");
  toolkit_.reset();
  EXPECT_TRUE(log_->records.empty());
}

TEST_F(Transactions, ACommitThatIsRefusedChangesNothing) {
  act("begin");
  modify(kOne);
  act("commit");
  EXPECT_EQ(log_->records.back().verdict, "asked");
  EXPECT_EQ(log_->records.back().estimated, 1U);
  fail_to("commit", std::string(32, 'a'));
  EXPECT_EQ(log_->records.back().verdict, "denied");
  EXPECT_EQ(log_->records.back().confirmation, "refused");
  EXPECT_EQ(log_->records.back().estimated, 1U);
  EXPECT_FALSE(log_->records.back().affected);
}

TEST_F(Transactions, AfterANoTheyAreIdleAgain) {
  caller_.has_person = true;
  act("begin");
  modify(kOne);
  const auto given = parse_json(action_of("commit", ""));
  const CallOutcome asked = toolkit_->call("transaction", *given, caller_, {});
  ASSERT_TRUE(asked.confirmation);
  caller_.declined = asked.confirmation->token;
  fail_to("commit");
  EXPECT_EQ(log_->records.back().confirmation, "refused");
  caller_.declined.clear();
  env_.clock().advance(OpenTransactions::kIdleMax);
  EXPECT_EQ(text(act("status"), "status"), "none");
  ASSERT_EQ(log_->events().size(), 1U);  // and the question is not told of twice
  EXPECT_EQ(log_->events()[0].verdict, "rolled_back");
}

TEST_F(Transactions, NeedASession) {
  caller_.is_stateless = true;
  const JsonValue error = fail_to("begin");
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "message"), HasSubstr("no session"));
  EXPECT_EQ(writer_->counts().begun, 0);
  EXPECT_EQ(text(confirmed(kOne), "status"), "done");
}

TEST_F(Transactions, QueriesSayThatTheyDoNotSeeThem) {
  const std::string query = R"({"sql":"SELECT name FROM artist"})";
  EXPECT_THAT(reply("query_execute", query).json, Not(HasSubstr("transaction is open")));
  act("begin");
  EXPECT_THAT(reply("query_execute", query).json, HasSubstr("transaction is open"));
  caller_.session = "another";
  EXPECT_THAT(reply("query_execute", query).json, Not(HasSubstr("transaction is open")));
  caller_.session = "default";
  act("rollback");
  EXPECT_THAT(reply("query_execute", query).json, Not(HasSubstr("transaction is open")));
}

TEST_F(Transactions, TakeNoDefinitions) {
  set_policy(R"({"read_only": false, "allow_ddl": true, "require_confirmation": "two_step"})");
  act("begin");
  EXPECT_EQ(text(failing("ddl_execute", arguments("DROP TABLE refund")), "code"), "invalid_input");
  EXPECT_EQ(rows("refund"), 0U);
}

class ShortLived : public Transactions {
 protected:
  ShortLived() {
    ToolkitOptions options;
    options.has_lasting_sessions = false;
    open(std::move(options), true);
  }
};

TEST_F(ShortLived, ProcessesHaveNoTransactions) {
  const JsonValue error = fail_to("begin");
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "message"), HasSubstr("ends with the call"));
  EXPECT_EQ(writer_->counts().begun, 0);
}

}  // namespace
}  // namespace helve::toolkit
