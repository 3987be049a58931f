#include "toolkit/audit/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toolkit/audit/audit_testing.h"
#include "toolkit/audit/chain.h"

namespace helve::toolkit {
namespace {

JsonValue record(const std::string& text) { return *parse_json(text); }

TEST(AuditSearch, EveryWordOfTheFilterBinds) {
  const JsonValue one =
      record(R"({"v":1,"seq":3,"prev":"needle","kind":"call","at":"2026-01-31T12:30:00.250Z",)"
             R"("identity":"anna","session":"s1","tool":"call_tool sparql_query","source":"zoo",)"
             R"("query":"SELECT ?Name","verdict":"denied","lineage":{"prompt":"p-17"},)"
             R"("query_sha256":"0123456789abcdef","hash":"needle"})");
  EXPECT_TRUE(matches({}, one));
  const auto with = [&one](auto member, const std::string& value) {
    AuditFilter filter;
    filter.*member = value;
    EXPECT_FALSE(filter.is_empty());
    return matches(filter, one);
  };
  using F = AuditFilter;
  const std::vector<std::tuple<std::string F::*, const char*, const char*>> words = {
      {&F::caller, "anna", "ann"},
      {&F::session, "s1", "s2"},
      {&F::tool, "sparql_query", "query"},
      {&F::tool, "call_tool sparql_query", "call"},
      {&F::source, "zoo", "shop"},
      {&F::verdict, "denied", "ok"},
      {&F::kind, "call", "intent"},
      {&F::since, "2026-01-31", "2026-02"},
      {&F::since, "2026-01-31T12:30", "2026-01-31T12:30:01"},
      {&F::until, "2026-01-31", "2026-01-30"},
      {&F::until, "2026-01", "2025"},
      {&F::until, "2026-01-31T12:30:00.250", "2026-01-31T12:30:00.249"},
      {&F::text, "select ?NAME", "needle"},
      {&F::text, "P-17", "p-18"},
      {&F::text, "0123456789AB", "0123456"},
      {&F::text, "01234567", "12345678"},
  };
  for (const auto& [member, yes, no] : words) {
    EXPECT_TRUE(with(member, yes)) << yes;
    EXPECT_FALSE(with(member, no)) << no;
  }
}

TEST(AuditSearch, RecordsOfWrongTypesAreNoMatches) {
  AuditFilter filter;
  filter.caller = "anna";
  EXPECT_FALSE(matches(filter, record(R"({"identity":7})")));
  EXPECT_FALSE(matches(filter, record("{}")));
  EXPECT_EQ(audit_text(record(R"({"a":1})"), "a"), "");
  EXPECT_EQ(audit_number(record(R"({"a":"1"})"), "a"), 0U);
}

TEST(AuditSearch, TimesAsPeopleWriteThem) {
  for (const auto& [given, meant] : std::vector<std::pair<std::string, std::string>>{
           {"2026", "2026"},
           {"2026-01", "2026-01"},
           {"2026-01-31", "2026-01-31"},
           {"2026-01-31Z", "2026-01-31"},
           {"2026-01-31 12:30", "2026-01-31T12:30"},
           {"2026-01-31T12:30:05Z", "2026-01-31T12:30:05"},
           {"2026-01-31T12:30:05.25Z", "2026-01-31T12:30:05.25"}}) {
    const auto read = parse_audit_time(given);
    ASSERT_TRUE(read) << given;
    EXPECT_EQ(*read, meant);
  }
  for (const char* wrong : {"", "1", "20260131", "2026-1-31", "2026-01-3", "2026-01-31T", "now",
                            "2026-01-31T12:30:05.1234", "2026/01/31", "2026-01-31T12:30+01:00"}) {
    EXPECT_FALSE(parse_audit_time(wrong)) << wrong;
  }
}

TEST(AuditLines, AreReadInBoundedMemory) {
  const std::string text =
      "one\n\n" + std::string(3 * kMiB, 'x') + "\n" + std::string(2, '\0') + "\nend";
  StringSource source(text);
  AuditLineReader lines(source);
  const auto next = [&lines] { return **lines.next(); };
  EXPECT_EQ(next().text, "one");
  EXPECT_EQ(next().text, "");
  const AuditLine huge = next();
  EXPECT_TRUE(huge.is_too_long);
  EXPECT_LE(huge.text.size(), kAuditLineBytesMax);
  EXPECT_EQ(huge.end - huge.begin, 3 * kMiB + 1);
  EXPECT_FALSE(read_audit_record(huge));
  EXPECT_FALSE(huge.has_zero);
  EXPECT_TRUE(next().has_zero);
  const AuditLine last = next();
  EXPECT_EQ(last.text, "end");
  EXPECT_FALSE(last.is_complete);
  EXPECT_FALSE(lines.next()->has_value());
}

TEST(AuditLines, TheLastOnesAreFoundFromTheEnd) {
  FakeSharedFiles files;
  std::string text;
  std::vector<std::uint64_t> begins;
  for (int i = 0; i < 2'000; ++i) {
    begins.push_back(text.size());
    text += std::string(static_cast<std::size_t>(i % 150), 'x') + "\n";
  }
  for (const bool is_torn : {false, true}) {
    if (is_torn) {
      begins.push_back(text.size());
      text += "torn";
    }
    files.put("a", text);
    const auto file = *files.open("a", SharedFileMode::Read);
    for (const std::size_t count : {1U, 2U, 3U, 10U, 700U, 1'999U, 2'000U}) {
      EXPECT_EQ(*find_last_lines(*file, count), begins[begins.size() - count]) << count;
    }
    EXPECT_EQ(*find_last_lines(*file, 5'000), 0U);
    EXPECT_EQ(*find_last_lines(*file, 0), text.size());
  }
  files.put("empty", "");
  EXPECT_EQ(*find_last_lines(**files.open("empty", SharedFileMode::Read), 3), 0U);
}

}  // namespace
}  // namespace helve::toolkit
