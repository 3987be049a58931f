#include "sources/sql/sqlite/sqlite_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "sources/sql/sqlite/sqlite_writer_testing.h"

namespace helve::sql {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kShop =
    "CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE);"
    "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer REFERENCES customer(id) ON DELETE "
    "CASCADE,"
    " total REAL);"
    "CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, text);"
    "INSERT INTO customer VALUES (1,'Ann','ann@x'),(2,'Bob','bob@x'),(3,'Cid',NULL);"
    "INSERT INTO orders VALUES (10,1,5.0),(11,1,7.5),(12,2,1.0);";
constexpr const char* kCustomers = "SELECT id, name FROM customer ORDER BY id";

class SqliteWriterTest : public ::testing::Test {
 protected:
  std::string read(const std::string& sql) { return ask(*source_, sql).text; }
  void run_outside(const std::string& sql) { Writer(path_).run(sql); }

  TempDirectory folder_;
  std::filesystem::path path_ = folder_ / "shop.db";
  std::shared_ptr<const TableSource> source_ = (make_database(path_, kShop), writable(path_));
};

TEST_F(SqliteWriterTest, SourcesThatReadHaveNoWriter) {
  EXPECT_EQ(source_of(options_for(path_))->writer(), nullptr);
  ASSERT_NE(source_->writer(), nullptr);
  DatabaseOptions options = options_for(path_);
  options.is_writable = true;
  options.address.options = {{"immutable", "1"}};
  const auto source = open_sqlite(options, real_env());
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::InvalidInput);
}

TEST_F(SqliteWriterTest, ReadersOfAWritableSourceCannotWrite) {
  EXPECT_EQ(ask(*source_, "DELETE FROM customer").code(), ErrorCode::Denied);
  EXPECT_EQ(ask(*source_, "INSERT INTO log(text) VALUES (1) RETURNING id").code(),
            ErrorCode::Denied);
  const auto transaction = begun(*source_);
  EXPECT_THAT(seen(*transaction, "DELETE FROM customer RETURNING id"), HasSubstr("not allowed"));
  EXPECT_THAT(seen(*transaction, "PRAGMA query_only = OFF"), HasSubstr("not allowed"));
}

TEST_F(SqliteWriterTest, ExamineTellsKindTableAndWhatHappensBesides) {
  EXPECT_EQ(examined(*source_, "insert into LOG(text) values (1)"), "insert log");
  EXPECT_EQ(examined(*source_, "UPDATE main.customer SET name = 'x' WHERE id = 1"),
            "update customer");
  EXPECT_EQ(examined(*source_, "DELETE FROM customer"),
            "delete customer; rows that refer to deleted ones are deleted too, in 'orders' (ON "
            "DELETE CASCADE)");
  EXPECT_THAT(examined(*source_, "INSERT OR REPLACE INTO customer VALUES (1, 'x', 'y')"),
              StartsWith("replace customer; "));
  EXPECT_THAT(examined(*source_, "REPLACE INTO log VALUES (1, 'x')"),
              StartsWith("replace log; rows that are in the way"));
  EXPECT_EQ(examined(*source_, "WITH n(x) AS (SELECT 'a') INSERT INTO log(text) SELECT x FROM n"),
            "insert log");
  EXPECT_EQ(examined(*source_,
                     "INSERT INTO customer(id, name) VALUES (1, 'x') ON CONFLICT(id) DO UPDATE SET "
                     "name = excluded.name RETURNING id"),
            "insert customer");
  EXPECT_EQ(examined(*source_, "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE)"),
            "definition t");
  EXPECT_EQ(examined(*source_, "DROP TABLE IF EXISTS gone"),
            "definition gone; nothing would be changed: it is there already, or not there");
  EXPECT_EQ(read("SELECT count(*) FROM customer"),
            "\"3\"^^<http://www.w3.org/2001/XMLSchema#integer>\n");
}

