// Changes to a MariaDB database, live: what is made, undone, refused, lost.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <thread>

#include "base/env.h"
#include "sources/sql/mysql/mysql_source.h"
#include "sources/table_writer.h"
#include "tests/integration/sql/mysql/live_server.h"

namespace helve::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class MysqlWriteLive : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (server_ == nullptr) return;
    server_->run(R"sql(
      DROP DATABASE IF EXISTS works; CREATE DATABASE works; USE works;
      CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(10) UNIQUE,
        price INT CHECK (price >= 0), secret VARCHAR(10));
      CREATE TABLE part (item INT, n INT,
        FOREIGN KEY (item) REFERENCES item (id) ON DELETE CASCADE);
      CREATE TABLE hidden (x INT); INSERT INTO hidden VALUES (1);
      CREATE TABLE tag (id INT PRIMARY KEY, n INT); INSERT INTO tag VALUES (1, 1);
      CREATE TABLE logged (x INT); CREATE TABLE log (x INT);
      CREATE TRIGGER noted AFTER INSERT ON logged FOR EACH ROW INSERT INTO log VALUES (NEW.x);
      CREATE TABLE old (x INT) ENGINE=MyISAM;
      CREATE VIEW seen AS SELECT id, name FROM item;
      INSERT INTO item (name, price, secret) VALUES ('n1', 1, 's1'), ('n2', 2, 's2'), ('n3', 3, 's3'),
        ('n4', 4, 's4'), ('n5', 5, 's5');
      INSERT INTO part SELECT id, id * 10 FROM item;
      CREATE OR REPLACE USER author@localhost IDENTIFIED BY 'pass word';
      GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, CREATE VIEW, REFERENCES, TRIGGER
        ON works.* TO author@localhost;)sql");
    open("author");
  }

  void open(const std::string& user, Duration acquire = 5s) {
    DatabaseOptions options;
    options.name = "works";
    options.is_writable = true;
    options.acquire_timeout = acquire;
    options.address.dialect = SqlDialect::MySql;
    options.address.user = user;
    options.address.database = "works";
    options.address.host = server_->socket;
    options.address.password_reference = "env:SHOP_PASSWORD";
    options.read_variable = [](const char*) { return "pass word"; };
    source_ = open_mysql(std::move(options), real_env()).value();
    writer_ = source_->writer();
    ASSERT_NE(writer_, nullptr);
  }

  static TableWrite write_of(const std::string& sql, std::vector<SqlValue> parameters = {}) {
    TableWrite write;
    write.sql = sql;
    write.parameters = std::move(parameters);
    return write;
  }
  std::unique_ptr<WriteTransaction> begin() {
    auto transaction = writer_->begin(within(20s));
    EXPECT_TRUE(transaction) << transaction.error().to_string();
    return *std::move(transaction);
  }
  static std::string run_in(WriteTransaction& transaction, const TableWrite& write,
                            RowSink* sink = nullptr, Duration time = 20s) {
    const WriteRun done = transaction.run(write, sink, within(time));
    if (done.error) return done.error->to_string();
    return done.affected ? std::to_string(*done.affected) : "done";
  }
  static std::string run_in(WriteTransaction& transaction, const std::string& sql) {
    return run_in(transaction, write_of(sql));
  }
  WriteOutline outline(const std::string& sql) {
    auto found = writer_->examine(write_of(sql), problem_, within(20s));
    EXPECT_TRUE(found) << sql << ": " << found.error().to_string();
    return found ? *std::move(found) : WriteOutline{};
  }
  ErrorCode refusal(const std::string& sql) {
    auto found = writer_->examine(write_of(sql), problem_, within(20s));
    EXPECT_FALSE(found) << sql;
    auto tx = begin();
    const WriteRun done = tx->run(write_of(sql), nullptr, within(20s));
    EXPECT_TRUE(done.error) << sql;
    return found ? ErrorCode::Internal : found.error().code;
  }
  static std::string committed(WriteTransaction& transaction) {
    const CommitOutcome outcome = transaction.commit(within(20s));
    return outcome.error ? outcome.error->to_string() : "yes";
  }
  std::string ask(const std::string& sql) { return server_->ask(sql); }

  std::shared_ptr<const TableSource> source_;
  const TableWriter* writer_ = nullptr;
  SqlProblem problem_;
};

