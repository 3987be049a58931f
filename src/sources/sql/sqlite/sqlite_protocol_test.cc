// Frames there and back, and frames that are cut, mangled or lie about their size.
#include "sources/sql/sqlite/sqlite_protocol.h"

#include <gmock/gmock.h>

#include "base/bytes.h"
#include "sources/sql/sqlite/sqlite_testing.h"
#include "sources/sql/sqlite/sqlite_worker.h"

namespace helve::sql {
namespace {

std::string_view payload_of(std::string_view frame) {
  return frame.substr(SqliteFrameHead::kBytes);
}

SqliteRun sample_run() {
  SqliteRun run;
  run.time = std::chrono::milliseconds(5);
  run.rows_max = 7;
  run.bytes_max = 1'000;
  run.sql = "SELECT ?";
  run.parameters = {std::monostate(), std::int64_t{-5}, 1.5, std::string_view("text"),
                    sqlite::Blob{std::string_view("\0\xff", 2)}};
  return run;
}

TEST(SqliteProtocol, RequestsComeBackAsTheyWere) {
  std::string bytes;
  const SqliteRun run = sample_run();
  write_run(bytes, run);
  const auto head = read_frame_head(bytes);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->kind, SqliteFrame::Run);
  EXPECT_EQ(head->size, payload_of(bytes).size());
  const auto read = read_run(payload_of(bytes));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->time, run.time);
  EXPECT_EQ(read->rows_max, 7);
  EXPECT_EQ(read->sql, "SELECT ?");
  EXPECT_EQ(read->parameters, run.parameters);
}

TEST(SqliteProtocol, RowsAreWrittenAsValuesAre) {
  const SqliteRun run = sample_run();
  std::size_t size = 0;
  for (const sqlite::Value& value : run.parameters) size += size_of(value);
  std::string whole;
  FrameOutput(whole).row(run.parameters, size);
  std::string single;
  for (const sqlite::Value& value : run.parameters) FrameOutput(single).value(value);
  EXPECT_EQ(whole, single);
}

TEST(SqliteProtocol, CutFramesMakeNoSense) {
  std::string run;
  write_run(run, sample_run());
  std::string open;
  write_open(open, {"/a", true, 9});
  std::string columns;
  write_columns(columns, {{"a", "b"}, {"TEXT", ""}});
  std::string failed;
  write_failed(failed, Error(ErrorCode::NotFound, "m", "h").at("sql", {2, 3}));
  EXPECT_EQ(read_failed(payload_of(failed))->position, (TextPosition{2, 3}));
  const auto all_cuts = [](std::string_view frame, const auto& read) {
    const std::string_view whole = payload_of(frame);
    EXPECT_TRUE(read(whole));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(read(whole.substr(0, size))) << size;
    }
    EXPECT_FALSE(read(std::string(whole) + "x"));
  };
  all_cuts(run, read_run);
  all_cuts(open, read_open);
  all_cuts(columns, read_columns);
  all_cuts(failed, read_failed);
  std::string changed;
  write_changed(changed, {WriteKind::Delete, true, "t", 5, 7, {"one", "two"}, true});
  all_cuts(changed, read_changed);
  const auto read = read_changed(payload_of(changed));
  EXPECT_EQ(read->kind, WriteKind::Delete);
  EXPECT_EQ(read->affected, 5);
  EXPECT_EQ(read->besides, 7U);
  EXPECT_TRUE(read->is_too_much);
  EXPECT_EQ(read->notes, (std::vector<std::string>{"one", "two"}));
}

TEST(SqliteProtocol, RulesComeBackAsTheyWere) {
  TableRules rules;
  rules.denied_columns = {"t.secret"};
  EXPECT_EQ(decode_rules(encode_rules(rules)), rules);
  rules.allowed_tables.emplace();
  rules.denied_tables = {"a", "b"};
  EXPECT_EQ(decode_rules(encode_rules(rules)), rules);
  rules.allowed_columns = {"t.a", "t.b"};
  EXPECT_EQ(decode_rules(encode_rules(rules)), rules);
  rules.allowed_columns.emplace();
  EXPECT_EQ(decode_rules(encode_rules(rules)), rules);
  EXPECT_FALSE(decode_rules(""));
}

TEST(SqliteProtocol, TheWorkerBelievesNoRequest) {
  const TempDirectory folder;
  make_database(folder / "a.db", "CREATE TABLE t(a)");
  const std::string path = (folder / "a.db").native();
  std::string open;
  write_open(open, {path, false, 1 << 28});
  std::string run;
  write_run(run, sample_run());
  SqliteRun change = sample_run();
  change.request = SqliteFrame::Write;
  std::string write;
  write_run(write, change);
  const std::string magic(kSqliteMagic);
  const auto serve = [](std::string_view bytes) {
    StringSource in(bytes);
    StringSink out;
    const int status = run_sqlite_worker(in, out, real_clock());
    return std::pair(status, out.take());
  };
  for (const std::string& bytes : {
           std::string(),
           std::string("HLVSLF0\n") + open,
           magic + run,           // nothing is open
           magic + open + open,   // twice
           magic + open + write,  // it was opened for reading
           magic + std::string("\x02\xff\xff\xff\xff", 5),
           magic + std::string("\x02\x01\x00\x00\x00x", 6),
           magic + std::string("\x63\x00\x00\x00\x00", 5),
       }) {
    const auto [status, out] = serve(bytes);
    EXPECT_NE(status, 0);
    EXPECT_EQ(out, "");
  }
  EXPECT_EQ(serve(magic + open), std::pair(0, std::string()));
  // Every byte of a request in turn another: an answer, an error or the end, never a crash.
  SqliteRun query;
  query.rows_max = 10;
  query.bytes_max = 1'000;
  query.sql = "SELECT a FROM t WHERE a = ?";
  query.parameters = {std::int64_t{1}};
  TableRules rules;
  rules.denied_columns = {"t.b"};
  const std::string rules_bytes = encode_rules(rules);
  query.rules = rules_bytes;
  std::string request;
  write_run(request, query);
  for (std::size_t i = 0; i < request.size(); ++i) {
    std::string other = request;
    other[i] = static_cast<char>(other[i] ^ 0x41);
    serve(magic + open + other);
  }
  std::string examine;
  write_open(examine, {path, false, 1 << 28, sqlite::FileUse::Examine});
  query.request = SqliteFrame::Write;
  query.sql = "DELETE FROM t WHERE a = ?";
  for (const SqliteFrame frame : {SqliteFrame::Begin, SqliteFrame::Write, SqliteFrame::Undo,
                                  SqliteFrame::Commit, SqliteFrame::RollBack}) {
    query.request = frame;
    std::string asked;
    write_run(asked, query);
    const auto [status, out] = serve(magic + examine + asked);
    EXPECT_EQ(status, 0);
    // Nothing can be done there that would change the file.
    EXPECT_EQ(read_frame_head(out)->kind,
              frame == SqliteFrame::RollBack ? SqliteFrame::Changed : SqliteFrame::Failed);
    for (std::size_t i = 0; i < asked.size(); i += 3) {
      std::string other = asked;
      other[i] = static_cast<char>(other[i] ^ 0x41);
      serve(magic + examine + other);
    }
  }
}

}  // namespace
}  // namespace helve::sql