TEST_F(SqliteWriterTest, ExamineTellsProblemsWithTheirPlaces) {
  SqlProblem problem;
  const auto unknown =
      source_->writer()->examine(write_of("UPDATE custmer SET name = 'x'"), problem, in_time());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::NotFound);
  EXPECT_EQ(problem.kind, SqlProblem::Kind::UnknownTable);
  EXPECT_EQ(problem.name, "custmer");
  const auto column =
      source_->writer()->examine(write_of("UPDATE customer SET nmae = 'x'"), problem, in_time());
  ASSERT_FALSE(column);
  EXPECT_EQ(problem.kind, SqlProblem::Kind::UnknownColumn);
  const auto syntax =
      source_->writer()->examine(write_of("UPDATE customer SET WHERE"), problem, in_time());
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().code, ErrorCode::InvalidInput);
}

TEST_F(SqliteWriterTest, ExamineReusesItsWorker) {
  CountingEnv env;
  const auto source = writable(path_, env);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(examined(*source, "DELETE FROM log"), "delete log");
  EXPECT_EQ(env.counted.started, 1);
  run_outside("CREATE TABLE later(a)");
  EXPECT_EQ(examined(*source, "DELETE FROM later"), "delete later");
  env.counted.last.load()->kill();
  EXPECT_EQ(examined(*source, "DELETE FROM log"), "delete log");
  EXPECT_EQ(env.counted.started, 2);
}

TEST_F(SqliteWriterTest, CommittedChangesAreSeenByReaders) {
  const auto transaction = begun(*source_);
  TableWrite write = write_of("INSERT INTO customer(id, name) VALUES (?, ?), (?, ?)");
  write.parameters.assign(4, std::nullopt);
  EXPECT_THAT(changed(*transaction, write), HasSubstr("NOT NULL constraint failed: customer.name"));
  EXPECT_EQ(changed(*transaction, "INSERT INTO customer(name) VALUES ('Dan'), ('Eve')"),
            "2 affected");
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = upper(name) WHERE id > 2"),
            "3 affected");
  EXPECT_THAT(seen(*transaction, kCustomers), HasSubstr("DAN"));
  EXPECT_THAT(read(kCustomers), ::testing::Not(HasSubstr("DAN")));
  const std::string before = source_->fingerprint();
  const CommitOutcome outcome = transaction->commit(in_time());
  EXPECT_FALSE(outcome.error);
  EXPECT_FALSE(outcome.is_unknown);
  EXPECT_THAT(read(kCustomers), HasSubstr("EVE"));
  EXPECT_NE(source_->fingerprint(), before);
  EXPECT_THAT(changed(*transaction, "DELETE FROM log"),
              HasSubstr("the transaction is over: it was committed"));
}

TEST_F(SqliteWriterTest, CountsRowsOfTheStatementItself) {
  run_outside(
      "CREATE TRIGGER noted AFTER UPDATE ON customer BEGIN INSERT INTO log(text) VALUES "
      "(old.name), "
      "(new.name); END");
  EXPECT_EQ(examined(*source_, "UPDATE customer SET name = 'x'"),
            "update customer; the trigger 'noted' runs and changes 'log'");
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = 'x' WHERE id < 3"),
            "2 affected; the trigger 'noted' runs and changes 'log'; triggers, foreign keys and "
            "search indexes changed 4 more rows");
  EXPECT_EQ(changed(*transaction, "DELETE FROM customer WHERE id = 1"),
            "1 affected; rows that refer to deleted ones are deleted too, in 'orders' (ON DELETE "
            "CASCADE); triggers, foreign keys and search indexes changed 2 more rows");
  EXPECT_EQ(changed(*transaction, "DELETE FROM log"), "4 affected");
  EXPECT_EQ(changed(*transaction, "DELETE FROM log"), "0 affected");
}

