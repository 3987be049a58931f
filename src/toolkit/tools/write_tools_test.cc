#include "toolkit/tools/write_tools.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "toolkit/tools/write_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kRename = "UPDATE artist SET name = 'Q' WHERE name = 'Queen'";

using DataModify = WriteTest;

TEST_F(DataModify, IsNotThereUnlessAPolicyAllowsIt) {
  caller_.policy = std::make_shared<const Policy>();
  for (const char* tool : {"data_modify", "ddl_execute", "transaction"}) {
    const JsonValue error = failing(tool, arguments(kRename));
    EXPECT_EQ(text(error, "code"), "denied") << tool;
    EXPECT_EQ(log_->records.back().rule, "read_only");
  }
  EXPECT_THAT(reply("list_tools", R"({"category": "sql"})").json, Not(HasSubstr("data_modify")));
  EXPECT_EQ(writer_->counts().begun, 0);
  set_policy(R"({"read_only": false, "require_confirmation": "two_step"})");
  EXPECT_THAT(reply("list_tools", R"({"category": "sql"})").json,
              AllOf(HasSubstr("data_modify"), HasSubstr("transaction"), Not(HasSubstr("ddl_"))));
}

TEST_F(DataModify, NeedsADatabaseThatWasOpenedForWriting) {
  ASSERT_TRUE(
      toolkit_->add_source(helve::testing::music_shop(SqlDialect::Sqlite, "closed")).has_value());
  const JsonValue error = refused(kRename, R"("source": "closed")");
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "hint"), HasSubstr("read_only"));
}

TEST_F(DataModify, AsksForAWordAndMakesTheChangeOnce) {
  const JsonValue asked = modify(kRename);
  EXPECT_EQ(text(asked, "status"), "confirmation_required");
  EXPECT_EQ(number(asked, "estimated"), 1);
  EXPECT_EQ(text(asked, "estimate_is"), "exact");
  EXPECT_EQ(value("artist", 4, 1), "Queen");
  EXPECT_EQ(writer_->counts().committed, 0);
  EXPECT_THAT(to_json(*asked.find("preview")), HasSubstr("Queen"));
  const std::string token = text(asked, "confirm");
  const JsonValue done = call("data_modify", with_token(kRename, token));
  EXPECT_EQ(text(done, "status"), "done");
  EXPECT_EQ(number(done, "affected"), 1);
  EXPECT_EQ(value("artist", 4, 1), "Q");
  EXPECT_EQ(handle(done, "before"), R"([["5","\"Queen\""]])");
  EXPECT_EQ(handle(done, "after"), R"([["5","\"Q\""]])");
  EXPECT_EQ(text(failing("data_modify", with_token(kRename, token)), "code"), "denied");
  EXPECT_EQ(writer_->counts().committed, 1);
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(DataModify, RecordsTheIntentAndTheEnd) {
  caller_.lineage = {{"prompt", "p1"}};
  confirmed(kRename);
  ASSERT_EQ(log_->records.size(), 3U);
  const AuditRecord& asked = log_->records[0];
  const AuditRecord& intent = log_->records[1];
  const AuditRecord& end = log_->records[2];
  EXPECT_EQ(asked.kind, AuditKind::Call);
  EXPECT_EQ(asked.estimated, 1U);
  EXPECT_FALSE(asked.affected);
  EXPECT_EQ(intent.kind, AuditKind::Intent);
  EXPECT_EQ(intent.verdict, "");
  EXPECT_EQ(intent.affected, 1U);
  EXPECT_EQ(intent.query, kRename);
  EXPECT_EQ(intent.confirmation, "token");
  EXPECT_EQ(intent.call_id, end.call_id);
  EXPECT_EQ(intent.call_id.size(), 32U);
  EXPECT_EQ(end.kind, AuditKind::Call);
  EXPECT_EQ(end.verdict, "ok");
  EXPECT_EQ(end.lineage, caller_.lineage);
  ASSERT_TRUE(end.before && end.after);
  EXPECT_EQ(end.before->hash.size(), 64U);
  EXPECT_NE(end.before->hash, end.after->hash);
  EXPECT_EQ(end.query_hash, asked.query_hash);
}