TEST_F(MysqlWriteLive, OnlyWhereAsked) { EXPECT_EQ(server_->open("writer")->writer(), nullptr); }

TEST_F(MysqlWriteLive, ChangesAndCounts) {
  auto tx = begin();
  KeptRows returned;
  EXPECT_EQ(
      run_in(*tx,
             write_of(
                 "INSERT INTO item (name, price) VALUES (?, ?), ('b', 3) RETURNING id, name",
                 {rdf::Term(rdf::TermView::literal("a")), rdf::Term(rdf::TermView::literal("7"))}),
             &returned),
      "2");
  ASSERT_EQ(returned.rows.size(), 2U);
  EXPECT_EQ(returned.shown(0, 1), "a");
  EXPECT_EQ(run_in(*tx, "UPDATE item SET price = 3 WHERE price >= 3"), "5");  // those that match
  EXPECT_EQ(run_in(*tx, "DELETE FROM item WHERE id = 1"), "1");
  EXPECT_EQ(run_in(*tx,
                   "INSERT INTO item (name, price) VALUES ('n2', 50) ON DUPLICATE KEY UPDATE "
                   "price = VALUES(price)"),
            "2");
  EXPECT_EQ(run_in(*tx, "REPLACE INTO tag VALUES (1, 2)"), "2");
  EXPECT_EQ(run_in(*tx, "INSERT INTO item SET name = 'set'"), "1");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.item"), "5");  // nothing is seen outside
  KeptRows inside;
  TableQuery query;
  query.sql = "SELECT COUNT(*) FROM item";
  EXPECT_FALSE(tx->read(query, inside, within(5s)).error);
  EXPECT_EQ(inside.shown(0, 0), "7 integer");
  EXPECT_EQ(committed(*tx), "yes");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.item"), "7");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.part"), "4");
  EXPECT_THAT(run_in(*tx, "DELETE FROM item"), HasSubstr("over"));
}

TEST_F(MysqlWriteLive, UndoesAndRollsBack) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "DELETE FROM item WHERE id = 1"), "1");
  EXPECT_EQ(run_in(*tx, "DELETE FROM item WHERE id = 2"), "1");
  EXPECT_THAT(run_in(*tx, "INSERT INTO item (name, price) VALUES ('ok', 1), ('x', -1)"),
              HasSubstr("CONSTRAINT"));
  EXPECT_THAT(run_in(*tx, "INSERT INTO item (name) VALUES ('n3')"), HasSubstr("Duplicate"));
  EXPECT_THAT(run_in(*tx, "INSERT INTO item (name) VALUES ('much too long a name')"),
              HasSubstr("too long"));
  EXPECT_THAT(run_in(*tx, "UPDATE item SET price = 'many'"), HasSubstr("ncorrect integer"));
  EXPECT_TRUE(tx->undo(within(5s)));
  EXPECT_EQ(run_in(*tx, "DELETE FROM item WHERE id IN (1, 2)"), "1");
  EXPECT_TRUE(tx->undo(within(5s)));
  EXPECT_TRUE(tx->undo(within(5s)));
  EXPECT_FALSE(tx->undo(within(5s)));
  EXPECT_EQ(run_in(*tx, "DELETE FROM item"), "5");
  EXPECT_TRUE(tx->roll_back(within(5s)));
  EXPECT_THAT(committed(*tx), HasSubstr("over"));
  {
    auto left = begin();
    EXPECT_EQ(run_in(*left, "DELETE FROM item"), "5");
  }
  auto next = begin();
  EXPECT_EQ(run_in(*next, "UPDATE item SET price = 9"), "5");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.item"), "5");
}

TEST_F(MysqlWriteLive, ReadsCannotChange) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "UPDATE item SET price = 0 WHERE id = 1"), "1");
  for (const std::string sql : {"DELETE FROM item", "SELECT 1 INTO OUTFILE '/tmp/x'",
                                "SELECT * FROM item FOR UPDATE", "SHOW TABLES"}) {
    TableQuery query;
    query.sql = sql;
    KeptRows rows;
    const TableRun done = tx->read(query, rows, within(5s));
    ASSERT_TRUE(done.error) << sql;
    EXPECT_EQ(done.error->code, ErrorCode::Denied) << sql;
  }
  TableQuery query;
  query.sql = "SELECT seq FROM seq_1_to_5000";
  query.rows_max = 10;
  KeptRows rows;
  const TableRun done = tx->read(query, rows, within(5s));
  EXPECT_FALSE(done.error);
  EXPECT_TRUE(done.has_more);
  EXPECT_EQ(rows.rows.size(), 10U);
  query.sql = "SELECT * FROM itme";
  EXPECT_EQ(tx->read(query, rows, within(5s)).error->code, ErrorCode::NotFound);
  EXPECT_EQ(run_in(*tx, "UPDATE item SET price = 1 WHERE id = 1"), "1");
  EXPECT_EQ(committed(*tx), "yes");
}

