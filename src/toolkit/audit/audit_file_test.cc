#include "toolkit/audit/audit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/json.h"
#include "tests/support/temp_directory.h"
#include "toolkit/audit/audit_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class AuditFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<AuditSink> open(AuditOptions options = {}) {
    auto opened = open_audit_file("audit.jsonl", env_, std::move(options), files_);
    EXPECT_TRUE(opened) << opened.error().to_string();
    return opened ? *std::move(opened) : nullptr;
  }
  std::string text() const { return files_.content("audit.jsonl").value_or(""); }
  void expect_valid(std::size_t records) const {
    const AuditReport report = verify_fake(files_);
    EXPECT_EQ(fault_of(report), "") << text();
    EXPECT_EQ(report.records, records) << text();
  }

  FakeEnv env_;
  FakeSharedFiles files_;
};

TEST_F(AuditFileTest, WritesAChainOfLinesOfJson) {
  const auto audit = open();
  ASSERT_TRUE(audit->write(record_of("sparql_query")));
  ASSERT_TRUE(audit->write(record_of("sparql_peek")));
  const auto lines = lines_of(text());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], StartsWith(R"({"v":1,"seq":0,"prev":"0000000000000000)"));
  EXPECT_THAT(
      lines[0],
      HasSubstr(
          R"("kind":"header","at":"2025-01-01T00:00:00.000Z","format":"helve audit","keyed":false)"));
  EXPECT_THAT(
      lines[1],
      HasSubstr(
          R"("kind":"call","at":"2025-01-01T00:00:00.250Z","identity":"local","session":"default")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("tool":"sparql_query")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("rows":7,"reply_chars":0,"ms":1.5,"hash":")"));
  EXPECT_EQ(parse_chain_line(lines[2])->prev, parse_chain_line(lines[1])->hash);
  for (const std::string& line : lines) EXPECT_TRUE(parse_json(line)) << line;
  expect_valid(3);
}

TEST_F(AuditFileTest, IsDurableWhenItReturns) {
  const auto audit = open();
  ASSERT_TRUE(audit->write(record_of("a")));
  files_.crash();
  expect_valid(2);
  EXPECT_THAT(text(), HasSubstr("\"tool\":\"a\""));
}

TEST_F(AuditFileTest, SyncsOnceForARecord) {
  const auto audit = open();
  ASSERT_TRUE(audit->write(record_of("a")));
  const std::uint64_t syncs = files_.syncs();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(audit->write(record_of("a")));
  EXPECT_EQ(files_.syncs(), syncs + 10);
  env_.clock().advance(std::chrono::seconds(2));  // now the head is due too
  ASSERT_TRUE(audit->write(record_of("a")));
  EXPECT_EQ(files_.syncs(), syncs + 12);
}

TEST_F(AuditFileTest, GoesOnWhereItWasLeft) {
  { ASSERT_TRUE(open()->write(record_of("a"))); }
  { ASSERT_TRUE(open()->write(record_of("b"))); }
  expect_valid(3);
}

TEST_F(AuditFileTest, SharesTheFileWithOthers) {
  const auto one = open();
  const auto two = open();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(one->write(record_of("one")));
    ASSERT_TRUE(two->write(record_of("two")));
  }
  expect_valid(11);
}