TEST_F(DataModify, RowsThatTriggersChangeCountToo) {
  set_policy(R"({"read_only": false, "max_affected_rows": 5, "require_confirmation": false})");
  writer_->behaviour.besides = 5;
  const JsonValue error = refused(kRename);
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "message"), HasSubstr("5 rows by triggers"));
  EXPECT_EQ(log_->records.back().rule, "max_affected_rows");
  EXPECT_EQ(value("artist", 4, 1), "Queen");
  writer_->behaviour.besides = 4;
  EXPECT_EQ(text(modify(kRename), "status"), "done");
}

TEST_F(DataModify, SmallChangesAddUpBySessionAndHour) {
  set_policy(
      R"({"read_only": false, "require_confirmation": false, "max_affected_rows_per_session": 2})");
  EXPECT_EQ(text(modify(kRename), "status"), "done");
  EXPECT_EQ(text(modify("UPDATE artist SET name = 'R' WHERE artist_id = 5"), "status"), "done");
  EXPECT_EQ(text(refused(kRename), "code"), "denied");
  EXPECT_EQ(log_->records.back().rule, "max_affected_rows_per_session");
  EXPECT_EQ(value("artist", 4, 1), "R");
  set_policy(
      R"({"read_only": false, "require_confirmation": false, "max_affected_rows_per_hour": 3})");
  EXPECT_THAT(text(refused("UPDATE artist SET name = 'S' WHERE artist_id < 3"), "message"),
              HasSubstr("leaves 1 row"));
  EXPECT_EQ(log_->records.back().rule, "max_affected_rows_per_hour");
  EXPECT_EQ(text(modify("UPDATE artist SET name = 'S' WHERE artist_id = 5"), "status"), "done");
  EXPECT_THAT(text(refused(kRename), "message"), HasSubstr("is used up"));
  caller_.identity = "somebody else";
  EXPECT_EQ(text(modify(kRename), "status"), "done");
}

TEST_F(DataModify, RowsThatChangeBesidesAreToldAndConfirmed) {
  writer_->behaviour.besides = 3;
  const JsonValue asked = modify(kRename);
  EXPECT_EQ(number(asked, "estimated"), 1);
  EXPECT_EQ(number(asked, "besides"), 3);
  writer_->behaviour.besides = 4;  // within what is allowed, not what was said
  const JsonValue anew = modify(kRename, "\"confirm\":\"" + text(asked, "confirm") + "\"");
  EXPECT_EQ(text(anew, "status"), "confirmation_required");
  EXPECT_EQ(number(anew, "besides"), 4);
  EXPECT_EQ(writer_->counts().committed, 0);
  set_policy(R"({"read_only": false, "max_affected_rows": 4, "require_confirmation": "two_step"})");
  EXPECT_THAT(text(refused(kRename), "message"), HasSubstr("4 rows by triggers"));  // when tried
}

TEST_F(DataModify, WhatADatabaseStoppedIsRefusedByThePolicy) {
  writer_->behaviour.stops_at = 0;
  const JsonValue error = refused(kRename);
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "message"), HasSubstr("with all that follows"));
  EXPECT_EQ(log_->records.back().rule, "max_affected_rows");
}

TEST_F(DataModify, NobodyConfirmsWhatIsNotShownWhole) {
  caller_.has_person = true;
  const std::string padding(4'000, ' ');
  EXPECT_EQ(text(refused(std::string(kRename) + " /*" + padding + "*/ AND 1 = 1"), "code"),
            "limit_exceeded");
  const std::string sql = "UPDATE artist SET name = ? WHERE name = 'Queen'";
  const std::string value_of_300 = "\"params\":[\"" + std::string(300, 'x') + "\"]";
  EXPECT_EQ(text(refused(sql, value_of_300), "code"), "limit_exceeded");
  caller_.has_person = false;
  EXPECT_EQ(text(modify(sql, value_of_300), "status"), "confirmation_required");
  EXPECT_EQ(writer_->counts().committed, 0);
}

TEST_F(DataModify, ATokenIsForTheSameCallAlone) {
  const std::string sql = "DELETE FROM refund WHERE refund_id = ?";
  const auto ask = [&] { return text(modify(sql, R"("params":[1])"), "confirm"); };
  const auto is_denied = [&](const std::string& statement, const std::string& params) {
    const std::string token = ask();
    return text(refused(statement, params + R"("confirm":")" + token + "\""), "code") == "denied";
  };
  EXPECT_TRUE(is_denied(sql, R"("params":[2],)"));
  EXPECT_TRUE(is_denied(sql, R"("params":["1"],)"));
  EXPECT_TRUE(is_denied("DELETE FROM refund WHERE refund_id < ?", R"("params":[1],)"));
  const std::string good = R"("params":[1],"confirm":")";
  std::string token = ask();
  caller_.identity = "another";
  EXPECT_EQ(text(refused(sql, good + token + "\""), "code"), "denied");
  caller_.identity = "local";
  token = ask();
  caller_.session = "another";
  EXPECT_EQ(text(refused(sql, good + token + "\""), "code"), "denied");
  caller_.session = "default";
  token = ask();
  set_policy(R"({"read_only": false, "max_affected_rows": 7, "require_confirmation": "two_step"})");
  EXPECT_EQ(text(refused(sql, good + token + "\""), "code"), "denied");
  EXPECT_EQ(log_->records.back().confirmation, "refused");
  EXPECT_EQ(log_->records.back().rule, "require_confirmation");
  token = ask();
  env_.clock().advance(Confirmations::kLife);
  EXPECT_EQ(text(refused(sql, good + token + "\""), "code"), "denied");
  EXPECT_EQ(writer_->counts().committed, 0);
}