TEST_F(MysqlWriteLive, ReturnsNoMoreThanAsked) {
  auto tx = begin();
  TableWrite write = write_of("DELETE FROM part RETURNING n");
  write.rows_max = 2;
  KeptRows rows;
  const WriteRun done = tx->run(write, &rows, within(5s));
  EXPECT_EQ(done.affected, 5U);
  EXPECT_EQ(rows.rows.size(), 2U);
  EXPECT_THAT(done.notes, ElementsAre(HasSubstr("first 2 rows")));
}

TEST_F(MysqlWriteLive, WaitsForLocksWithinTheTime) {
  auto one = begin();
  auto two = begin();
  EXPECT_EQ(run_in(*one, "UPDATE item SET price = 7 WHERE id = 1"), "1");
  EXPECT_THAT(run_in(*two, write_of("UPDATE item SET price = 8 WHERE id = 1"), nullptr, 3s),
              HasSubstr("ock wait timeout"));
  EXPECT_EQ(run_in(*two, "UPDATE item SET price = 8 WHERE id = 2"), "1");
  EXPECT_EQ(committed(*one), "yes");
  EXPECT_EQ(committed(*two), "yes");
  EXPECT_EQ(ask("SELECT SUM(price) FROM works.item WHERE id < 3"), "15");
}

TEST_F(MysqlWriteLive, ADeadlineEndsTheTransaction) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "DELETE FROM item WHERE id = 5"), "1");
  auto other = begin();
  EXPECT_EQ(run_in(*other, "UPDATE item SET price = 7 WHERE id = 1"), "1");
  const WriteRun done =
      tx->run(write_of("UPDATE item SET name = 'late' WHERE id = 1"), nullptr, within(600ms));
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code, ErrorCode::LimitExceeded);
  EXPECT_THAT(run_in(*tx, "DELETE FROM item WHERE id = 4"), HasSubstr("rolled back"));
  EXPECT_THAT(committed(*tx), HasSubstr("rolled back"));
  EXPECT_EQ(committed(*other), "yes");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.item"), "5");
}

TEST_F(MysqlWriteLive, ADeadlockEndsTheTransaction) {
  auto one = begin();
  auto two = begin();
  EXPECT_EQ(run_in(*one, "UPDATE item SET price = 70 WHERE id = 1"), "1");
  EXPECT_EQ(run_in(*two, "UPDATE item SET price = 80 WHERE id = 2"), "1");
  std::string first;
  std::thread other([&] { first = run_in(*one, "UPDATE item SET price = 71 WHERE id = 2"); });
  const std::string second = run_in(*two, "UPDATE item SET price = 81 WHERE id = 1");
  other.join();
  WriteTransaction& loser = first == "1" ? *two : *one;
  WriteTransaction& winner = first == "1" ? *one : *two;
  EXPECT_NE(first == "1", second == "1") << first << " / " << second;
  EXPECT_THAT(committed(loser), HasSubstr("rolled back"));
  EXPECT_EQ(committed(winner), "yes");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.item WHERE price >= 70"), "2");
}

TEST_F(MysqlWriteLive, AConnectionThatIsKilled) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "DELETE FROM item"), "5");
  const std::string id =
      ask("SELECT trx_mysql_thread_id FROM information_schema.innodb_trx LIMIT 1");
  server_->run("KILL " + id);
  const CommitOutcome outcome = tx->commit(within(5s));
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, ErrorCode::Unavailable);
  EXPECT_FALSE(outcome.is_unknown);
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.item"), "5");
  auto next = begin();
  EXPECT_EQ(run_in(*next, "DELETE FROM item WHERE id = 1"), "1");
  EXPECT_EQ(committed(*next), "yes");
}

