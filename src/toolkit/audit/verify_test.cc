#include "toolkit/audit/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toolkit/audit/audit_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kKey = "0123456789abcdef0123456789abcdef";

// A file of ten records and a header, keyed or not, and what is done to it.
class VerifyTest : public ::testing::TestWithParam<const char*> {
 protected:
  VerifyTest() {
    auto audit = open_audit_file("audit.jsonl", env_, {GetParam(), false}, files_);
    EXPECT_TRUE(audit);
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE((*audit)->write(record_of("tool" + std::to_string(i))));
    }
    lines_ = lines_of(*files_.content("audit.jsonl"));
    end_.head_text = files_.content("audit.jsonl.head");
  }

  std::string fault(const std::vector<std::string>& lines) const {
    return fault_of(verify_texts({{"audit.jsonl", joined(lines)}}, end_, GetParam()));
  }

  FakeEnv env_;
  FakeSharedFiles files_;
  std::vector<std::string> lines_;
  AuditEnd end_;
};

INSTANTIATE_TEST_SUITE_P(Keys, VerifyTest, ::testing::Values("", kKey));

TEST_P(VerifyTest, AcceptsWhatWasWritten) {
  const AuditReport report = verify_texts({{"audit.jsonl", joined(lines_)}}, end_, GetParam());
  EXPECT_EQ(fault_of(report), "");
  EXPECT_EQ(report.records, 11U);
  EXPECT_EQ(report.last->seq, 10U);
  EXPECT_FALSE(report.before);
  EXPECT_EQ(report.first_at, "2025-01-01T00:00:00.000Z");
  EXPECT_EQ(report.last_at, "2025-01-01T00:00:00.250Z");
  EXPECT_TRUE(report.notes.empty());
}

TEST_P(VerifyTest, FindsEveryChangedByte) {
  for (std::size_t n = 0; n < lines_.size(); ++n) {
    for (std::size_t at = 0; at < lines_[n].size(); at += 3) {
      auto edited = lines_;
      edited[n][at] = edited[n][at] == '7' ? '8' : '7';
      const std::string found = fault(edited);
      EXPECT_THAT(found, HasSubstr(" at line " + std::to_string(n + 1) + ":")) << n << ' ' << at;
    }
  }
}

TEST_P(VerifyTest, FindsEveryDeletedRecord) {
  for (std::size_t n = 0; n + 1 < lines_.size(); ++n) {
    auto fewer = lines_;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(n));
    const std::string line = " at line " + std::to_string(n + 1) + ":";
    EXPECT_THAT(fault(fewer), StartsWith((n == 0 ? "damaged" : "missing") + line)) << n;
  }
}

TEST_P(VerifyTest, FindsEveryTruncation) {
  for (std::size_t n = 1; n < lines_.size(); ++n) {
    auto fewer = lines_;
    fewer.resize(n);
    EXPECT_THAT(fault(fewer), StartsWith("truncated")) << n;
  }
  EXPECT_THAT(fault({}), StartsWith("empty"));
  AuditVerifier gone(ChainHash(GetParam()), end_);
  gone.miss("audit.jsonl");
  EXPECT_THAT(fault_of(gone.finish()), HasSubstr("goes up to record 10"));
}

TEST_P(VerifyTest, FindsATruncationAtEveryByte) {
  const std::string text = joined(lines_);
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const auto report = verify_texts({{"a", text.substr(0, size)}}, end_, GetParam());
    EXPECT_THAT(fault_of(report), AnyOf(StartsWith("truncated"), StartsWith("empty"),
                                        StartsWith("damaged at line 1")))
        << size;
  }
}

TEST_P(VerifyTest, FindsEverySwapAndCopy) {
  for (std::size_t n = 1; n < lines_.size(); ++n) {
    auto copied = lines_;
    copied.insert(copied.begin() + static_cast<std::ptrdiff_t>(n) + 1, lines_[n]);
    EXPECT_THAT(fault(copied), StartsWith("repeated at line " + std::to_string(n + 2))) << n;
    auto appended = lines_;
    appended.push_back(lines_[n]);
    EXPECT_THAT(fault(appended), StartsWith("repeated at line 12")) << n;
    for (std::size_t m = n + 1; m < lines_.size(); ++m) {
      auto swapped = lines_;
      std::swap(swapped[n], swapped[m]);
      EXPECT_THAT(fault(swapped), StartsWith("missing at line " + std::to_string(n + 1))) << n;
    }
  }
}

TEST_P(VerifyTest, FindsInsertedLines) {
  for (std::size_t n = 0; n < lines_.size(); ++n) {
    for (const std::string& inserted :
         {std::string("{}"), std::string(), std::string("\x1b[2J\xFF\xFE"), lines_[0],
          std::string(2 * kMiB, 'x')}) {
      auto more = lines_;
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(n), inserted);
      const bool is_same = n == 0 && inserted == lines_[0];
      const std::size_t at = is_same ? n + 2 : n + 1;
      EXPECT_THAT(fault(more), StartsWith("damaged at line " + std::to_string(at))) << n;
    }
  }
}