TEST_F(DataModify, OfTwoCallsWithOneTokenOneIsMade) {
  const std::string given = with_token(kRename, text(modify(kRename), "confirm"));
  std::atomic<int> made{0};
  const auto one = [&] {
    const auto json = parse_json(given);
    made += toolkit_->call("data_modify", *json, caller_, {}).reply.is_error ? 0 : 1;
  };
  std::thread other(one);
  one();
  other.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(writer_->counts().committed, 1);
}

TEST_F(DataModify, APersonIsAskedWhereThereIsOne) {
  caller_.has_person = true;
  const auto json = parse_json(arguments(kRename));
  CallOutcome asked = toolkit_->call("data_modify", *json, caller_, {});
  ASSERT_TRUE(asked.confirmation);
  EXPECT_THAT(asked.confirmation->question, AllOf(HasSubstr("UPDATE 'artist' would change 1 row"),
                                                  HasSubstr("shop"), HasSubstr("SET name = 'Q'")));
  EXPECT_THAT(asked.reply.json, Not(HasSubstr(asked.confirmation->token)));
  // What the model says does not count.
  const JsonValue ignored = call("data_modify", with_token(kRename, asked.confirmation->token));
  EXPECT_EQ(text(ignored, "status"), "confirmation_required");
  EXPECT_THAT(to_json(*ignored.find("warnings")), HasSubstr("a person is asked"));
  caller_.confirmed = asked.confirmation->token;
  EXPECT_EQ(text(call("data_modify", arguments(kRename)), "status"), "done");
  EXPECT_EQ(log_->records.back().confirmation, "person");
}

TEST_F(DataModify, ANoSpendsTheQuestion) {
  caller_.has_person = true;
  const auto json = parse_json(arguments(kRename));
  const CallOutcome asked = toolkit_->call("data_modify", *json, caller_, {});
  ASSERT_TRUE(asked.confirmation);
  caller_.declined = asked.confirmation->token;
  EXPECT_EQ(text(refused(kRename), "code"), "denied");
  EXPECT_EQ(log_->records.back().confirmation, "refused");
  caller_.declined.clear();
  caller_.confirmed = asked.confirmation->token;
  EXPECT_EQ(text(refused(kRename), "code"), "denied");
  EXPECT_EQ(writer_->counts().committed, 0);
}

TEST_F(DataModify, ATokenIsForOneFileWhateverTheFolder) {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "helve-places";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directories(folder / "b");
  std::filesystem::create_directory_symlink(folder / "b", folder / "c");
  shop_->set_uri("sqlite:shop.db");
  open({}, true);
  std::filesystem::current_path(folder / "a");
  std::string token = text(modify(kRename), "confirm");
  std::filesystem::current_path(folder / "b");
  EXPECT_EQ(text(failing("data_modify", with_token(kRename, token)), "code"), "denied");
  token = text(modify(kRename), "confirm");
  std::filesystem::current_path(folder / "c");  // the same place
  EXPECT_EQ(text(call("data_modify", with_token(kRename, token)), "status"), "done");
  std::filesystem::current_path(here);
  std::filesystem::remove_all(folder);
}