TEST_F(SqliteWriterTest, CountsRowsThatAreReplaced) {
  run_outside(
      "CREATE TABLE spot(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b TEXT UNIQUE ON CONFLICT REPLACE);"
      "INSERT INTO spot VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'z');"
      "CREATE TABLE flat(a TEXT PRIMARY KEY, b TEXT UNIQUE) WITHOUT ROWID;"
      "INSERT INTO flat VALUES ('a', 'x'), ('b', 'y');");
  const auto run = [&](WriteTransaction& transaction, const std::string& sql) {
    const WriteRun done = transaction.run(write_of(sql), nullptr, in_time());
    if (done.error) return done.error->to_string();
    return std::to_string(*done.affected) + " and " + std::to_string(done.besides);
  };
  const auto all = begun(*source_);
  EXPECT_EQ(run(*all, "REPLACE INTO spot VALUES (1, 'b', 'z')"), "1 and 3");
  EXPECT_TRUE(all->undo(in_time()));
  EXPECT_EQ(run(*all, "UPDATE OR REPLACE spot SET a = 'c' WHERE id = 1"), "1 and 1");
  EXPECT_TRUE(all->undo(in_time()));
  EXPECT_EQ(run(*all, "INSERT INTO spot VALUES (9, 'q', 'z')"), "1 and 1");
  EXPECT_EQ(run(*all, "INSERT INTO spot VALUES (10, 'r', 'new')"), "1 and 0");
  EXPECT_EQ(run(*all, "REPLACE INTO flat VALUES ('a', 'y')"), "1 and 2");
  EXPECT_EQ(run(*all, "UPDATE flat SET b = 'p'"), "1 and 0");
  EXPECT_EQ(run(*all, "DELETE FROM spot"), "4 and 0");
  const WriteRun told =
      all->run(write_of("REPLACE INTO customer VALUES (1, 'x', 'y')"), nullptr, in_time());
  ASSERT_FALSE(told.error);
  EXPECT_EQ(told.besides, 3U);  // the customer, and two orders by their foreign key
}

TEST_F(SqliteWriterTest, StopsWhatChangesTooMuch) {
  constexpr std::string_view kMany =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO log(text) "
      "SELECT i FROM n";
  const auto transaction = begun(*source_);
  TableWrite write = write_of(std::string(kMany));  // without an end
  write.changes_max = 100;
  const WriteRun stopped = transaction->run(write, nullptr, in_time());
  EXPECT_TRUE(stopped.error);
  EXPECT_TRUE(stopped.is_too_much);
  EXPECT_EQ(changed(*transaction, "INSERT INTO log(text) VALUES ('a')"), "1 affected");
  write.sql = std::string(kMany) + " LIMIT 500";  // behind another it is run to its end
  const WriteRun whole = transaction->run(write, nullptr, in_time());
  EXPECT_EQ(whole.affected, 500U);
  EXPECT_TRUE(transaction->undo(in_time()));
  EXPECT_FALSE(transaction->commit(in_time()).error);
  EXPECT_THAT(read("SELECT count(*) FROM log WHERE text = 'a'"), HasSubstr("\"1\""));
}

TEST_F(SqliteWriterTest, OrdinaryDefinitionsNeedNoTrust) {
  run_outside(
      "CREATE TABLE plain(a TEXT, b TEXT DEFAULT (upper('d')), c TEXT AS (lower(a)) STORED, "
      "d AS (length(a)), at TEXT DEFAULT CURRENT_TIMESTAMP, CHECK (abs(length(a)) < 9));"
      "CREATE INDEX by_lower ON plain(lower(a));"
      "CREATE TRIGGER mend AFTER INSERT ON plain BEGIN UPDATE plain SET b = b || "
      "strftime('%Y', 'now') WHERE rowid = new.rowid; END;");
  EXPECT_THAT(committed(*source_, "INSERT INTO plain(a) VALUES ('Ab')"), StartsWith("1 affected"));
  EXPECT_THAT(read("SELECT c FROM plain WHERE b LIKE 'D2%' AND d = 2"), HasSubstr("ab"));
  run_outside(
      "CREATE TRIGGER wrap AFTER UPDATE OF a ON plain BEGIN INSERT INTO log(text) VALUES "
      "(json_array(new.a)); END;");
  EXPECT_THAT(committed(*source_, "UPDATE plain SET a = 'z'"), StartsWith("1 affected"));
  EXPECT_THAT(read("SELECT text FROM log WHERE text LIKE '%z%'"), HasSubstr("z"));
}