TEST_F(MysqlWriteLive, ACommitThatIsNotAnsweredIsUnknown) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "DELETE FROM item WHERE id = 1"), "1");
  // While another session holds this lock, commits wait.
  std::thread holder([this] { server_->run("FLUSH TABLES WITH READ LOCK; DO SLEEP(3)"); });
  for (int i = 0;
       i < 250 && ask("SELECT COUNT(*) FROM information_schema.processlist WHERE state = "
                      "'User sleep'") == "0";
       ++i) {
    std::this_thread::sleep_for(20ms);
  }
  const CommitOutcome outcome = tx->commit(within(500ms));
  EXPECT_TRUE(outcome.error && outcome.is_unknown);
  holder.join();
}

TEST_F(MysqlWriteLive, HasFewConnections) {
  open("author", 50ms);
  std::vector<std::unique_ptr<WriteTransaction>> all;
  for (int i = 0; i < 4; ++i) all.push_back(begin());
  const auto more = writer_->begin(within(5s));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(all.front()->roll_back(within(5s)));  // which frees its place
  EXPECT_TRUE(writer_->begin(within(5s)));
}

TEST_F(MysqlWriteLive, TellsWhatWouldHappen) {
  WriteOutline told = outline("DELETE FROM item WHERE id = 1");
  EXPECT_EQ(told.kind, WriteKind::Delete);
  EXPECT_EQ(told.schema, "works");
  EXPECT_EQ(told.table, "item");
  EXPECT_TRUE(told.can_try);
  EXPECT_TRUE(told.can_roll_back);
  EXPECT_EQ(told.estimated_rows, 1);
  EXPECT_THAT(told.notes, ElementsAre(HasSubstr("works.part")));
  EXPECT_THAT(outline("UPDATE item SET price = 1").notes, IsEmpty());
  EXPECT_EQ(outline("INSERT INTO hidden VALUES (1), (2)").estimated_rows, 2);
  EXPECT_GE(outline("INSERT INTO hidden SELECT id FROM item").estimated_rows.value_or(0), 5);
  told = outline("INSERT INTO logged VALUES (1)");
  EXPECT_FALSE(told.can_try);
  EXPECT_THAT(told.notes, ElementsAre(HasSubstr("noted")));
  EXPECT_TRUE(outline("DELETE FROM logged").can_try);
  told = outline("DROP TABLE log");
  EXPECT_FALSE(told.can_roll_back);
  EXPECT_FALSE(told.can_try);
  EXPECT_EQ(refusal("DELETE FROM old"), ErrorCode::Denied);
  EXPECT_EQ(refusal("UPDATE seen SET name = 'x'"), ErrorCode::Denied);
  EXPECT_EQ(refusal("DELETE FROM itme"), ErrorCode::NotFound);
  EXPECT_EQ(problem_.kind, SqlProblem::Kind::UnknownTable);
  EXPECT_EQ(refusal("UPDATE item SET nmae = 1"), ErrorCode::NotFound);
  EXPECT_EQ(refusal("UPDATE item SET name = ?"), ErrorCode::InvalidInput);
  EXPECT_EQ(refusal("UPDATE information_schema.tables SET table_name = 'x'"), ErrorCode::Denied);
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.item"), "5");
  server_->run("REVOKE TRIGGER ON works.* FROM author@localhost");
  open("author");
  EXPECT_FALSE(outline("DELETE FROM logged").can_try);  // there may be some that are not seen
}

TEST_F(MysqlWriteLive, DefinitionsStay) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx,
                   "CREATE TABLE fresh (id INT PRIMARY KEY, item INT, KEY k (item), FOREIGN KEY "
                   "(item) REFERENCES item (id))"),
            "done");
  EXPECT_FALSE(tx->undo(within(5s)));
  EXPECT_THAT(run_in(*tx, "INSERT INTO fresh VALUES (1, 1)"), HasSubstr("alone"));
  EXPECT_FALSE(tx->roll_back(within(5s)));
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.fresh"), "0");
  auto other = begin();
  EXPECT_EQ(run_in(*other, "INSERT INTO fresh VALUES (1, 1)"), "1");
  EXPECT_THAT(run_in(*other, "ALTER TABLE fresh ADD COLUMN note VARCHAR(5) DEFAULT 'x'"),
              HasSubstr("alone"));
  EXPECT_TRUE(other->roll_back(within(5s)));
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.fresh"), "0");
  for (const std::string sql :
       {"ALTER TABLE fresh ADD COLUMN note VARCHAR(5) DEFAULT 'x'",
        "CREATE INDEX n ON fresh (note)", "DROP INDEX n ON fresh",
        "CREATE VIEW fv AS SELECT id FROM fresh", "DROP VIEW fv", "RENAME TABLE fresh TO stale",
        "TRUNCATE TABLE stale", "DROP TABLE stale"}) {
    auto next = begin();
    EXPECT_EQ(run_in(*next, sql), "done") << sql;
    EXPECT_EQ(committed(*next), "yes");
  }
}