TEST_F(DataModify, IsRefusedByDefaultIfNoPersonCanBeAsked) {
  set_policy(R"({"read_only": false})");
  const JsonValue error = refused(kRename);
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "hint"), HasSubstr("require_confirmation = \"two_step\""));
  // A token cannot be had, nor used.
  EXPECT_EQ(error.find("confirm"), nullptr);
  EXPECT_EQ(text(failing("data_modify", with_token(kRename, std::string(32, '0'))), "code"),
            "denied");
  EXPECT_EQ(log_->records.back().rule, "require_confirmation");
  EXPECT_EQ(text(failing("transaction", R"({"action":"begin"})"), "code"), "denied");
  EXPECT_EQ(text(modify(kRename, R"("dry_run":true)"), "status"), "dry_run");
  EXPECT_EQ(writer_->counts().committed, 0);
}

TEST_F(DataModify, AsksThePersonOfTheCaller) {
  set_policy(R"({"read_only": false})");
  std::vector<std::string> questions;
  PersonAnswer answer;
  caller_.ask_person = [&](const ConfirmationRequest& request, const OpContext&) {
    questions.push_back(request.question);
    return answer;
  };
  EXPECT_EQ(text(refused(kRename), "message"), "not applied: the change was declined");
  EXPECT_EQ(log_->records.back().confirmation, "refused");
  answer.unanswered = "nobody answered in time";
  EXPECT_THAT(text(refused(kRename), "message"), HasSubstr("nobody answered in time"));
  EXPECT_EQ(log_->records.back().confirmation, "timeout");
  EXPECT_EQ(writer_->counts().committed, 0);
  answer = {true, {}};
  EXPECT_EQ(text(modify(kRename), "status"), "done");
  EXPECT_EQ(log_->records.back().confirmation, "person");
  ASSERT_EQ(questions.size(), 3U);
  EXPECT_THAT(questions.back(), HasSubstr(kRename));
  EXPECT_EQ(value("artist", 4, 1), "Q");
}