TEST_F(SqliteWriterTest, ReturnsRowsAndRunsToTheEnd) {
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "DELETE FROM orders WHERE customer = 1 RETURNING id"),
            "2 affected\n\"10\"^^<http://www.w3.org/2001/XMLSchema#integer>\n"
            "\"11\"^^<http://www.w3.org/2001/XMLSchema#integer>\n");
  TableWrite write = write_of(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO "
      "log(text) SELECT i FROM n RETURNING text");
  write.rows_max = 2;
  EXPECT_THAT(changed(*transaction, write),
              StartsWith("5000 affected; RETURNING gave more rows than were taken\n"));
  const WriteRun quiet = transaction->run(write, nullptr, in_time());
  EXPECT_FALSE(quiet.error);
  EXPECT_EQ(quiet.affected, 5000);
  EXPECT_TRUE(quiet.notes.empty());
  EXPECT_THAT(seen(*transaction, "SELECT count(*) FROM log"), HasSubstr("10000"));
}

TEST_F(SqliteWriterTest, AnErrorUndoesItsStatementAlone) {
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = 'A' WHERE id = 1"), "1 affected");
  for (const char* failing :
       {"INSERT INTO customer(id, name) VALUES (7, 'x'), (1, 'y')",
        "INSERT OR FAIL INTO customer(id, name) VALUES (7, 'x'), (1, 'y')",
        "UPDATE customer SET email = 'same'", "INSERT INTO orders VALUES (1, 99, 0)"}) {
    EXPECT_THAT(changed(*transaction, failing), HasSubstr("constraint failed")) << failing;
  }
  EXPECT_THAT(seen(*transaction, "SELECT id FROM customer WHERE id = 7"), "");
  EXPECT_THAT(seen(*transaction, kCustomers), HasSubstr("\"A\""));
  EXPECT_FALSE(transaction->commit(in_time()).error);
  EXPECT_THAT(read(kCustomers), HasSubstr("\"A\""));
}

TEST_F(SqliteWriterTest, UndoTakesBackOneRunAfterTheOther) {
  const auto transaction = begun(*source_);
  EXPECT_FALSE(transaction->undo(in_time()));
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = 'one'"), "3 affected");
  EXPECT_EQ(changed(*transaction, "CREATE TABLE extra(a)"), "done");
  EXPECT_EQ(changed(*transaction, "INSERT INTO extra VALUES (1)"), "1 affected");
  EXPECT_TRUE(transaction->undo(in_time()));
  EXPECT_EQ(seen(*transaction, "SELECT a FROM extra"), "");
  EXPECT_TRUE(transaction->undo(in_time()));
  EXPECT_THAT(seen(*transaction, "SELECT a FROM extra"), HasSubstr("no such table"));
  EXPECT_THAT(changed(*transaction, "INSERT INTO extra VALUES (1)"), HasSubstr("no such table"));
  EXPECT_EQ(changed(*transaction, "CREATE VIEW extra AS SELECT 1 AS a"), "done");
  EXPECT_THAT(changed(*transaction, "INSERT INTO extra VALUES (1)"), HasSubstr("extra"));
  EXPECT_TRUE(transaction->undo(in_time()));
  EXPECT_THAT(seen(*transaction, kCustomers), HasSubstr("one"));
  EXPECT_TRUE(transaction->undo(in_time()));
  EXPECT_THAT(seen(*transaction, kCustomers), HasSubstr("Ann"));
  EXPECT_FALSE(transaction->undo(in_time()));
  EXPECT_FALSE(transaction->commit(in_time()).error);
  EXPECT_THAT(read(kCustomers), HasSubstr("Ann"));
}