TEST_F(MysqlWriteLive, StoredFunctionsAreNotRun) {
  server_->run("USE works; CREATE FUNCTION json_merge_x() RETURNS INT DETERMINISTIC RETURN 1");
  EXPECT_EQ(refusal("UPDATE item SET price = json_merge_x()"), ErrorCode::Denied);
  EXPECT_EQ(refusal("UPDATE item SET price = works.json_merge_x()"), ErrorCode::Denied);
}

TEST_F(MysqlWriteLive, CountsRowsThatForeignKeysTake) {
  server_->run(R"sql(USE works;
    ALTER TABLE part ADD COLUMN id INT PRIMARY KEY AUTO_INCREMENT;
    CREATE TABLE bit (part INT, FOREIGN KEY (part) REFERENCES part (id) ON DELETE SET NULL);
    CREATE TABLE coded (item INT, FOREIGN KEY (item) REFERENCES item (id) ON UPDATE CASCADE
      ON DELETE CASCADE);
    CREATE TABLE node (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES node (id)
      ON DELETE CASCADE);
    INSERT INTO part (item, n) SELECT 1, seq FROM seq_1_to_9;
    INSERT INTO bit SELECT id FROM part WHERE item = 1;
    INSERT INTO coded VALUES (2), (2);
    INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2), (4, 2), (5, NULL);)sql");
  const auto run = [](WriteTransaction& tx, const std::string& sql, std::uint64_t most = 100,
                      std::vector<SqlValue> parameters = {}) {
    TableWrite write = write_of(sql, std::move(parameters));
    write.changes_max = most;
    const WriteRun done = tx.run(write, nullptr, within(20s));
    if (done.is_too_much) return std::string("too much");
    if (done.error) return done.error->to_string();
    return fmt::format("{} and {}", *done.affected, done.besides);
  };
  auto tx = begin();
  const SqlValue one = rdf::Term(rdf::TermView::literal("1"));
  EXPECT_EQ(run(*tx, "DELETE FROM item WHERE item.id = ?", 20, {one}), "too much");
  KeptRows inside;
  TableQuery query;
  query.sql = "SELECT COUNT(*) FROM part";
  EXPECT_FALSE(tx->read(query, inside, within(5s)).error);
  EXPECT_EQ(inside.shown(0, 0), "14 integer");  // it was not run
  EXPECT_EQ(run(*tx, "DELETE FROM item WHERE item.id = ?", 21, {one}), "1 and 20");
  EXPECT_EQ(run(*tx, "UPDATE item SET price = 7 WHERE id = 2"), "1 and 0");
  EXPECT_EQ(run(*tx, "DELETE FROM part WHERE item = 2"), "1 and 0");
  EXPECT_EQ(run(*tx, "UPDATE item SET price = ?, id = 20 WHERE price = 7", 100, {one}), "1 and 2");
  EXPECT_EQ(run(*tx, "DELETE FROM node WHERE id = 1"), "1 and 3");
  EXPECT_EQ(run(*tx, "DELETE FROM node WHERE id = 5"), "1 and 0");
  EXPECT_THAT(run(*tx, "DELETE FROM item ORDER BY id LIMIT 1"), HasSubstr("of this form"));
  EXPECT_THAT(run(*tx, "REPLACE INTO item (id, name) VALUES (3, 'n3')"),
              HasSubstr("may follow by a foreign key"));
  EXPECT_EQ(run(*tx, "DELETE FROM part WHERE item IS NOT NULL"), "3 and 0");
  EXPECT_EQ(run(*tx, "DELETE FROM coded"), "2 and 0");
  EXPECT_EQ(run(*tx, "REPLACE INTO item (id, name) VALUES (3, 'n3')"), "2 and 0");
  EXPECT_EQ(committed(*tx), "yes");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.bit WHERE part IS NULL"), "10");
}