TEST_F(DataModify, ShowsAPersonNoRunsOfBlanks) {
  set_policy(R"({"read_only": false})");
  std::string question;
  caller_.ask_person = [&](const ConfirmationRequest& request, const OpContext&) {
    question = request.question;
    return PersonAnswer{};
  };
  refused(std::string(kRename) + std::string(3'000, ' ') + "OR 1 = 0");
  EXPECT_THAT(question, HasSubstr("'Queen' [3,000 blanks] OR 1 = 0"));
  EXPECT_LT(question.size(), 500U);
}

TEST_F(DataModify, IsMadeAtOnceWhereNoWordIsNeeded) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  EXPECT_EQ(text(modify(kRename), "status"), "done");
  EXPECT_EQ(value("artist", 4, 1), "Q");
  EXPECT_EQ(log_->records.back().confirmation, "not required");
}

TEST_F(DataModify, DryRunsChangeNothing) {
  const JsonValue dry =
      modify("UPDATE track SET unit_price = 0 WHERE album_id = 3", R"("dry_run":true)");
  EXPECT_EQ(text(dry, "status"), "dry_run");
  EXPECT_EQ(number(dry, "estimated"), 24);
  EXPECT_EQ(dry.find("confirm"), nullptr);
  EXPECT_EQ(writer_->counts().committed, 0);
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(DataModify, MoreRowsThanAllowedAreRefusedBeforeAnythingIsTried) {
  set_policy(
      R"({"read_only": false, "max_affected_rows": 10, "require_confirmation": "two_step"})");
  const JsonValue error = refused("DELETE FROM track");
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_THAT(text(error, "message"), AllOf(HasSubstr("more than 10 rows"), HasSubstr("allows")));
  EXPECT_EQ(writer_->counts().ran, 0);
  EXPECT_EQ(log_->records.back().rule, "max_affected_rows");
  EXPECT_EQ(text(refused("INSERT INTO refund SELECT track_id, 1, 'x' FROM track"), "code"),
            "denied");
  EXPECT_EQ(rows("refund"), 0U);
}

TEST_F(DataModify, MoreRowsThanAllowedAreRolledBackWhateverWasEstimated) {
  set_policy(R"({"read_only": false, "require_confirmation": false, "max_affected_rows": 10})");
  writer_->behaviour.affected = 11;
  const JsonValue error = refused(kRename);
  EXPECT_THAT(text(error, "message"), AllOf(HasSubstr("11 rows"), HasSubstr("10 rows")));
  EXPECT_EQ(value("artist", 4, 1), "Queen");
  EXPECT_EQ(writer_->counts().rolled_back, 1);
  EXPECT_EQ(writer_->counts().committed, 0);
  EXPECT_EQ(log_->records.back().affected, 0U);
  set_policy(R"({"read_only": false, "require_confirmation": false, "max_affected_rows": 0})");
  EXPECT_EQ(text(refused(kRename), "code"), "denied");
  EXPECT_EQ(writer_->counts().ran, 1);
  writer_->behaviour.affected.reset();
  writer_->behaviour.hides_affected = true;
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  EXPECT_EQ(text(refused(kRename), "code"), "unavailable");
  EXPECT_EQ(value("artist", 4, 1), "Queen");
}

TEST_F(DataModify, AsksAnewWhereOthersChangedTheRows) {
  const std::string sql = "DELETE FROM artist WHERE artist_id > 3";
  const std::string token = text(modify(sql), "confirm");
  auto tables = *shop_->content();
  tables[0].rows.push_back({helve::testing::integer_value(6), helve::testing::text_value("New")});
  shop_->set_content(tables);
  const JsonValue anew = call("data_modify", with_token(sql, token));
  EXPECT_EQ(text(anew, "status"), "confirmation_required");
  EXPECT_EQ(number(anew, "estimated"), 3);
  EXPECT_EQ(rows("artist"), 6U);
  EXPECT_EQ(writer_->counts().committed, 0);
  EXPECT_EQ(text(call("data_modify", with_token(sql, text(anew, "confirm"))), "status"), "done");
  EXPECT_EQ(rows("artist"), 3U);
}

TEST_F(DataModify, ErrorsRollBack) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  const JsonValue error = refused("UPDATE artist SET artist_id = 1 WHERE artist_id > 3");
  EXPECT_EQ(text(error, "code"), "invalid_input");
  EXPECT_EQ(value("artist", 3, 0), "4");
  EXPECT_EQ(writer_->counts().rolled_back, 1);
  const JsonValue unknown = refused("UPDATE artist SET nmae = 'x' WHERE artist_id = 1");
  EXPECT_EQ(text(unknown, "code"), "not_found");
  EXPECT_THAT(to_json(*unknown.find("did_you_mean")), HasSubstr("name"));
  EXPECT_THAT(text(refused("SELECT 1"), "hint"), HasSubstr("query_execute"));
  EXPECT_EQ(text(refused("DELETE FROM artist; DELETE FROM album"), "code"), "invalid_input");
  writer_->behaviour.fails_roll_back = true;
  writer_->behaviour.run_error = Error{ErrorCode::Unavailable, "gone"};
  EXPECT_THAT(reply("data_modify", arguments(kRename)).json, HasSubstr("rolling back failed"));
  EXPECT_EQ(writer_->counts().open, 0);
  EXPECT_TRUE((*toolkit_->handles(caller_, {}))->list().empty());
}

TEST_F(DataModify, CancelledCallsChangeNothing) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  OpContext op;
  writer_->behaviour.before_begin = [&] { op.cancel.cancel(); };
  const auto outcome = toolkit_->call("data_modify", *parse_json(arguments(kRename)), caller_, op);
  EXPECT_EQ(outcome.reply.code, ErrorCode::Cancelled);
  EXPECT_EQ(value("artist", 4, 1), "Queen");
  writer_->behaviour.before_begin = [&] { env_.clock().advance(std::chrono::seconds(31)); };
  EXPECT_EQ(text(refused(kRename), "code"), "limit_exceeded");
  EXPECT_EQ(value("artist", 4, 1), "Queen");
  EXPECT_EQ(writer_->counts().open, 0);
}

TEST_F(DataModify, WhatCannotBeRecordedIsRolledBack) {
  const std::string token = text(modify(kRename), "confirm");
  log_->records_max = 1;
  const JsonValue error = failing("data_modify", with_token(kRename, token));
  EXPECT_EQ(text(error, "code"), "unavailable");
  EXPECT_EQ(value("artist", 4, 1), "Queen");
  EXPECT_EQ(writer_->counts().committed, 0);
  EXPECT_TRUE((*toolkit_->handles(caller_, {}))->list().empty());
}

TEST_F(DataModify, AChangeWhoseEndCannotBeRecordedIsTold) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  log_->records_max = 1;  // the intent
  const JsonValue done = modify(kRename);
  EXPECT_EQ(text(done, "status"), "done");
  EXPECT_THAT(to_json(*done.find("warnings")), HasSubstr(log_->records[0].call_id));
}

