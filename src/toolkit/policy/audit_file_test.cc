#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/support/fake_env.h"
#include "toolkit/policy/audit.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

AuditRecord record_of(std::string tool) {
  AuditRecord record;
  record.at = WallTime(std::chrono::milliseconds(1'735'689'600'250));
  record.identity = "local";
  record.session = "default";
  record.tool = std::move(tool);
  record.query = "SELECT *\n{ ?s ?p \"\xC3\xA9\" }";
  record.verdict = "ok";
  record.rows = 7;
  record.ms = 1.5;
  return record;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(AuditFile, WritesOneLineOfJsonForEachRecord) {
  FakeEnv env;
  auto audit = open_audit_file("audit.jsonl", env);
  ASSERT_TRUE(audit) << audit.error().to_string();
  ASSERT_TRUE((*audit)->write(record_of("sparql_query")));
  ASSERT_TRUE((*audit)->write(record_of("sparql_peek")));
  // Read while it is open: every record is flushed.
  const std::string text = *env.files().content("audit.jsonl");
  EXPECT_EQ(lines_in(text), 2U);
  const auto first = parse_json(text.substr(0, text.find('\n')), {});
  ASSERT_TRUE(first) << text;
  EXPECT_THAT(text, HasSubstr(R"("at":"2025-01-01T00:00:00.250Z","identity":"local")"));
  EXPECT_THAT(text, HasSubstr(R"("tool":"sparql_query")"));
  EXPECT_THAT(text, HasSubstr(R"("rows":7,"reply_chars":0,"ms":1.5)"));
}

TEST(AuditFile, AppendsToWhatIsThere) {
  FakeEnv env;
  env.files().put("audit.jsonl", "{}\n{\"torn");
  auto audit = open_audit_file("audit.jsonl", env);
  ASSERT_TRUE(audit) << audit.error().to_string();
  ASSERT_TRUE((*audit)->write(record_of("a")));
  EXPECT_THAT(*env.files().content("audit.jsonl"), ::testing::StartsWith("{}\n{\"torn\n{\"at\":"));
}

TEST(AuditFile, KeepsTheStartOfALongQuery) {
  FakeEnv env;
  auto audit = open_audit_file("audit.jsonl", env);
  ASSERT_TRUE(audit);
  AuditRecord record = record_of("a");
  record.query = "x";
  for (int i = 0; i < 20'000; ++i) record.query += "\xC3\xA9";
  ASSERT_TRUE((*audit)->write(record));
  const std::string text = *env.files().content("audit.jsonl");
  EXPECT_LT(text.size(), 17'000U);
  EXPECT_THAT(text, HasSubstr(R"("query_bytes":40001)"));
  EXPECT_EQ(text.find("\xEF\xBF\xBD"), std::string::npos);  // not cut within a character
}

TEST(AuditFile, RefusesWhatItCannotOpen) {
  FakeEnv env;
  env.files().deny("audit.jsonl");
  const auto denied = open_audit_file("audit.jsonl", env);
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, ErrorCode::Denied);
  EXPECT_THAT(denied.error().message, HasSubstr("audit.jsonl"));

  const auto homeless = open_audit_file("no/such/folder/audit.jsonl", env);
  ASSERT_FALSE(homeless);
  EXPECT_EQ(homeless.error().code, ErrorCode::Unavailable);

  ASSERT_TRUE(env.files().make_directories("folder"));
  const auto folder = open_audit_file("folder", env);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::Denied);
}

TEST(AuditFile, FailsClosedWhileTheDiskIsFullAndRecovers) {
  FakeEnv env;
  auto audit = open_audit_file("audit.jsonl", env);
  ASSERT_TRUE(audit);
  env.files().disk_full_after(10);
  const auto full = (*audit)->write(record_of("lost"));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::Unavailable);
  // The half-written line cannot be ended either: nothing may run.
  EXPECT_FALSE((*audit)->check());
  env.files().unlimited_disk();
  EXPECT_TRUE((*audit)->check());
  ASSERT_TRUE((*audit)->write(record_of("kept")));
  const std::string text = *env.files().content("audit.jsonl");
  EXPECT_EQ(lines_in(text), 2U) << text;
  EXPECT_THAT(text, HasSubstr("\n{\"at\":"));
}

TEST(AuditFile, ChecksThatTheFileCanStillBeWritten) {
  FakeEnv env;
  auto audit = open_audit_file("audit.jsonl", env);
  ASSERT_TRUE(audit);
  EXPECT_TRUE((*audit)->check());
  env.files().deny("audit.jsonl");
  EXPECT_FALSE((*audit)->check());
  EXPECT_FALSE((*audit)->write(record_of("a")));
}

TEST(AuditFile, StartsAnewWhereTheFileWasMovedAway) {
  FakeEnv env;
  auto audit = open_audit_file("audit.jsonl", env);
  ASSERT_TRUE(audit);
  ASSERT_TRUE((*audit)->write(record_of("before")));
  ASSERT_TRUE(env.files().rename("audit.jsonl", "audit.1.jsonl"));
  ASSERT_TRUE((*audit)->check());
  ASSERT_TRUE((*audit)->write(record_of("after")));
  EXPECT_THAT(*env.files().content("audit.jsonl"), HasSubstr("\"after\""));
  EXPECT_THAT(*env.files().content("audit.1.jsonl"), ::testing::Not(HasSubstr("\"after\"")));
}

}  // namespace
}  // namespace helve::toolkit