TEST_F(SqliteWriterTest, RollsBackWhenAskedAndWhenItGoes) {
  const std::string before = read(kCustomers);
  {
    const auto transaction = begun(*source_);
    EXPECT_EQ(changed(*transaction, "DELETE FROM customer").substr(0, 10), "3 affected");
    EXPECT_TRUE(transaction->roll_back(in_time()));
    EXPECT_FALSE(transaction->roll_back(in_time()));
    EXPECT_TRUE(transaction->commit(in_time()).error);
  }
  EXPECT_EQ(read(kCustomers), before);
  EXPECT_EQ(changed(*begun(*source_), "DELETE FROM customer").substr(0, 10), "3 affected");
  EXPECT_EQ(read(kCustomers), before);
  EXPECT_FALSE(std::filesystem::exists(path_.native() + "-journal"));
}

TEST_F(SqliteWriterTest, ForeignKeysAreHeld) {
  const auto transaction = begun(*source_);
  EXPECT_THAT(changed(*transaction, "INSERT INTO orders VALUES (1, 99, 0)"),
              HasSubstr("FOREIGN KEY constraint failed"));
  EXPECT_EQ(changed(*transaction,
                    "CREATE TABLE late(c REFERENCES customer(id) DEFERRABLE INITIALLY DEFERRED)"),
            "done");
  EXPECT_EQ(changed(*transaction, "INSERT INTO late VALUES (99)"), "1 affected");
  const CommitOutcome outcome = transaction->commit(in_time());
  ASSERT_TRUE(outcome.error);
  EXPECT_FALSE(outcome.is_unknown);
  EXPECT_THAT(outcome.error->message, HasSubstr("a rule of the table; everything was rolled back"));
  EXPECT_EQ(ask(*source_, "SELECT * FROM late").code(), ErrorCode::NotFound);
}

TEST_F(SqliteWriterTest, ADeadlineEndsTheTransaction) {
  const std::string before = read(kCustomers);
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = 'gone'"), "3 affected");
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO log(text) "
      "SELECT "
      "i FROM n";
  EXPECT_THAT(changed(*transaction, write_of(endless), in_time(std::chrono::milliseconds(150))),
              HasSubstr("deadline"));
  EXPECT_THAT(changed(*transaction, "DELETE FROM log"), HasSubstr("the transaction is over"));
  EXPECT_THAT(seen(*transaction, "SELECT 1"), HasSubstr("the transaction is over"));
  EXPECT_FALSE(transaction->undo(in_time()));
  EXPECT_TRUE(transaction->commit(in_time()).error);
  EXPECT_EQ(read(kCustomers), before);
  EXPECT_EQ(read("SELECT * FROM log"), "");
}

TEST_F(SqliteWriterTest, ADeadlineOfAReadEndsTheTransaction) {
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = 'gone'"), "3 affected");
  TableQuery query;
  query.sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
  TermSink sink;
  const TableRun run = transaction->read(query, sink, in_time(std::chrono::milliseconds(100)));
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.error->code, ErrorCode::LimitExceeded);
  EXPECT_THAT(seen(*transaction, "SELECT 1"), HasSubstr("the transaction is over"));
  EXPECT_THAT(read(kCustomers), HasSubstr("Ann"));
}

TEST_F(SqliteWriterTest, ReadingErrorsLeaveTheTransactionAsItIs) {
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = 'new'"), "3 affected");
  EXPECT_THAT(seen(*transaction, "SELECT missing FROM customer"), HasSubstr("no such column"));
  EXPECT_THAT(seen(*transaction, "SELECT load_extension('x')"), HasSubstr("not allowed"));
  EXPECT_THAT(changed(*transaction, "UPDATE customer SET missing = 1"),
              HasSubstr("no such column"));
  EXPECT_THAT(seen(*transaction, kCustomers), HasSubstr("new"));
  EXPECT_FALSE(transaction->commit(in_time()).error);
  EXPECT_THAT(read(kCustomers), HasSubstr("new"));
}