TEST_F(DataModify, NeedsAnAuditUnlessThePolicyGoesWithout) {
  open({}, false);
  EXPECT_THAT(text(refused(kRename), "hint"), HasSubstr("--audit"));
  set_policy(R"({"read_only": false, "require_confirmation": false, "audit": "off"})");
  EXPECT_EQ(text(modify(kRename), "status"), "done");
  open({}, true);
  EXPECT_EQ(text(modify("UPDATE artist SET name = 'R' WHERE name = 'Q'"), "status"), "done");
  EXPECT_TRUE(log_->records.empty());
  set_policy(R"({"read_only": false, "require_confirmation": false, "audit": "fingerprint"})");
  modify("UPDATE artist SET name = 'S' WHERE name = 'R'");
  ASSERT_EQ(log_->records.size(), 2U);
  EXPECT_EQ(log_->records[0].query, "");
  EXPECT_EQ(log_->records[1].affected, 1U);
}

TEST_F(DataModify, AnUnknownEndIsSaid) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  writer_->behaviour.loses_commit = true;
  const JsonValue error = refused(kRename);
  EXPECT_EQ(text(error, "code"), "unavailable");
  EXPECT_THAT(text(error, "message"), HasSubstr("not known"));
  EXPECT_THAT(text(error, "hint"), HasSubstr("query_execute"));
  EXPECT_EQ(log_->records.back().verdict, "unknown");
  EXPECT_EQ(log_->records.back().affected, 1U);
  writer_->behaviour.loses_commit = false;
  writer_->behaviour.commit_error = Error{ErrorCode::InvalidInput, "a constraint is not met"};
  EXPECT_EQ(text(refused("DELETE FROM artist WHERE artist_id = 1"), "code"), "invalid_input");
  EXPECT_EQ(rows("artist"), 5U);
}

TEST_F(DataModify, KeepsRowsWithinBounds) {
  set_policy(
      R"({"read_only": false, "require_confirmation": false, "snapshot_rows": 3,
          "denied_columns": ["track.lyrics"]})");
  const JsonValue some = modify("UPDATE track SET unit_price = 5 WHERE album_id = 1");
  EXPECT_EQ(number(some, "affected"), 24);
  EXPECT_EQ(number(*some.find("before"), "rows"), 3);
  EXPECT_FALSE(flag(*some.find("before"), "complete"));
  EXPECT_THAT(to_json(*some.find("warnings")), HasSubstr("at most 3 rows"));
  EXPECT_THAT(handle(some, "before"), AllOf(HasSubstr("0.99"), Not(HasSubstr("www"))));
  EXPECT_THAT(handle(some, "after"), AllOf(HasSubstr("5"), Not(HasSubstr("www"))));
  set_policy(R"({"read_only": false, "require_confirmation": false, "snapshot_rows": 0})");
  const JsonValue none = modify("DELETE FROM album WHERE album_id = 9");
  EXPECT_EQ(none.find("before"), nullptr);
  EXPECT_THAT(text(none, "before_none"), HasSubstr("snapshot_rows"));
}

TEST_F(DataModify, KeepsWhatIsInserted) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  const JsonValue added = modify("INSERT INTO artist (name) VALUES ('A'), ('B'); -- two");
  EXPECT_EQ(number(added, "affected"), 2);
  EXPECT_THAT(handle(added, "after"), AllOf(HasSubstr("\\\"A\\\""), HasSubstr("\\\"B\\\"")));
  EXPECT_THAT(text(added, "before_none"), HasSubstr("INSERT"));
  const JsonValue own = modify("INSERT INTO artist (name) VALUES ('C') RETURNING artist_id");
  EXPECT_EQ(handle(own, "returned"), R"([["8"]])");
  writer_->behaviour.has_returning = false;
  const JsonValue bare = modify("INSERT INTO artist (name) VALUES ('D')");
  EXPECT_EQ(text(bare, "status"), "done");
  EXPECT_THAT(text(bare, "after_none"), HasSubstr("give back"));
  const JsonValue gone = modify("DELETE FROM artist WHERE name IN ('A', 'B')");
  EXPECT_THAT(handle(gone, "before"), HasSubstr("\\\"A\\\""));
  EXPECT_THAT(text(gone, "after_none"), HasSubstr("gone"));
  const JsonValue moved = modify("UPDATE artist SET artist_id = 90 WHERE artist_id = 5");
  EXPECT_THAT(text(moved, "after_none"), HasSubstr("primary key"));
}

