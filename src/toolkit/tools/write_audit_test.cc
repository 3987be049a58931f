// What the audit has of changes: questions and their ends, and never what confirms one.
#include "toolkit/tools/write_testing.h"
#include "toolkit/tools/write_tools.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kAuditedRename = "UPDATE artist SET name = 'Q' WHERE name = 'Queen'";

using WriteAudit = WriteTest;

TEST_F(WriteAudit, AQuestionIsRecordedAsOne) {
  modify(kAuditedRename);
  EXPECT_EQ(log_->records.back().verdict, "asked");
  EXPECT_FALSE(log_->records.back().affected);
  modify(kAuditedRename, R"("dry_run":true)");
  EXPECT_EQ(log_->records.back().verdict, "ok");
}

TEST_F(WriteAudit, AQuestionThatNobodyAnswersIsRecorded) {
  modify(kAuditedRename);
  const AuditRecord asked = log_->records.back();
  env_.clock().advance(Confirmations::kLife);
  call("list_tools", "{}");
  ASSERT_EQ(log_->events().size(), 1U);
  const AuditRecord event = log_->events()[0];
  EXPECT_EQ(event.verdict, "unanswered");
  EXPECT_EQ(event.confirmation, "timeout");
  EXPECT_EQ(event.tool, "data_modify");
  EXPECT_EQ(event.source, "shop");
  EXPECT_EQ(event.identity, "local");
  EXPECT_EQ(event.session, "default");
  EXPECT_EQ(event.call_id, asked.call_id);
  EXPECT_EQ(event.query_hash, asked.query_hash);
  EXPECT_EQ(event.estimated, 1U);
  EXPECT_EQ(event.affected, 0U);
}

TEST_F(WriteAudit, QuestionsEndWithTheirSession) {
  caller_.session = "one";
  const std::string token = text(modify(kAuditedRename), "confirm");
  caller_.session = "two";
  const std::string kept = text(modify(kAuditedRename), "confirm");
  caller_.session = "one";
  toolkit_->end_session(caller_);
  const auto events = log_->wait_for_events(1);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].verdict, "unanswered");
  EXPECT_EQ(events[0].reason, "its session ended");
  EXPECT_EQ(text(failing("data_modify", with_token(kAuditedRename, token)), "code"), "denied");
  caller_.session = "two";
  EXPECT_EQ(text(call("data_modify", with_token(kAuditedRename, kept)), "status"), "done");
  EXPECT_EQ(log_->events().size(), 1U);
}

TEST_F(WriteAudit, NoAnswerIsToldFromANo) {
  caller_.has_person = true;
  const auto json = parse_json(arguments(kAuditedRename));
  const CallOutcome asked = toolkit_->call("data_modify", *json, caller_, {});
  ASSERT_TRUE(asked.confirmation);
  caller_.declined = asked.confirmation->token;
  caller_.unanswered = "the client did not answer";
  EXPECT_THAT(text(refused(kAuditedRename), "message"), HasSubstr("the client did not answer"));
  EXPECT_EQ(log_->records.back().verdict, "denied");
  EXPECT_EQ(log_->records.back().confirmation, "timeout");
  EXPECT_EQ(log_->records.back().rule, "require_confirmation");
  // Also where the call does not come as far as the question; and it is told of once.
  caller_.declined.clear();
  const CallOutcome again = toolkit_->call("data_modify", *json, caller_, {});
  ASSERT_TRUE(again.confirmation);
  caller_.declined = again.confirmation->token;
  OpContext cancelled;
  cancelled.cancel.cancel();
  EXPECT_TRUE(toolkit_->call("data_modify", *json, caller_, cancelled).reply.is_error);
  EXPECT_EQ(log_->records.back().confirmation, "timeout");
  caller_.declined.clear();
  env_.clock().advance(Confirmations::kLife);
  call("list_tools", "{}");
  EXPECT_TRUE(log_->events().empty());
}

TEST_F(WriteAudit, TokensStandInNoRecord) {
  const std::string live = text(modify(kAuditedRename), "confirm");
  const auto is_told = [&](const std::string& token) {
    const AuditRecord& record = log_->records.back();
    std::string all = record.tool + record.query;
    for (const auto& [name, value] : record.lineage) all += name + value;
    return all.find(token) != std::string::npos;
  };
  const std::vector<std::pair<std::string, std::string>> calls = {
      {"query_execute", R"({"sql":"SELECT 1 -- )" + live + "\"}"},
      {"query_execute", R"({"sql":"SELECT ?","params":[")" + live + "\"]}"},
      {"list_tools", R"({"category":")" + live + "\"}"},
      {"list_tools", R"({"confirmation":")" + live + "\"}"},
      {"call_tool", R"({"name":"list_tools","arguments":{"category":{"a":[")" + live + "\"]}}}"},
      {"nothing_" + live, "{}"}};
  for (const auto& [tool, given] : calls) {
    const auto json = parse_json(given);
    ASSERT_TRUE(json) << given;
    caller_.lineage = {{"trace", "x" + live}, {live, "y"}};
    toolkit_->call(tool, *json, caller_, {});
    EXPECT_FALSE(is_told(live)) << tool << " " << log_->records.back().query;
    EXPECT_THAT(log_->records.back().lineage[0].second, "x[token]");
  }
  caller_.lineage.clear();
  // Under the other names of the parameter, and spent.
  call("transaction", R"({"action":"begin"})");
  modify("DELETE FROM artist WHERE artist_id > 3");
  const std::string word = text(call("transaction", R"({"action":"commit"})"), "confirm");
  call("transaction", R"({"action":"commit","token":")" + word + "\"}");
  EXPECT_EQ(log_->records.back().confirmation, "token");
  EXPECT_FALSE(is_told(word)) << log_->records.back().query;
}

}  // namespace
}  // namespace helve::toolkit