TEST_F(MysqlWriteLive, CountsRowsThatTriggersChange) {
  for (const bool is_seen : {true, false}) {
    if (!is_seen) server_->run("REVOKE TRIGGER ON works.* FROM author@localhost");
    open("author");
    auto tx = begin();
    const WriteRun done =
        tx->run(write_of("INSERT INTO logged VALUES (1), (2), (3)"), nullptr, within(20s));
    ASSERT_FALSE(done.error) << done.error->to_string();
    EXPECT_EQ(done.affected, 3U);
    EXPECT_EQ(done.besides, 3U);
    const WriteRun none = tx->run(write_of("DELETE FROM logged"), nullptr, within(20s));
    ASSERT_FALSE(none.error) << none.error->to_string();
    EXPECT_EQ(none.affected, 3U);
    EXPECT_EQ(none.besides, 0U);
  }
}

TEST_F(MysqlWriteLive, RowsThatCannotBeSeenAreNotTaken) {
  server_->run(R"sql(
    CREATE OR REPLACE USER poor@localhost IDENTIFIED BY 'pass word';
    GRANT SELECT, INSERT, UPDATE, DELETE ON works.item TO poor@localhost;
    GRANT SELECT, INSERT, UPDATE, DELETE ON works.tag TO poor@localhost;)sql");
  for (const bool has_trigger_right : {false, true}) {
    if (has_trigger_right) server_->run("GRANT TRIGGER ON works.item TO poor@localhost");
    open("poor");
    auto tx = begin();
    EXPECT_THAT(run_in(*tx, "DELETE FROM item WHERE id = 1"), HasSubstr("may not see"));
    EXPECT_EQ(run_in(*tx, "UPDATE item SET price = 1 WHERE id = 1"), "1");
    EXPECT_EQ(run_in(*tx, "DELETE FROM tag"), "1");
    EXPECT_EQ(run_in(*tx, "INSERT INTO item (name) VALUES ('x')"), "1");
  }
  EXPECT_EQ(ask("SELECT COUNT(*) FROM works.part"), "5");
}

class MysqlWriteRules : public MysqlWriteLive {
 protected:
  void SetUp() override {
    MysqlWriteLive::SetUp();
    if (server_ == nullptr) return;
    server_->run(R"sql(
      CREATE OR REPLACE USER clerk@localhost IDENTIFIED BY 'pass word';
      GRANT INSERT, UPDATE, DELETE, TRIGGER, CREATE, ALTER, DROP, INDEX ON works.* TO clerk@localhost;
      GRANT SELECT (id, name, price) ON works.item TO clerk@localhost;
      GRANT SELECT ON works.part TO clerk@localhost;)sql");
    open("clerk");
    rules_ = std::make_shared<TableRules>();
    rules_->denied_tables = {"hidden", "works.log", "logged", "old", "seen"};
    rules_->denied_columns = {"item.secret"};
  }
  ErrorCode code(const std::string& sql) {
    TableWrite write = write_of(sql);
    write.rules = rules_;
    const auto outline = writer_->examine(write, problem_, within(20s));
    auto tx = begin();
    const WriteRun done = tx->run(write, nullptr, within(20s));
    const ErrorCode in_run = done.error ? done.error->code : ErrorCode::Internal;
    const ErrorCode found = outline ? ErrorCode::Internal : outline.error().code;
    EXPECT_EQ(found, in_run) << sql << (done.error ? done.error->to_string() : "")
                             << (outline ? "" : outline.error().to_string());
    return found;
  }
  std::shared_ptr<TableRules> rules_;
};