TEST_F(DataModify, ParametersReachTheRowsThatAreKept) {
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  const JsonValue done = modify("UPDATE artist SET name = ? WHERE artist_id = ? AND name <> ?",
                                R"("params":["X", 2, "Y"])");
  EXPECT_EQ(handle(done, "before"), R"([["2","\"Accept\""]])");
  EXPECT_EQ(handle(done, "after"), R"([["2","\"X\""]])");
}

TEST_F(DataModify, SaysWhereAllRowsAreTaken) {
  const JsonValue asked = modify("UPDATE artist SET name = 'x'");
  EXPECT_TRUE(flag(asked, "all_rows"));
  EXPECT_THAT(to_json(*asked.find("warnings")), HasSubstr("all rows of 'artist'"));
  const auto outcome =
      toolkit_->call("data_modify", *parse_json(arguments("DELETE FROM artist")), caller_, {});
  EXPECT_THAT(outcome.confirmation->question, HasSubstr("all rows: 5 rows"));
  EXPECT_EQ(modify(kRename).find("all_rows"), nullptr);
}

TEST_F(DataModify, FeedsMustBeWhole) {
  const std::string few = text(
      call("query_execute", R"({"sql":"SELECT artist_id AS id FROM artist WHERE artist_id < 3"})"),
      "key");
  const std::string none = text(
      call("query_execute", R"({"sql":"SELECT artist_id AS id FROM artist WHERE 1 = 0"})"), "key");
  set_policy(R"({"read_only": false, "require_confirmation": false})");
  const JsonValue error = refused("DELETE FROM artist WHERE artist_id NOT IN (@" + none + ".id)");
  EXPECT_EQ(text(error, "code"), "invalid_input");
  EXPECT_THAT(text(error, "message"), HasSubstr("empty"));
  EXPECT_EQ(rows("artist"), 5U);
  const JsonValue done = modify("DELETE FROM artist WHERE artist_id NOT IN (@" + few + ".id)");
  EXPECT_EQ(number(done, "affected"), 3);
  EXPECT_EQ(rows("artist"), 2U);
}

TEST_F(DataModify, WhatCannotBeTriedIsCountedOrUnknown) {
  writer_->behaviour.can_try = false;
  writer_->behaviour.notes = {"the trigger log_it runs"};
  const JsonValue counted = modify("DELETE FROM album WHERE artist_id = 1");
  EXPECT_EQ(number(counted, "estimated"), 2);
  EXPECT_EQ(text(counted, "estimate_is"), "estimate");
  EXPECT_THAT(to_json(*counted.find("warnings")), HasSubstr("log_it"));
  EXPECT_EQ(writer_->counts().ran, 0);
  const JsonValue made = modify("INSERT INTO refund SELECT artist_id, 1, name FROM artist");
  EXPECT_EQ(number(made, "estimated"), 5);  // by its query
  EXPECT_EQ(text(made, "estimate_is"), "estimate");
  const std::string copy = "INSERT OR IGNORE INTO refund SELECT artist_id, 1, name FROM artist";
  const JsonValue unknown = modify(copy);
  EXPECT_EQ(text(unknown, "estimate_is"), "unknown");
  EXPECT_EQ(unknown.find("estimated"), nullptr);
  EXPECT_EQ(text(call("data_modify", with_token(copy, text(unknown, "confirm"))), "status"),
            "done");
  writer_->behaviour.estimated_rows = 2'000;
  EXPECT_EQ(text(refused(copy), "code"), "denied");
}

TEST_F(DataModify, WhatCannotBeRolledBackIsCountedAndRecordedFirst) {
  set_policy(R"({"read_only": false, "require_confirmation": false, "max_affected_rows": 10})");
  writer_->behaviour.can_roll_back = false;
  EXPECT_EQ(text(refused("INSERT INTO refund SELECT artist_id, 1, name FROM artist"), "code"),
            "denied");
  EXPECT_EQ(text(refused("DELETE FROM track"), "code"), "denied");
  EXPECT_EQ(writer_->counts().ran, 0);
  const JsonValue done = modify(kRename);
  EXPECT_EQ(text(done, "status"), "done");
  EXPECT_THAT(to_json(*done.find("warnings")), HasSubstr("cannot be rolled back"));
  log_->records_max = log_->records.size();
  EXPECT_EQ(text(refused("DELETE FROM album WHERE album_id = 1"), "code"), "unavailable");
  EXPECT_EQ(rows("album"), 10U);
}