TEST_F(AuditFileTest, KeysAreNeverWritten) {
  const std::string key = "0123456789abcdef-the-key";
  const auto audit = open({key, false});
  ASSERT_TRUE(audit->write(record_of("a")));
  EXPECT_EQ(text().find("the-key"), std::string::npos);
  EXPECT_THAT(text(), HasSubstr(R"("keyed":true,"key_id":")"));
  EXPECT_EQ(fault_of(verify_fake(files_, key)), "");
  EXPECT_THAT(fault_of(verify_fake(files_)), HasSubstr("key needed at line 1"));
  EXPECT_THAT(fault_of(verify_fake(files_, "another key of this")), HasSubstr("wrong key"));
}

TEST_F(AuditFileTest, RefusesKeysThatAreShortOrOthers) {
  const auto brief = open_audit_file("audit.jsonl", env_, {"0123456789abcde", false}, files_);
  ASSERT_FALSE(brief);
  EXPECT_EQ(brief.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(brief.error().message.find("0123"), std::string::npos);
  { ASSERT_TRUE(open()->write(record_of("a"))); }
  const std::string before = text();
  const auto keyed = open_audit_file("audit.jsonl", env_, {"0123456789abcdef", false}, files_);
  ASSERT_FALSE(keyed);
  EXPECT_THAT(keyed.error().message, HasSubstr("was begun without a key, and is opened with"));
  EXPECT_EQ(text(), before);
}

TEST_F(AuditFileTest, LeavesOtherFilesAlone) {
  const std::string long_text(10'000, 'x');
  for (const std::string& other :
       {std::string("{}\n{\"at\":1}\n"), std::string("hello"), long_text, std::string("\n"),
        std::string(R"({"v":1,"seq":0,"prev":"","kind":"call"})") + "\n",
        R"({"v":1,"seq":0)" + long_text}) {
    files_.put("audit.jsonl", other);
    const auto opened = open_audit_file("audit.jsonl", env_, {}, files_);
    ASSERT_FALSE(opened) << other.substr(0, 100);
    EXPECT_EQ(opened.error().code, ErrorCode::InvalidInput);
    EXPECT_EQ(text(), other);
  }
}

TEST_F(AuditFileTest, FingerprintsLeaveQueriesOut) {
  const auto audit = open({"", true});
  AuditRecord record = record_of("a");
  record.query_hash = "00ff";
  ASSERT_TRUE(audit->write(record));
  EXPECT_THAT(text(), HasSubstr(R"("query_hash":"00ff","verdict")"));
  EXPECT_EQ(text().find("SELECT"), std::string::npos);
}

TEST_F(AuditFileTest, RefusesWhatItCannotOpen) {
  files_.deny("denied.jsonl");
  const auto denied = open_audit_file("denied.jsonl", env_, {}, files_);
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, ErrorCode::Denied);
  EXPECT_THAT(denied.error().message, HasSubstr("denied.jsonl"));
  const auto homeless = open_audit_file("absent/audit.jsonl", env_, {}, files_);
  ASSERT_FALSE(homeless);
  EXPECT_EQ(homeless.error().code, ErrorCode::Unavailable);
}

TEST_F(AuditFileTest, FailsClosedWhileTheDiskIsFullAndTellsOfItAfterwards) {
  const auto audit = open();
  files_.disk_full_after(10);
  for (int i = 0; i < 3; ++i) {
    const auto full = audit->write(record_of("lost"));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::Unavailable);
  }
  EXPECT_FALSE(audit->check());  // there is no room for what it has to tell
  files_.unlimited_disk();
  EXPECT_TRUE(audit->check());
  ASSERT_TRUE(audit->write(record_of("kept")));
  EXPECT_THAT(text(), HasSubstr(R"("kind":"failure")"));
  EXPECT_THAT(text(), HasSubstr(R"("records":3)"));
  EXPECT_EQ(text().find("\"lost\""), std::string::npos);
  expect_valid(3);
  EXPECT_THAT(verify_fake(files_).notes, ::testing::Contains(HasSubstr("3 calls were refused")));
}

TEST_F(AuditFileTest, ChecksThatTheFileCanStillBeWritten) {
  const auto audit = open();
  EXPECT_TRUE(audit->check());
  files_.deny("audit.jsonl");
  EXPECT_FALSE(audit->check());
  EXPECT_FALSE(audit->write(record_of("a")));
}

TEST_F(AuditFileTest, AnotherProcessThatHoldsItIsNotWaitedForForEver) {
  const auto audit = open();
  const auto other = *files_.open("audit.jsonl", SharedFileMode::Write);
  ASSERT_TRUE(*other->try_lock());
  const auto written = audit->write(record_of("a"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Unavailable);
  EXPECT_GE(env_.clock().elapsed(), std::chrono::seconds(10));
  EXPECT_LT(env_.clock().elapsed(), std::chrono::seconds(11));
  other->unlock();
  ASSERT_TRUE(audit->write(record_of("b")));
  expect_valid(3);
}

TEST_F(AuditFileTest, StartsAnewWhereTheFileWasMovedAwayAndNamesTheOldEnd) {
  const auto audit = open();
  ASSERT_TRUE(audit->write(record_of("before")));
  files_.rename("audit.jsonl", "audit.1.jsonl");
  ASSERT_TRUE(audit->check());
  ASSERT_TRUE(audit->write(record_of("after")));
  EXPECT_THAT(text(), HasSubstr("\"after\""));
  const std::string old = *files_.content("audit.1.jsonl");
  EXPECT_EQ(old.find("\"after\""), std::string::npos);
  EXPECT_EQ(parse_chain_line(lines_of(text())[0])->prev, parse_chain_line(lines_of(old)[1])->hash);
  AuditEnd end;
  end.head_text = files_.content("audit.jsonl.head");
  EXPECT_EQ(fault_of(verify_texts({{"1", old}, {"2", text()}}, end)), "");
  EXPECT_THAT(fault_of(verify_texts({{"2", text()}, {"1", old}}, end)), StartsWith("order at"));
  // By itself it is valid too, and tells what it goes on from.
  const AuditReport alone = verify_fake(files_);
  EXPECT_EQ(fault_of(alone), "");
  EXPECT_EQ(alone.before->seq, 1U);
}

TEST_F(AuditFileTest, NamesTheOldEndAfterARestartAndAfterEmptying) {
  { ASSERT_TRUE(open()->write(record_of("a"))); }
  const std::string first = text();
  files_.rename("audit.jsonl", "1");
  const auto audit = open();
  const std::string second = text();
  // Emptied in place, as some rotate.
  ASSERT_TRUE((*files_.open("audit.jsonl", SharedFileMode::Write))->cut(0));
  ASSERT_TRUE(audit->write(record_of("b")));
  AuditEnd end;
  end.head_text = files_.content("audit.jsonl.head");
  const auto report = verify_texts({{"1", first}, {"2", second}, {"3", text()}}, end);
  EXPECT_EQ(fault_of(report), "");
  EXPECT_EQ(report.records, 5U);
}

TEST_F(AuditFileTest, GroupsTheRecordsOfManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kRecords = 50;
  const auto audit = open();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&audit] {
      for (int n = 0; n < kRecords; ++n) {
        EXPECT_TRUE(audit->check());
        EXPECT_TRUE(audit->write(record_of("a")));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_valid(1 + kThreads * kRecords);
  EXPECT_LE(files_.syncs(), 5U + kThreads * kRecords);
}

// Every operation fails once, in turn: what was acknowledged is there, and the chain is whole.
TEST_F(AuditFileTest, StaysWholeWhateverFails) {
  std::size_t failed = 0;
  for (std::uint64_t k = 1; k <= 60; ++k) {
    FakeSharedFiles files;
    files.fail_operation(k);
    std::vector<std::string> acknowledged;
    std::unique_ptr<AuditSink> audit;
    for (int i = 0; i < 10; ++i) {
      if (audit == nullptr) {
        auto opened = open_audit_file("audit.jsonl", env_, {}, files);
        if (opened) audit = *std::move(opened);
        if (audit == nullptr) continue;
      }
      const std::string name = "tool" + std::to_string(i);
      if (audit->write(record_of(name))) {
        acknowledged.push_back(name);
      } else {
        ++failed;
      }
    }
    const AuditReport report = verify_fake(files);
    EXPECT_EQ(fault_of(report), "") << k;
    const std::string text = *files.content("audit.jsonl");
    for (const std::string& name : acknowledged) {
      EXPECT_THAT(text, HasSubstr("\"tool\":\"" + name + "\"")) << k;
    }
    EXPECT_GE(acknowledged.size(), 9U) << k;
  }
  EXPECT_GT(failed, 10U);
}

// The machine stops at every operation, in turn.
TEST_F(AuditFileTest, SurvivesACrashAtEveryOperation) {
  for (std::uint64_t k = 1; k <= 60; ++k) {
    FakeSharedFiles files;
    files.fail_from_operation(k);
    std::vector<std::string> acknowledged;
    {
      auto audit = open_audit_file("audit.jsonl", env_, {}, files);
      for (int i = 0; audit && i < 10; ++i) {
        const std::string name = "tool" + std::to_string(i);
        if ((*audit)->write(record_of(name))) acknowledged.push_back(name);
      }
    }
    files.crash();
    auto audit = open_audit_file("audit.jsonl", env_, {}, files);
    ASSERT_TRUE(audit) << k << audit.error().to_string();
    ASSERT_TRUE((*audit)->write(record_of("after")));
    EXPECT_EQ(fault_of(verify_fake(files)), "") << k;
    const std::string text = *files.content("audit.jsonl");
    for (const std::string& name : acknowledged) {
      EXPECT_THAT(text, HasSubstr("\"tool\":\"" + name + "\"")) << k;
    }
  }
}

// A killed process leaves any part of what it was writing.
TEST_F(AuditFileTest, SetsATornRecordAsideAtEveryLength) {
  {
    const auto audit = open();
    ASSERT_TRUE(audit->write(record_of("a")));
  }
  const std::string head = *files_.content("audit.jsonl.head");
  const std::string whole = text();
  { ASSERT_TRUE(open()->write(record_of("torn"))); }
  const std::string longer = text();
  for (std::size_t size = whole.size() + 1; size < longer.size(); ++size) {
    files_.put("audit.jsonl", longer.substr(0, size));
    files_.put("audit.jsonl.head", head);
    EXPECT_EQ(fault_of(verify_fake(files_)), "") << size;
    ASSERT_TRUE(open()->write(record_of("next"))) << size;
    const AuditReport report = verify_fake(files_);
    EXPECT_EQ(fault_of(report), "") << size;
    EXPECT_EQ(report.records, 4U);
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_THAT(report.notes[0], HasSubstr("a torn record was set aside (" +
                                           std::to_string(size - whole.size()) + " bytes)"));
    EXPECT_THAT(text(), StartsWith(whole));
  }
}

TEST_F(AuditFileTest, BeginsAgainWhereTheHeaderIsTorn) {
  { ASSERT_TRUE(open()->write(record_of("a"))); }
  const std::string header = lines_of(text())[0];
  for (std::size_t size = 1; size <= header.size(); ++size) {
    FakeSharedFiles files;
    files.put("audit.jsonl", header.substr(0, size));
    auto audit = open_audit_file("audit.jsonl", env_, {}, files);
    ASSERT_TRUE(audit) << size << audit.error().to_string();
    ASSERT_TRUE((*audit)->write(record_of("b")));
    EXPECT_EQ(fault_of(verify_fake(files)), "") << size;
  }
}

TEST_F(AuditFileTest, SetsAsideWhatAPowerLossLeaves) {
  { ASSERT_TRUE(open()->write(record_of("a"))); }
  const std::string whole = text();
  files_.put("audit.jsonl", whole + std::string(100, '\0') + "rest\"}\n" + std::string(9, '\0'));
  ASSERT_TRUE(open()->write(record_of("b")));
  expect_valid(4);
  EXPECT_THAT(text(), StartsWith(whole));
}

TEST_F(AuditFileTest, DoesNotCoverUpThatTheEndWasRemoved) {
  const std::string cut = [this] {
    const auto audit = open();
    EXPECT_TRUE(audit->write(record_of("a")));
    std::string kept = text();
    EXPECT_TRUE(audit->write(record_of("b")));
    EXPECT_TRUE(audit->write(record_of("c")));
    return kept;
  }();
  files_.put("audit.jsonl", cut);
  EXPECT_THAT(fault_of(verify_fake(files_)), HasSubstr("truncated at line 0: records 2 to 3"));
  ASSERT_TRUE(open()->write(record_of("d")));
  EXPECT_EQ(fault_of(verify_fake(files_)),
            "cut at line 3: records 2 to 3 had been removed when this was written");
}

TEST_F(AuditFileTest, DoesNotCoverUpThatTheEndWasRemovedWhileItIsOpen) {
  const auto audit = open();
  ASSERT_TRUE(audit->write(record_of("a")));
  const std::uint64_t kept = text().size();
  ASSERT_TRUE(audit->write(record_of("b")));
  ASSERT_TRUE((*files_.open("audit.jsonl", SharedFileMode::Write))->cut(kept));
  ASSERT_TRUE(audit->write(record_of("c")));
  EXPECT_EQ(fault_of(verify_fake(files_)),
            "cut at line 3: record 2 had been removed when this was written");
}

TEST_F(AuditFileTest, DoesNotCoverUpThatAPartOfARecordWasRemoved) {
  {
    const auto audit = open();
    ASSERT_TRUE(audit->write(record_of("a")));
    ASSERT_TRUE(audit->write(record_of("b")));
  }
  files_.put("audit.jsonl", text().substr(0, text().size() - 5));
  EXPECT_THAT(fault_of(verify_fake(files_)), StartsWith("truncated"));
  ASSERT_TRUE(open()->write(record_of("c")));
  EXPECT_THAT(fault_of(verify_fake(files_)), StartsWith("cut at line 3"));
}

TEST_F(AuditFileTest, DoesNotCoverUpEdits) {
  {
    const auto audit = open();
    ASSERT_TRUE(audit->write(record_of("a")));
    ASSERT_TRUE(audit->write(record_of("b")));
  }
  std::string edited = text();
  edited.replace(edited.find("\"tool\":\"a\""), 10, "\"tool\":\"x\"");
  for (const bool has_head : {true, false}) {
    files_.put("audit.jsonl", edited);
    if (!has_head) files_.remove("audit.jsonl.head");
    ASSERT_TRUE(open()->write(record_of("c")));
    EXPECT_THAT(fault_of(verify_fake(files_)), StartsWith("edited at line 2"));
    EXPECT_THAT(text(), StartsWith(edited));
  }
}

TEST_F(AuditFileTest, TellsWhereTheHeadWasMissing) {
  { ASSERT_TRUE(open()->write(record_of("a"))); }
  files_.remove("audit.jsonl.head");
  EXPECT_THAT(fault_of(verify_fake(files_)), StartsWith("no head"));
  ASSERT_TRUE(open()->write(record_of("b")));
  EXPECT_THAT(fault_of(verify_fake(files_)), StartsWith("headless"));
}

TEST_F(AuditFileTest, AHeadThatIsBehindIsNoFault) {
  const auto audit = open();
  ASSERT_TRUE(audit->write(record_of("a")));
  const std::string behind = *files_.content("audit.jsonl.head");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(audit->write(record_of("b")));
  files_.put("audit.jsonl.head", behind);
  EXPECT_EQ(fault_of(verify_fake(files_)), "");
  ASSERT_TRUE(open()->write(record_of("c")));
  expect_valid(6);
  EXPECT_THAT(verify_fake(files_).notes, IsEmpty());
}

TEST(AuditOnDisk, NoticesThatTheFileWasReplaced) {
  const TempDirectory folder;
  const auto path = folder / "audit.jsonl";
  const auto audit = *open_audit_file(path, real_env());
  ASSERT_TRUE(audit->write(record_of("a")));
  // As an editor saves: another file of the same size at the same place.
  std::filesystem::copy_file(path, folder / "copy");
  std::filesystem::rename(folder / "copy", path);
  ASSERT_TRUE(audit->check());
  ASSERT_TRUE(audit->write(record_of("b")));
  const auto mapped = *real_env().files().map(path);
  EXPECT_THAT(std::string(mapped->text()), HasSubstr("\"tool\":\"b\""));
  EXPECT_EQ((std::filesystem::status(path).permissions() & std::filesystem::perms::others_all),
            std::filesystem::perms::none);
}

TEST(AuditOnDisk, RefusesFoldersAndPipes) {
  const TempDirectory folder;
  const auto opened = open_audit_file(folder.path(), real_env());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::Denied);
  const auto null = open_audit_file("/dev/null", real_env());
  ASSERT_FALSE(null);
  EXPECT_EQ(null.error().code, ErrorCode::Denied);
}

}  // namespace
}  // namespace helve::toolkit