TEST_F(MysqlWriteRules, BindWhatIsChangedAndRead) {
  constexpr auto kPassed = ErrorCode::Internal;
  EXPECT_EQ(code("UPDATE item SET price = 1 WHERE name = 'n1'"), kPassed);
  EXPECT_EQ(code("INSERT INTO item (name) VALUES ('z') RETURNING id"), kPassed);
  EXPECT_EQ(code("DELETE FROM item WHERE id = 1"), kPassed);
  for (const std::string sql : {
           "UPDATE hidden SET x = 2",
           "UPDATE works.hidden SET x = 2",
           "INSERT INTO hidden VALUES (1)",
           "DELETE FROM `HIDDEN`",
           "UPDATE item SET secret = 'x'",
           "UPDATE item SET item.`SECRET` = 'x'",
           "INSERT INTO item (name, secret) VALUES ('a', 'b')",
           "INSERT INTO item VALUES (100, 'a', 1, 'b')",
           "INSERT INTO item (name) VALUES ('n1') ON DUPLICATE KEY UPDATE secret = 'x'",
           "INSERT INTO item SET secret = 'x'",
           "UPDATE item SET price = 1 WHERE secret = 's1'",
           "UPDATE item SET name = secret",
           "DELETE FROM item RETURNING secret",
           "DELETE FROM item RETURNING *",
           "DELETE FROM item WHERE id IN (SELECT x FROM hidden)",
           "INSERT INTO part SELECT x, x FROM hidden",
           "UPDATE seen SET name = 'x'",
           "ALTER TABLE item RENAME COLUMN secret TO open",
           "CREATE INDEX i ON item (secret)",
           "DROP TABLE hidden",
           "CREATE TABLE hidden (x INT)",
           "RENAME TABLE part TO hidden",
       }) {
    EXPECT_EQ(code(sql), ErrorCode::Denied) << sql;
  }
  rules_ = std::make_shared<TableRules>(*rules_);
  rules_->allowed_tables = {"item", "works.part"};
  EXPECT_EQ(code("DELETE FROM part"), kPassed);
  EXPECT_EQ(code("DELETE FROM logged"), ErrorCode::Denied);
  EXPECT_EQ(code("CREATE TABLE anything (x INT)"), ErrorCode::Denied);
  server_->run("REVOKE SELECT ON works.part FROM clerk@localhost");
  open("clerk");
  rules_ = std::make_shared<TableRules>(*rules_);
  rules_->denied_tables.emplace_back("part");
  EXPECT_EQ(code("DELETE FROM item"), ErrorCode::Denied);  // rows of part would follow
}

TEST_F(MysqlWriteRules, HoldForWhatTriggersAndForeignKeysDo) {
  server_->run(R"sql(
    USE works; CREATE TABLE watched (id INT PRIMARY KEY, x INT); INSERT INTO watched VALUES (1, 1);
    CREATE TRIGGER telling AFTER UPDATE ON watched FOR EACH ROW INSERT INTO log VALUES (NEW.x);
    CREATE TRIGGER mending BEFORE INSERT ON watched FOR EACH ROW SET NEW.x = 5;
    GRANT SELECT ON works.watched TO clerk@localhost; GRANT SELECT ON works.tag TO clerk@localhost;
    DROP DATABASE IF EXISTS vault; CREATE DATABASE vault; USE vault;
    CREATE TABLE kept (tag INT, FOREIGN KEY (tag) REFERENCES works.tag (id) ON DELETE CASCADE);
    INSERT INTO kept VALUES (1);)sql");
  const auto run = [&](const std::string& sql) {
    TableWrite write = write_of(sql);
    write.rules = rules_;
    auto tx = begin();
    return run_in(*tx, write);
  };
  open("clerk");
  EXPECT_THAT(run("UPDATE watched SET x = 2"), HasSubstr("rules for tables"));
  EXPECT_EQ(run("INSERT INTO watched VALUES (2, 2)"), "1");  // it reaches no other table
  EXPECT_EQ(run("DELETE FROM watched"), "1");
  EXPECT_THAT(run("DELETE FROM tag WHERE id = 1"), HasSubstr("rules for tables"));
  EXPECT_EQ(run("UPDATE tag SET n = 3"), "1");
  rules_ = nullptr;
  EXPECT_THAT(run("DELETE FROM tag WHERE id = 1"), HasSubstr("may not see"));
  EXPECT_EQ(run("UPDATE watched SET x = 2"), "1");
  EXPECT_EQ(ask("SELECT COUNT(*) FROM vault.kept"), "1");
  server_->run("DROP DATABASE vault");
}

TEST_F(MysqlWriteRules, RightsMustBackThem) {
  server_->run("GRANT SELECT ON works.hidden TO clerk@localhost");
  EXPECT_EQ(code("UPDATE item SET price = 1"), ErrorCode::Denied);
}

}  // namespace
}  // namespace helve::sql