TEST_F(DataModify, RepliesAreBounded) {
  const std::string sql = "UPDATE customer SET email = '" + std::string(20'000, 'x') + "'";
  const auto outcome = toolkit_->call("data_modify", *parse_json(arguments(sql)), caller_, {});
  EXPECT_LE(outcome.reply.json.size(), 2'100U);
  EXPECT_LE(outcome.reply.text.size(), 2'100U);
  ASSERT_TRUE(outcome.confirmation);
  EXPECT_LE(outcome.confirmation->question.size(), 4'500U);
  EXPECT_THAT(outcome.reply.json, HasSubstr(outcome.confirmation->token));
}

class DdlExecute : public WriteTest {
 protected:
  DdlExecute() {
    set_policy(R"({"read_only": false, "allow_ddl": true, "require_confirmation": false})");
  }
};

TEST_F(DdlExecute, ChangesTables) {
  const JsonValue made =
      call("ddl_execute", arguments("CREATE TABLE note (id integer, what text)"));
  EXPECT_EQ(text(made, "status"), "done");
  EXPECT_EQ(text(made, "action"), "CREATE TABLE");
  EXPECT_EQ(rows("note"), 0U);
  EXPECT_EQ(log_->records.front().kind, AuditKind::Intent);
  EXPECT_GT(shop_->fresh_reads(), 0U);
  call("ddl_execute", arguments("DROP TABLE note"));
  EXPECT_EQ(rows("note"), SIZE_MAX);
}

TEST_F(DdlExecute, AsksForAWord) {
  set_policy(R"({"read_only": false, "allow_ddl": true, "require_confirmation": "two_step"})");
  const std::string sql = "DROP TABLE refund";
  const JsonValue asked = call("ddl_execute", arguments(sql));
  EXPECT_EQ(text(asked, "status"), "confirmation_required");
  EXPECT_EQ(rows("refund"), 0U);
  const std::string token = text(asked, "confirm");
  // For the same tool alone.
  EXPECT_EQ(text(failing("data_modify", with_token(sql, token)), "code"), "invalid_input");
  EXPECT_EQ(text(call("ddl_execute", with_token(sql, token)), "status"), "done");
  EXPECT_EQ(rows("refund"), SIZE_MAX);
}

TEST_F(DdlExecute, TablesDoNotTakeMoreRowsWithThemThanAllowed) {
  set_policy(
      R"({"read_only": false, "allow_ddl": true, "require_confirmation": false,
          "max_affected_rows": 100})");
  const JsonValue error = failing("ddl_execute", arguments("DROP TABLE track"));
  EXPECT_EQ(text(error, "code"), "denied");
  EXPECT_EQ(log_->records.back().rule, "max_affected_rows");
  EXPECT_EQ(rows("track"), 240U);
  EXPECT_EQ(text(call("ddl_execute", arguments("DROP TABLE artist")), "status"), "done");
}

TEST_F(DdlExecute, RowsOfDroppedTablesAddUp) {
  const std::size_t artists = rows("artist");
  set_policy(fmt::format(R"({{"read_only": false, "allow_ddl": true, "require_confirmation": false,
          "max_affected_rows_per_session": {}}})",
                         artists));
  EXPECT_EQ(text(call("ddl_execute", arguments("DROP TABLE artist")), "status"), "done");
  EXPECT_EQ(text(failing("ddl_execute", arguments("DROP TABLE album")), "code"), "denied");
  EXPECT_EQ(log_->records.back().rule, "max_affected_rows_per_session");
  EXPECT_NE(rows("album"), SIZE_MAX);
}

TEST_F(DdlExecute, EachToolNamesTheOther) {
  EXPECT_THAT(text(failing("ddl_execute", arguments(kRename)), "hint"), HasSubstr("data_modify"));
  EXPECT_THAT(text(refused("DROP TABLE refund"), "hint"), HasSubstr("ddl_execute"));
  set_policy(R"({"read_only": false, "require_confirmation": "two_step"})");
  EXPECT_THAT(text(refused("DROP TABLE refund"), "hint"), HasSubstr("allow_ddl"));
  EXPECT_EQ(text(failing("ddl_execute", arguments("DROP TABLE refund")), "code"), "denied");
  EXPECT_EQ(log_->records.back().rule, "allow_ddl");
  EXPECT_EQ(rows("refund"), 0U);
}

}  // namespace
}  // namespace helve::toolkit