TEST_F(SqliteWriterTest, ParametersHaveToFit) {
  EXPECT_THAT(examined(*source_, "DELETE FROM log WHERE id = ?"),
              HasSubstr("the statement has 1 parameters, 0 were given"));
  TableWrite write = write_of("DELETE FROM customer WHERE name IS ?");
  write.parameters.assign(1, std::nullopt);
  EXPECT_THAT(changed(*begun(*source_), write), ::testing::StartsWith("0 affected"));
}

TEST_F(SqliteWriterTest, TransactionsTakeTurns) {
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([this] {
      for (int j = 0; j < 5; ++j) {
        EXPECT_EQ(committed(*source_, "INSERT INTO log(text) SELECT count(*) FROM log"),
                  "1 affected");
      }
    });
  }
  writers.clear();
  EXPECT_THAT(read("SELECT count(*), count(DISTINCT text) FROM log"), HasSubstr("\"20\""));
}

TEST_F(SqliteWriterTest, ACancellationEndsTheTransaction) {
  const std::string before = read(kCustomers);
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "UPDATE customer SET name = 'gone'"), "3 affected");
  OpContext context = in_time();
  std::jthread cancelling([token = context.cancel] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    token.cancel();
  });
  const WriteRun run = transaction->run(
      write_of("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO "
               "log(text) SELECT i FROM n"),
      nullptr, context);
  ASSERT_TRUE(run.error);
  EXPECT_EQ(run.error->code, ErrorCode::Cancelled);
  EXPECT_EQ(read(kCustomers), before);
  EXPECT_EQ(read("SELECT * FROM log"), "");
  EXPECT_EQ(committed(*source_, "INSERT INTO log(text) VALUES (1)"), "1 affected");
}

TEST_F(SqliteWriterTest, AnotherWriterIsWaitedForInTime) {
  Writer other(path_);
  other.run("BEGIN IMMEDIATE");
  const auto refused = source_->writer()->begin(in_time(std::chrono::milliseconds(300)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("another process is writing"));
  std::jthread ending([&other] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    other.run("COMMIT");
  });
  EXPECT_NE(begun(*source_), nullptr);
}

TEST_F(SqliteWriterTest, ReadersInTheWayOfACommitRollItBack) {
  Writer other(path_);
  other.run("BEGIN; SELECT count(*) FROM customer");
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "INSERT INTO log(text) VALUES (1)"), "1 affected");
  const CommitOutcome outcome = transaction->commit(in_time(std::chrono::milliseconds(300)));
  ASSERT_TRUE(outcome.error);
  EXPECT_FALSE(outcome.is_unknown);
  EXPECT_EQ(outcome.error->code, ErrorCode::Unavailable);
  other.run("COMMIT");
  EXPECT_EQ(read("SELECT * FROM log"), "");
}

TEST_F(SqliteWriterTest, ARollbackByTheDatabaseEndsTheTransaction) {
  run_outside(
      "CREATE TRIGGER strict BEFORE DELETE ON customer BEGIN SELECT RAISE(ROLLBACK, 'never'); END");
  const auto transaction = begun(*source_);
  EXPECT_EQ(changed(*transaction, "INSERT INTO log(text) VALUES (1)"), "1 affected");
  EXPECT_THAT(changed(*transaction, "DELETE FROM customer"), HasSubstr("never"));
  EXPECT_THAT(changed(*transaction, "INSERT INTO log(text) VALUES (1)"),
              HasSubstr("the transaction is over"));
  EXPECT_EQ(read("SELECT * FROM log"), "");
}

TEST_F(SqliteWriterTest, FilesThatMayNotBeWrittenAreToldOf) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write to every file";
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  const auto refused = source_->writer()->begin(in_time());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Denied);
}

}  // namespace
}  // namespace helve::sql