// Who has no key cannot hash again what they changed; without a key, a head kept elsewhere helps.
TEST_P(VerifyTest, FindsAChainThatWasMadeAgain) {
  std::string text;
  std::optional<ChainPlace> before;
  const ChainHash forger;  // without the key
  for (const std::string& line : lines_) {
    const auto parsed = parse_chain_line(line);
    std::string content(parsed->content);
    const std::size_t at = content.find("tool3");
    if (at != std::string::npos) content.replace(at, 5, "other");
    before = append_chain_line(text, before, parsed->seq, content, forger);
  }
  AuditEnd forged;
  forged.head_text = head_slot({*before, text.size()}, forger);
  const auto found = [&] { return fault_of(verify_texts({{"a", text}}, forged, GetParam())); };
  if (std::string(GetParam()).empty()) {
    EXPECT_EQ(found(), "");
    forged.anchor = ChainPlace{10, std::string(parse_chain_line(lines_[10])->hash)};
    EXPECT_THAT(found(), StartsWith("replaced at line 11"));
  } else {
    EXPECT_THAT(found(), StartsWith("edited at line 1"));
  }
}

TEST_P(VerifyTest, ComparesWithAHeadKeptElsewhere) {
  const auto with = [](ChainPlace anchor, const std::vector<std::string>& lines) {
    AuditEnd end;
    end.anchor = std::move(anchor);
    return fault_of(verify_texts({{"a", joined(lines)}}, end, GetParam()));
  };
  const ChainPlace fifth{5, std::string(parse_chain_line(lines_[5])->hash)};
  EXPECT_EQ(with(fifth, lines_), "");
  auto fewer = lines_;
  fewer.resize(5);
  EXPECT_THAT(with(fifth, fewer), StartsWith("truncated at line 0: record 5"));
  EXPECT_THAT(with({5, std::string(64, 'a')}, lines_), StartsWith("replaced at line 6"));
}

TEST_P(VerifyTest, AMissingOrDamagedHeadIsAFault) {
  AuditEnd none;
  EXPECT_THAT(fault_of(verify_texts({{"a", joined(lines_)}}, none, GetParam())),
              StartsWith("no head"));
  none.is_open = true;
  const auto open = verify_texts({{"a", joined(lines_)}}, none, GetParam());
  EXPECT_EQ(fault_of(open), "");
  EXPECT_EQ(open.notes.size(), 1U);
  end_.head_text = "";
  EXPECT_THAT(fault(lines_), StartsWith("head at line 0"));
  end_.head_text = head_slot({{10, std::string(64, 'a')}, 1}, ChainHash(GetParam()));
  EXPECT_THAT(fault(lines_), StartsWith("replaced at line 11"));
}

TEST(Verify, AFileMovedAwayBeforeItsHeadWasWrittenIsNoFault) {
  FakeEnv env;
  FakeSharedFiles files;
  std::string behind;
  {
    auto audit = *open_audit_file("audit.jsonl", env, {}, files);
    ASSERT_TRUE(audit->write(record_of("a")));
    behind = *files.content("audit.jsonl.head");
    ASSERT_TRUE(audit->write(record_of("b")));
    ASSERT_TRUE(audit->write(record_of("c")));
  }
  files.put("audit.jsonl.head", behind);
  files.rename("audit.jsonl", "old");
  for (int i = 0; i < 3; ++i) {
    auto audit = *open_audit_file("audit.jsonl", env, {}, files);
    ASSERT_TRUE(audit->write(record_of("d")));
    AuditEnd end;
    end.head_text = files.content("audit.jsonl.head");
    const auto report =
        verify_texts({{"old", *files.content("old")}, {"new", *files.content("audit.jsonl")}}, end);
    EXPECT_EQ(fault_of(report), "");
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_THAT(report.notes[0],
                HasSubstr("goes on from record 1, and the file before it ends with 3"));
  }
}

TEST(Verify, ListsIntentsWithoutAnOutcome) {
  FakeEnv env;
  FakeSharedFiles files;
  auto audit = *open_audit_file("audit.jsonl", env, {}, files);
  const auto write = [&](AuditKind kind, std::string id) {
    AuditRecord record = record_of("data_modify");
    record.kind = kind;
    record.call_id = std::move(id);
    ASSERT_TRUE(audit->write(record));
  };
  write(AuditKind::Intent, "one");
  write(AuditKind::Intent, "two");
  write(AuditKind::Call, "one");
  write(AuditKind::Intent, "three");
  const AuditReport report = verify_fake(files);
  EXPECT_EQ(fault_of(report), "");
  ASSERT_EQ(report.interrupted.size(), 2U);
  EXPECT_EQ(report.interrupted_count, 2U);
  EXPECT_EQ(report.interrupted[0].call_id, "two");
  EXPECT_EQ(report.interrupted[0].seq, 2U);
  EXPECT_EQ(report.interrupted[1].call_id, "three");
}

}  // namespace
}  // namespace helve::toolkit
