#include "toolkit/audit/record_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "toolkit/audit/audit_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

JsonValue parsed(const std::string& members) {
  auto json = parse_json("{" + members + "}");
  EXPECT_TRUE(json) << members;
  return json ? *std::move(json) : JsonValue();
}

TEST(RecordText, TellsWhatAWriteDid) {
  AuditRecord record = record_of("data_modify");
  record.kind = AuditKind::Intent;
  record.verdict = "";
  record.rule = "max_affected_rows";
  record.call_id = "c1";
  record.transaction = "t1";
  record.estimated = 3;
  record.affected = 0;
  record.confirmation = "token";
  record.before = {"results_1", "aa"};
  record.after = {"results_2", "bb"};
  record.lineage = {{"prompt", "p-17"}, {"trace", "t-4"}};
  EXPECT_EQ(
      record_text(record, false),
      R"("kind":"intent","at":"2025-01-01T00:00:00.250Z","identity":"local","session":"default",)"
      R"("tool":"data_modify","source":"","query_hash":"","query":"SELECT *\n{ ?s ?p \"é\" }",)"
      R"("verdict":"","rule":"max_affected_rows","rows":7,"reply_chars":0,"ms":1.5,)"
      R"("call_id":"c1","transaction":"t1","estimated":3,"affected":0,"confirmation":"token",)"
      R"("before":{"handle":"results_1","hash":"aa"},"after":{"handle":"results_2","hash":"bb"},)"
      R"("lineage":{"prompt":"p-17","trace":"t-4"})");
}

TEST(RecordText, OfWhatNobodyCalledFor) {
  AuditRecord record = record_of("transaction");
  record.kind = AuditKind::Event;
  record.query = "";
  record.verdict = "rolled_back";
  record.reason = "it was idle for 60 s";
  record.transaction = "t1";
  record.affected = 0;
  EXPECT_EQ(
      record_text(record, false),
      R"("kind":"event","at":"2025-01-01T00:00:00.250Z","identity":"local","session":"default",)"
      R"("tool":"transaction","source":"","query_hash":"","verdict":"rolled_back",)"
      R"("reason":"it was idle for 60 s","transaction":"t1","affected":0)");
}

TEST(RecordText, HashOfTheQueryAloneStandsWhereThereIsOne) {
  AuditRecord record = record_of("sparql_query");
  EXPECT_THAT(record_text(record, true), Not(HasSubstr("query_sha256")));
  record.query_hash = "00ff";
  record.query_sha256 = "abcd";
  EXPECT_THAT(record_text(record, true), HasSubstr(R"("query_hash":"00ff","query_sha256":"abcd")"));
}

TEST(RecordText, KeepsTheStartOfALongQuery) {
  AuditRecord record = record_of("a");
  record.query = "x";
  for (int i = 0; i < 20'000; ++i) record.query += "\xC3\xA9";
  const std::string text = record_text(record, false);
  EXPECT_LT(text.size(), 17'000U);
  EXPECT_THAT(text, HasSubstr(R"("query_bytes":40001)"));
  EXPECT_THAT(text, Not(HasSubstr("\xEF\xBF\xBD")));  // not cut within a character
}

TEST(RecordText, IsBoundedWhateverComes) {
  const std::string hostile(1'000'000, '\x01');
  AuditRecord record = record_of(hostile);
  record.identity = record.session = record.source = record.query_hash = record.query = hostile;
  record.query_sha256 = hostile;
  record.verdict = record.rule = record.call_id = record.transaction = hostile;
  record.confirmation = record.reason = hostile;
  record.before = record.after = AuditSnapshot{hostile, hostile};
  for (int i = 0; i < 100; ++i) record.lineage.emplace_back(std::to_string(i) + hostile, hostile);
  const std::string text = record_text(record, false);
  EXPECT_LT(text.size(), 300 * kKiB);
  const JsonValue json = parsed(text);
  EXPECT_EQ(json.find("lineage")->if_object()->size(), kAuditLineageMax);
  for (const auto& [name, value] : *json.find("lineage")->if_object()) {
    EXPECT_EQ(name.size(), kAuditLineageChars);
    EXPECT_EQ(value.if_string()->size(), kAuditLineageChars);
  }
}

TEST(RecordText, NamesThatComeTwiceAreOne) {
  AuditRecord record = record_of("a");
  record.lineage = {{"a", "1"}, {"a", "2"}, {"\xFF", "3"}, {"\xFE", "4"}, {"", "5"}};
  const JsonValue json = parsed(record_text(record, false));
  EXPECT_EQ(to_json(*json.find("lineage")), R"({"a":"1","�":"3","":"5"})");
}

TEST(RecordText, SecretsOfKnownFormsAreLeftOut) {
  const std::string secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
  AuditRecord record = record_of("call " + secret);
  record.query = "SELECT '" + secret + "'";
  record.lineage = {{"token", secret}};
  const std::string text = record_text(record, false);
  EXPECT_THAT(text, Not(HasSubstr(secret.substr(0, 20)))) << text;
  EXPECT_THAT(text, HasSubstr("[redacted]"));
}

TEST(RecordText, OfTheFileItself) {
  const WallTime at{};
  EXPECT_EQ(
      header_text(at, ""),
      R"("kind":"header","at":"1970-01-01T00:00:00.000Z","format":"helve audit","keyed":false)");
  EXPECT_THAT(header_text(at, "ab"), HasSubstr(R"("keyed":true,"key_id":"ab")"));
  EXPECT_THAT(recovered_text(at, "x"), HasSubstr(R"("bytes":1,"sha256":"2d711642b726)"));
  EXPECT_LT(recovered_text(at, std::string(100'000, '\0')).size(), 7'000U);
  parsed(recovered_text(at, "\xFF\x00\"{"));
  parsed(failure_text(at, 3, "disk full"));
  parsed(cut_text(at, 3, "aa"));
  parsed(headless_text(at));
}

}  // namespace
}  // namespace helve::toolkit
