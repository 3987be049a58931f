// Changes to a database, live: what is made, undone, refused, lost.
#include <atomic>
#include <csignal>

#include "sources/rdf/vocabulary.h"
#include "sources/sql/postgres/live/postgres_live_testing.h"
#include "sources/table_writer.h"

namespace helve::sql {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PostgresWriteLive : public PostgresLive {
 protected:
  void SetUp() override {
    if (!server_->is_running()) GTEST_SKIP() << "no PostgreSQL server is installed";
    execute(R"(
      SET client_min_messages = warning;
      DROP SCHEMA IF EXISTS w CASCADE;
      DROP ROLE IF EXISTS writer;
      CREATE ROLE writer LOGIN;
      CREATE SCHEMA w AUTHORIZATION writer;
      SET ROLE writer;
      CREATE TABLE w.item (id serial PRIMARY KEY, name text UNIQUE, price numeric CHECK (price >= 0),
                           secret text);
      CREATE TABLE w.part (item int REFERENCES w.item (id) ON DELETE CASCADE ON UPDATE CASCADE, n int);
      CREATE TABLE w.hidden (x int);
      CREATE TABLE w.logged (x int);
      CREATE TABLE w.log (x int);
      CREATE VIEW w.seen AS SELECT id, name FROM w.item;
      INSERT INTO w.item (name, price, secret) SELECT 'n' || g, g, 's' || g FROM generate_series(1, 5) g;
      INSERT INTO w.part SELECT g, g * 10 FROM generate_series(1, 5) g;
      INSERT INTO w.hidden VALUES (1);
      RESET ROLE;
      CREATE FUNCTION w.note() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN INSERT INTO w.log VALUES (NEW.x); RETURN NEW; END$$;
      CREATE TRIGGER noted AFTER INSERT ON w.logged FOR EACH ROW EXECUTE FUNCTION w.note();
      CREATE FUNCTION w.slow() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN PERFORM pg_sleep(30); RETURN NEW; END$$;
      CREATE FUNCTION w.nap(float8) RETURNS text LANGUAGE plpgsql AS
        $$BEGIN PERFORM pg_sleep($1); RETURN ''; END$$;
      CREATE TABLE w.lazy (x int);
      CREATE CONSTRAINT TRIGGER late AFTER INSERT ON w.lazy DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION w.slow();
      GRANT ALL ON ALL TABLES IN SCHEMA w TO writer;)");
    source_ = open_writer();
    writer_ = source_->writer();
    ASSERT_NE(writer_, nullptr);
  }

  static std::shared_ptr<const TableSource> open_writer(int acquire_ms = 5'000) {
    DatabaseOptions options = options_for("writer", server_->socket());
    options.is_writable = true;
    options.acquire_timeout = std::chrono::milliseconds(acquire_ms);
    return *open_postgres(std::move(options), real_env());
  }

  std::unique_ptr<WriteTransaction> begin() {
    auto transaction = writer_->begin(within(20'000));
    EXPECT_TRUE(transaction) << transaction.error().to_string();
    return *std::move(transaction);
  }

  static TableWrite write_of(const std::string& sql, std::vector<SqlValue> parameters = {}) {
    TableWrite write;
    write.sql = sql;
    write.parameters = std::move(parameters);
    return write;
  }
  // Rows that it changed; the error's text otherwise.
  static std::string run_in(WriteTransaction& transaction, const TableWrite& write,
                            RowSink* sink = nullptr, int ms = 20'000) {
    const WriteRun done = transaction.run(write, sink, within(ms));
    if (done.error) return done.error->to_string();
    return done.affected ? std::to_string(*done.affected) : "done";
  }
  static std::string run_in(WriteTransaction& transaction, const std::string& sql) {
    return run_in(transaction, write_of(sql));
  }
  Result<WriteOutline> examine(const TableWrite& write) {
    return writer_->examine(write, problem_, within(20'000));
  }
  WriteOutline outline(const std::string& sql) {
    auto found = examine(write_of(sql));
    EXPECT_TRUE(found) << sql << ": " << found.error().to_string();
    return found ? *std::move(found) : WriteOutline{};
  }
  static std::string committed(WriteTransaction& transaction) {
    const CommitOutcome outcome = transaction.commit(within(20'000));
    return outcome.error ? outcome.error->to_string() : "yes";
  }

  const TableWriter* writer_ = nullptr;
  SqlProblem problem_;
};

TEST_F(PostgresWriteLive, OnlyWhereAsked) { EXPECT_EQ(open("writer")->writer(), nullptr); }

TEST_F(PostgresWriteLive, ChangesAndCounts) {
  auto tx = begin();
  TextSink returned;
  EXPECT_EQ(
      run_in(*tx,
             write_of("INSERT INTO w.item (name, price) VALUES ($1, $2), ('b', 3) RETURNING id, "
                      "name",
                      {value("a"), value("2.5", rdf::kXsdDecimal)}),
             &returned),
      "2");
  EXPECT_THAT(returned.rows, ElementsAre("6^integer|a", "7^integer|b"));
  EXPECT_EQ(run_in(*tx, "UPDATE w.item SET price = price + 1 WHERE id > 4"), "3");
  EXPECT_EQ(run_in(*tx, "DELETE FROM w.item WHERE id = 1"), "1");
  EXPECT_EQ(run_in(*tx,
                   "INSERT INTO w.item (name, price) VALUES ('n2', 50) ON CONFLICT (name) DO "
                   "UPDATE SET price = excluded.price"),
            "1");
  EXPECT_EQ(run_in(*tx,
                   "MERGE INTO w.item i USING (VALUES ('n3'), ('n9')) v(name) ON i.name = "
                   "v.name WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (name) VALUES "
                   "(v.name)"),
            "2");
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "5");  // nothing is seen outside
  TextSink inside;
  TableQuery query;
  query.sql = "SELECT name FROM w.item ORDER BY name";
  EXPECT_FALSE(tx->read(query, inside, within(5'000)).error);
  EXPECT_THAT(inside.rows, ElementsAre("a", "b", "n2", "n4", "n5", "n9"));
  EXPECT_EQ(committed(*tx), "yes");
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "6");
  EXPECT_EQ(value_of("SELECT count(*) FROM w.part"), "3");
  EXPECT_THAT(run_in(*tx, "DELETE FROM w.item"), HasSubstr("over"));
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "6");
}

TEST_F(PostgresWriteLive, UndoesAndRollsBack) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "DELETE FROM w.item WHERE id = 1"), "1");
  EXPECT_EQ(run_in(*tx, "DELETE FROM w.item WHERE id = 2"), "1");
  EXPECT_THAT(run_in(*tx, "INSERT INTO w.item (name, price) VALUES ('x', -1)"), HasSubstr("check"));
  EXPECT_THAT(run_in(*tx, "INSERT INTO w.item (name) VALUES ('n3')"), HasSubstr("duplicate"));
  EXPECT_TRUE(tx->undo(within(5'000)));
  EXPECT_EQ(run_in(*tx, "DELETE FROM w.item WHERE id IN (1, 2)"), "1");
  EXPECT_TRUE(tx->undo(within(5'000)));
  EXPECT_TRUE(tx->undo(within(5'000)));
  EXPECT_FALSE(tx->undo(within(5'000)));
  EXPECT_EQ(run_in(*tx, "DELETE FROM w.item"), "5");
  EXPECT_TRUE(tx->roll_back(within(5'000)));
  EXPECT_THAT(committed(*tx), HasSubstr("over"));
  {
    auto left = begin();
    EXPECT_EQ(run_in(*left, "DELETE FROM w.item"), "5");
  }
  auto next = begin();
  EXPECT_EQ(run_in(*next, "UPDATE w.item SET price = 9"), "5");  // nobody holds the rows
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "5");
}

TEST_F(PostgresWriteLive, ReadsCannotChange) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "UPDATE w.item SET price = 0 WHERE id = 1"), "1");
  for (const std::string sql : {"DELETE FROM w.item", "SELECT nextval('w.item_id_seq')",
                                "WITH x AS (DELETE FROM w.item RETURNING 1) SELECT * FROM x"}) {
    TableQuery query;
    query.sql = sql;
    TextSink sink;
    const TableRun done = tx->read(query, sink, within(5'000));
    ASSERT_TRUE(done.error) << sql;
    EXPECT_EQ(done.error->code, ErrorCode::Denied);
  }
  TableQuery query;
  query.sql = "SELECT * FROM generate_series(1, 2500)";
  query.rows_max = 2'400;
  TextSink sink;
  const TableRun done = tx->read(query, sink, within(5'000));
  EXPECT_FALSE(done.error);
  EXPECT_TRUE(done.has_more);
  EXPECT_EQ(done.rows, 2'400U);
  query.sql = "SELECT 1 / 0";
  EXPECT_TRUE(tx->read(query, sink, within(5'000)).error);
  EXPECT_EQ(run_in(*tx, "UPDATE w.item SET price = 1 WHERE id = 1"), "1");  // and it goes on
  EXPECT_EQ(committed(*tx), "yes");
  EXPECT_EQ(value_of("SELECT price FROM w.item WHERE id = 1"), "1");
}

TEST_F(PostgresWriteLive, ReturnsNoMoreThanAsked) {
  auto tx = begin();
  TableWrite write = write_of("UPDATE w.item SET price = 1 RETURNING id");
  write.rows_max = 2;
  TextSink sink;
  const WriteRun done = tx->run(write, &sink, within(5'000));
  EXPECT_EQ(done.affected, 5U);
  EXPECT_EQ(sink.rows.size(), 2U);
  EXPECT_THAT(done.notes, ElementsAre(HasSubstr("first 2 rows")));
  TextSink full;
  full.rows_max = 1;
  EXPECT_THAT(run_in(*tx, write_of("UPDATE w.item SET price = 2 RETURNING id"), &full),
              HasSubstr("full"));
  EXPECT_TRUE(tx->undo(within(5'000)));  // the first: the second undid itself
  EXPECT_FALSE(tx->undo(within(5'000)));
}

TEST_F(PostgresWriteLive, WhatFailsAtTheCommitIsNotMade) {
  execute("ALTER TABLE w.part ADD UNIQUE (n) DEFERRABLE INITIALLY DEFERRED");
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "UPDATE w.part SET n = 1"), "5");
  const CommitOutcome outcome = tx->commit(within(5'000));
  ASSERT_TRUE(outcome.error);
  EXPECT_FALSE(outcome.is_unknown);
  EXPECT_THAT(outcome.error->detail, HasSubstr("duplicate"));
  EXPECT_EQ(value_of("SELECT count(*) FROM w.part WHERE n = 1"), "0");
}

TEST_F(PostgresWriteLive, WaitsForLocksWithinTheTime) {
  auto one = begin();
  auto two = begin();
  EXPECT_EQ(run_in(*one, "UPDATE w.item SET price = 7 WHERE id = 1"), "1");
  const auto start = real_clock().now();
  EXPECT_THAT(run_in(*two, write_of("UPDATE w.item SET price = 8 WHERE id = 1"), nullptr, 2'000),
              HasSubstr("lock timeout"));
  EXPECT_LT(real_clock().now() - start, kSoon);
  EXPECT_EQ(run_in(*two, "UPDATE w.item SET price = 8 WHERE id = 2"), "1");
  EXPECT_EQ(committed(*one), "yes");
  EXPECT_EQ(committed(*two), "yes");
  EXPECT_EQ(value_of("SELECT sum(price) FROM w.item WHERE id < 3"), "15");
}

// The real machine, with a clock that can be set ahead: names are read again after a minute.
class LaterEnv final : public Env, public Clock {
 public:
  Clock& clock() override { return *this; }
  Files& files() override { return real_env().files(); }
  Http& http() override { return real_env().http(); }
  Processes& processes() override { return real_env().processes(); }
  Random& random() override { return real_env().random(); }
  MonotonicTime now() const override { return real_clock().now() + ahead; }
  WallTime wall() const override { return real_clock().wall(); }
  void sleep_for(Duration duration) override { real_clock().sleep_for(duration); }

  Duration ahead{0};
};

TEST_F(PostgresWriteLive, AConnectionWithUnreadAnswersIsNotUsedAgain) {
  LaterEnv env;
  DatabaseOptions options = options_for("writer", server_->socket());
  options.is_writable = true;
  source_ = *open_postgres(std::move(options), env);
  writer_ = source_->writer();
  { EXPECT_EQ(run_in(*begin(), "DELETE FROM w.item WHERE id = 1"), "1"); }
  env.ahead = std::chrono::seconds(61);
  // Holds up what reads the names.
  PGconn* const other =
      PQconnectdb(("host=" + server_->socket() + " user=postgres dbname=postgres").c_str());
  PQclear(PQexec(other, "BEGIN; LOCK TABLE pg_catalog.pg_range IN ACCESS EXCLUSIVE MODE"));
  OpContext context = within(20'000);
  std::thread canceller([&context] {
    const std::string waits =
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'writer' AND "
        "wait_event_type = 'Lock'";
    for (int i = 0; i < 500 && value_of(waits) == "0"; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_NE(value_of(waits), "0");
    context.cancel.cancel();
  });
  EXPECT_FALSE(writer_->begin(context));
  canceller.join();
  PQfinish(other);
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "UPDATE w.item SET name = 'x' WHERE id = 2"), "1");
  EXPECT_EQ(committed(*tx), "yes");
  EXPECT_EQ(value_of("SELECT name FROM w.item WHERE id = 2"), "x");
}

TEST_F(PostgresWriteLive, ADeadlineEndsTheTransaction) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "DELETE FROM w.item WHERE id = 5"), "1");
  TableWrite late =
      write_of("UPDATE w.item SET name = 'late' FROM (SELECT w.nap(20)) x WHERE id = 1");
  TableRules rules;
  rules.allowed_functions = {"w.nap"};
  late.rules = std::make_shared<const TableRules>(std::move(rules));
  const WriteRun done = tx->run(late, nullptr, within(300));
  ASSERT_TRUE(done.error);
  EXPECT_EQ(done.error->code, ErrorCode::LimitExceeded);
  EXPECT_THAT(run_in(*tx, "DELETE FROM w.item WHERE id = 4"), HasSubstr("rolled back"));
  EXPECT_THAT(committed(*tx), HasSubstr("rolled back"));
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "5");
  OpContext cancelled = within(5'000);
  cancelled.cancel.cancel();
  auto other = begin();
  EXPECT_EQ(run_in(*other, "DELETE FROM w.item WHERE id = 5"), "1");
  EXPECT_EQ(other->commit(cancelled).error->code, ErrorCode::Cancelled);
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "5");
}

TEST_F(PostgresWriteLive, ABackendThatIsKilled) {
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "DELETE FROM w.item"), "5");
  value_of(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'writer' AND "
      "state LIKE 'idle in%'");
  for (int i = 0; i < 250 && value_of("SELECT count(*) FROM pg_stat_activity WHERE usename = "
                                      "'writer' AND state LIKE 'idle in%'") != "0";
       ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const CommitOutcome outcome = tx->commit(within(5'000));
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, ErrorCode::Unavailable);
  EXPECT_FALSE(outcome.is_unknown);
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "5");
  auto next = begin();
  EXPECT_EQ(run_in(*next, "DELETE FROM w.item WHERE id = 1"), "1");
  EXPECT_EQ(committed(*next), "yes");
}

TEST_F(PostgresWriteLive, ACommitThatIsKilledIsUnknown) {
  // Commits of the writer wait for a standby that never comes.
  execute("ALTER ROLE writer SET synchronous_commit = on");
  execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  execute("SELECT pg_reload_conf()");
  for (int i = 0; i < 250 && value_of("SHOW synchronous_standby_names") != "nobody"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  source_ = open_writer();
  writer_ = source_->writer();
  auto tx = begin();
  EXPECT_EQ(run_in(*tx, "INSERT INTO w.log VALUES (1)"), "1");
  std::thread killer([] {
    for (int i = 0; i < 500; ++i) {
      if (value_of("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = "
                   "'writer' AND wait_event = 'SyncRep'") != "0") {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  const CommitOutcome outcome = tx->commit(within(25'000));
  killer.join();
  EXPECT_TRUE(outcome.error && outcome.is_unknown);
  auto slow = begin();
  EXPECT_EQ(run_in(*slow, "INSERT INTO w.log VALUES (1)"), "1");
  const CommitOutcome late = slow->commit(within(300));
  EXPECT_TRUE(late.error && late.is_unknown);
  execute("ALTER SYSTEM RESET synchronous_standby_names");
  execute("SELECT pg_reload_conf()");
}

TEST_F(PostgresWriteLive, TriggersThatWaitRunBeforeTheCommit) {
  auto slow = begin();
  EXPECT_EQ(run_in(*slow, "INSERT INTO w.lazy VALUES (1)"), "1");
  const CommitOutcome late = slow->commit(within(300));
  ASSERT_TRUE(late.error);
  EXPECT_FALSE(late.is_unknown);  // nothing was committed, and that is known
  execute(R"(
    CREATE FUNCTION w.many() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS
      $$BEGIN INSERT INTO w.hidden SELECT generate_series(1, 10); RETURN NEW; END$$;
    CREATE TABLE w.deferred (x int); GRANT ALL ON w.deferred TO writer;
    CREATE CONSTRAINT TRIGGER later AFTER INSERT ON w.deferred DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION w.many();)");
  for (const std::uint64_t most : {11U, 10U}) {
    auto tx = begin();
    TableWrite write = write_of("INSERT INTO w.deferred VALUES (1)");
    write.changes_max = most;
    EXPECT_EQ(run_in(*tx, write), "1");
    EXPECT_THAT(committed(*tx), most == 11 ? HasSubstr("yes") : HasSubstr("changed 10 more rows"));
  }
  EXPECT_EQ(value_of("SELECT count(*) FROM w.deferred"), "1");
  EXPECT_EQ(value_of("SELECT count(*) FROM w.hidden"), "11");
}

TEST_F(PostgresWriteLive, CountsAllThatFollows) {
  execute(R"(
    INSERT INTO w.part SELECT 1, g FROM generate_series(1, 9) g;
    CREATE FUNCTION w.more() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS
      $$BEGIN DELETE FROM w.hidden; INSERT INTO w.log SELECT generate_series(1, 4); RETURN NULL; END$$;
    CREATE TABLE w.watched (x int); GRANT ALL ON w.watched TO writer;
    CREATE TRIGGER more AFTER INSERT ON w.watched EXECUTE FUNCTION w.more();
    CREATE FUNCTION w.empty() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS
      $$BEGIN TRUNCATE w.part; RETURN NULL; END$$;
    CREATE TRIGGER empty AFTER DELETE ON w.watched EXECUTE FUNCTION w.empty();
    CREATE TABLE w.ruled (x int); GRANT ALL ON w.ruled TO writer;
    CREATE RULE also AS ON INSERT TO w.ruled DO ALSO INSERT INTO w.log VALUES (new.x);)");
  const auto run = [](WriteTransaction& tx, const std::string& sql) {
    const WriteRun done = tx.run(write_of(sql), nullptr, within(20'000));
    if (done.error) return done.error->to_string();
    return std::to_string(*done.affected) + " and " + std::to_string(done.besides);
  };
  auto tx = begin();
  EXPECT_EQ(run(*tx, "DELETE FROM w.item WHERE id = 1"), "1 and 10");
  EXPECT_TRUE(tx->undo(within(5'000)));
  EXPECT_EQ(run(*tx, "DELETE FROM w.item WHERE id = 1"), "1 and 10");  // not what was undone
  EXPECT_EQ(run(*tx, "UPDATE w.item SET id = 20 WHERE id = 2"), "1 and 1");
  EXPECT_EQ(run(*tx, "UPDATE w.item SET price = 20 WHERE id = 20"), "1 and 0");
  EXPECT_EQ(run(*tx, "INSERT INTO w.watched VALUES (1), (2)"), "2 and 5");
  EXPECT_EQ(run(*tx, "INSERT INTO w.logged VALUES (1), (2)"), "2 and 2");
  EXPECT_EQ(run(*tx, "INSERT INTO w.ruled VALUES (1), (2)"), "2 and 2");
  EXPECT_THAT(run(*tx, "DELETE FROM w.watched"), HasSubstr("whole table"));
  EXPECT_EQ(run(*tx, "DELETE FROM w.part"), "4 and 0");  // and it goes on
  EXPECT_EQ(committed(*tx), "yes");
  EXPECT_EQ(value_of("SELECT count(*) FROM w.watched"), "2");
  execute("ALTER ROLE writer SET track_counts = off");
  source_ = open_writer();
  writer_ = source_->writer();
  auto blind = begin();
  EXPECT_EQ(run(*blind, "UPDATE w.item SET price = 2 WHERE id = 3"), "1 and 0");
  EXPECT_THAT(run(*blind, "DELETE FROM w.item WHERE id = 3"), HasSubstr("does not count"));
}

TEST_F(PostgresWriteLive, TellsWhoseRowsADefinitionTakes) {
  execute(R"(
    CREATE MATERIALIZED VIEW w.kept AS SELECT * FROM w.seen;
    CREATE TABLE w.rowed (i w.item); ALTER TABLE w.rowed OWNER TO writer;)");
  const auto taken = [&](const std::string& sql) {
    std::string text;
    for (const auto& table : outline(sql).rewritten) text += table.name + " ";
    return text;
  };
  EXPECT_EQ(taken("TRUNCATE w.part"), "part ");
  EXPECT_EQ(taken("TRUNCATE w.item CASCADE"), "item part ");
  EXPECT_EQ(taken("DROP TABLE w.item CASCADE"), "item kept rowed ");
  EXPECT_EQ(taken("DROP VIEW w.seen CASCADE"), "kept ");
  EXPECT_EQ(taken("DROP TABLE w.hidden"), "hidden ");
  EXPECT_EQ(taken("ALTER TABLE w.hidden ALTER x TYPE text USING x::text"), "hidden ");
  EXPECT_EQ(taken("ALTER TABLE w.hidden DROP COLUMN x"), "hidden ");
  EXPECT_EQ(taken("ALTER TABLE w.hidden ADD COLUMN y float DEFAULT random()"), "hidden ");
  EXPECT_EQ(taken("ALTER TABLE w.hidden ADD COLUMN y serial"), "hidden ");
  EXPECT_EQ(taken("ALTER TABLE w.hidden ADD COLUMN y int DEFAULT 1"), "");
  EXPECT_EQ(taken("ALTER TABLE w.hidden ADD CONSTRAINT c CHECK (x > 0)"), "");
  EXPECT_EQ(taken("CREATE TABLE w.other (x int)"), "");
}

TEST_F(PostgresWriteLive, HasFewConnections) {
  source_ = open_writer(50);
  writer_ = source_->writer();
  std::vector<std::unique_ptr<WriteTransaction>> all;
  for (int i = 0; i < 4; ++i) all.push_back(begin());
  const auto more = writer_->begin(within(5'000));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(all.front()->roll_back(within(5'000)));  // which frees its place
  EXPECT_TRUE(writer_->begin(within(5'000)));
}

TEST_F(PostgresWriteLive, TellsWhatWouldHappen) {
  auto told = examine(write_of("DELETE FROM w.item WHERE id = $1", {value("1")}));
  ASSERT_TRUE(told) << told.error().to_string();
  EXPECT_EQ(told->kind, WriteKind::Delete);
  EXPECT_EQ(told->schema, "w");
  EXPECT_EQ(told->table, "item");
  EXPECT_TRUE(told->can_try);
  EXPECT_TRUE(told->can_roll_back);
  EXPECT_EQ(told->estimated_rows, 1);
  EXPECT_THAT(told->notes, ElementsAre(HasSubstr("w.part")));
  EXPECT_THAT(outline("UPDATE w.item SET name = 'x'").notes, IsEmpty());
  EXPECT_THAT(outline("UPDATE w.item SET id = id + 10").notes, ElementsAre(HasSubstr("w.part")));
  told = outline("INSERT INTO w.logged SELECT g FROM generate_series(1, 40) g");
  EXPECT_FALSE(told->can_try);
  EXPECT_EQ(told->estimated_rows, 40);
  EXPECT_THAT(told->notes, ElementsAre(HasSubstr("noted")));
  EXPECT_TRUE(outline("DELETE FROM w.logged").can_try);
  EXPECT_FALSE(outline("UPDATE w.seen SET name = 'x'").can_try);
  EXPECT_FALSE(outline("INSERT INTO w.hidden VALUES (nextval('w.item_id_seq'))").can_try);
  execute("CREATE RULE kept AS ON DELETE TO w.hidden DO INSTEAD NOTHING");
  told = outline("DELETE FROM w.hidden");
  EXPECT_FALSE(told->can_try);
  EXPECT_THAT(told->notes, ElementsAre(HasSubstr("rule kept")));
  execute(
      "CREATE FUNCTION w.free() RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER TABLE w.log ALTER x "
      "SET DEFAULT w.free()");
  EXPECT_FALSE(outline("INSERT INTO w.log DEFAULT VALUES").can_try);
  EXPECT_EQ(value_of("SELECT count(*) FROM w.item"), "5");
  told = outline("TRUNCATE w.part");
  EXPECT_EQ(told->verb, "TRUNCATE");
  EXPECT_EQ(examine(write_of("DELETE FROM w.itme")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(problem_.kind, SqlProblem::Kind::UnknownTable);
  EXPECT_EQ(examine(write_of("UPDATE w.item SET nmae = 1")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(problem_.kind, SqlProblem::Kind::UnknownColumn);
  EXPECT_EQ(examine(write_of("UPDATE w.item SET name = $1")).error().code, ErrorCode::InvalidInput);
}

TEST_F(PostgresWriteLive, Defines) {
  auto tx = begin();
  EXPECT_EQ(
      run_in(*tx, "CREATE TABLE w.fresh (id int PRIMARY KEY, item int REFERENCES w.item (id))"),
      "done");
  EXPECT_EQ(run_in(*tx, "INSERT INTO w.fresh VALUES (1, 1)"), "1");
  EXPECT_EQ(run_in(*tx, "ALTER TABLE w.fresh ADD COLUMN note text DEFAULT 'x'"), "done");
  EXPECT_EQ(run_in(*tx, "CREATE INDEX fresh_note ON w.fresh (lower(note))"), "done");
  EXPECT_EQ(run_in(*tx, "DROP INDEX w.fresh_note"), "done");
  EXPECT_EQ(run_in(*tx, "COMMENT ON COLUMN w.fresh.note IS 'n'"), "done");
  EXPECT_EQ(run_in(*tx, "CREATE VIEW w.fv AS SELECT * FROM w.fresh"), "done");
  EXPECT_EQ(run_in(*tx, "CREATE TABLE w.copy AS SELECT * FROM w.fresh"), "1");  // that it made
  EXPECT_EQ(run_in(*tx, "DROP VIEW w.fv"), "done");
  EXPECT_EQ(run_in(*tx, "TRUNCATE w.part"), "done");
  EXPECT_TRUE(tx->undo(within(5'000)));
  EXPECT_EQ(committed(*tx), "yes");
  EXPECT_EQ(value_of("SELECT note FROM w.copy"), "x");
  EXPECT_EQ(value_of("SELECT count(*) FROM w.part"), "5");
}

TEST_F(PostgresWriteLive, SystemAndForeignTablesAreRefused) {
  for (const std::string sql :
       {"UPDATE pg_class SET relname = 'x'", "DELETE FROM pg_catalog.pg_proc",
        "INSERT INTO information_schema.sql_features DEFAULT VALUES",
        "DROP TABLE pg_catalog.pg_class", "CREATE TABLE pg_temp.t (a int)",
        "UPDATE w.item_id_seq SET last_value = 1"}) {
    const auto outline = examine(write_of(sql));
    ASSERT_FALSE(outline) << sql;
    EXPECT_EQ(outline.error().code, ErrorCode::Denied) << sql;
    auto tx = begin();
    EXPECT_EQ(tx->run(write_of(sql), nullptr, within(5'000)).error->code, ErrorCode::Denied) << sql;
  }
}

TEST_F(PostgresWriteLive, FunctionsOfTheDatabaseAreNotRun) {
  execute("CREATE FUNCTION public.lower(int) RETURNS int LANGUAGE sql AS 'SELECT 1'");
  EXPECT_EQ(examine(write_of("UPDATE w.hidden SET x = lower(1)")).error().code, ErrorCode::Denied);
  auto tx = begin();
  EXPECT_EQ(
      tx->run(write_of("UPDATE w.hidden SET x = lower(1)"), nullptr, within(5'000)).error->code,
      ErrorCode::Denied);
  execute("DROP FUNCTION public.lower(int)");
}

class PostgresWriteRules : public PostgresWriteLive {
 protected:
  void SetUp() override {
    PostgresWriteLive::SetUp();
    if (IsSkipped()) return;
    execute(R"(
      SET client_min_messages = warning;
      DROP ROLE IF EXISTS clerk;
      CREATE ROLE clerk LOGIN;
      GRANT USAGE, CREATE ON SCHEMA w TO clerk;
      GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA w TO clerk;
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA w TO clerk;
      GRANT SELECT (id, name, price) ON w.item TO clerk;
      GRANT SELECT ON w.part TO clerk;)");
    DatabaseOptions options = options_for("clerk", server_->socket());
    options.is_writable = true;
    source_ = *open_postgres(std::move(options), real_env());
    writer_ = source_->writer();
    rules_ = std::make_shared<TableRules>();
    rules_->denied_tables = {"w.hidden", "w.log"};
    rules_->denied_columns = {"w.item.secret"};
  }
  void TearDown() override {
    if (server_->is_running()) execute("DROP OWNED BY clerk");
  }

  ErrorCode code(const std::string& sql) {
    TableWrite write = write_of(sql);
    write.rules = rules_;
    const auto outline = examine(write);
    auto tx = begin();
    const WriteRun done = tx->run(write, nullptr, within(5'000));
    const ErrorCode in_run = done.error ? done.error->code : ErrorCode::Internal;
    const ErrorCode found = outline ? ErrorCode::Internal : outline.error().code;
    EXPECT_EQ(found, in_run) << sql << (done.error ? done.error->to_string() : "");
    return found;
  }

  std::shared_ptr<TableRules> rules_;
};

TEST_F(PostgresWriteRules, BindWhatIsChangedAndRead) {
  constexpr auto kPassed = ErrorCode::Internal;
  EXPECT_EQ(code("UPDATE w.item SET price = 1 WHERE name = 'n1'"), kPassed);
  EXPECT_EQ(code("INSERT INTO w.item (name) VALUES ('z') RETURNING id"), kPassed);
  EXPECT_EQ(code("DELETE FROM w.item WHERE id = 1"), kPassed);
  for (const std::string sql : {
           "UPDATE w.hidden SET x = 2",
           "INSERT INTO w.hidden VALUES (1)",
           "DELETE FROM w.hidden",
           "UPDATE w.item SET secret = 'x'",
           "UPDATE w.item SET (price, secret) = (1, 'x')",
           "INSERT INTO w.item (name, secret) VALUES ('a', 'b')",
           "INSERT INTO w.item VALUES (100, 'a', 1, 'b')",
           "INSERT INTO w.item (name) VALUES ('n1') ON CONFLICT (name) DO UPDATE SET secret = 'x'",
           "MERGE INTO w.item i USING w.part p ON i.id = p.item WHEN MATCHED THEN UPDATE SET "
           "secret = "
           "'x'",
           "UPDATE w.item SET price = 1 WHERE secret = 's1'",
           "UPDATE w.item SET name = secret",
           "UPDATE w.item SET price = 1 RETURNING secret",
           "UPDATE w.item SET price = 1 RETURNING *",
           "DELETE FROM w.item WHERE id IN (SELECT x FROM w.hidden)",
           "INSERT INTO w.part SELECT x, x FROM w.hidden",
           "WITH h AS (SELECT x FROM w.hidden) DELETE FROM w.part USING h WHERE n = h.x",
           "UPDATE w.seen SET name = 'x'",
           "INSERT INTO w.part VALUES (1, nextval('w.item_id_seq'))",
           "ALTER TABLE w.item RENAME COLUMN secret TO open",
           "CREATE INDEX i ON w.item (secret)",
           "DROP TABLE w.hidden",
           "CREATE TABLE w.hidden (x int)",
           "CREATE SCHEMA free",
       }) {
    EXPECT_EQ(code(sql), ErrorCode::Denied) << sql;
  }
  rules_ = std::make_shared<TableRules>(*rules_);
  rules_->allowed_tables = {"w.item", "w.part"};
  EXPECT_EQ(code("DELETE FROM w.part"), kPassed);
  EXPECT_EQ(code("DELETE FROM w.logged"), ErrorCode::Denied);
  EXPECT_EQ(code("CREATE TABLE w.anything (x int)"), ErrorCode::Denied);
  rules_ = std::make_shared<TableRules>(*rules_);
  rules_->denied_tables = {"part"};
  EXPECT_EQ(code("DELETE FROM w.item"), ErrorCode::Denied);  // rows of w.part would follow
}

TEST_F(PostgresWriteRules, HoldForWhatTriggersDo) {
  execute(R"(
    CREATE FUNCTION w.tell() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS
      $$BEGIN IF NEW.x > 1 THEN INSERT INTO w.hidden VALUES (NEW.x); END IF;
        INSERT INTO w.part VALUES (1, NEW.x); RETURN NEW; END$$;
    CREATE TABLE w.watched (x int); GRANT ALL ON w.watched TO clerk;
    CREATE TRIGGER telling AFTER INSERT ON w.watched FOR EACH ROW EXECUTE FUNCTION w.tell();)");
  const auto run = [&](const std::string& sql) {
    TableWrite write = write_of(sql);
    write.rules = rules_;
    auto tx = begin();
    std::string done = run_in(*tx, write);
    EXPECT_EQ(committed(*tx), "yes");
    return done;
  };
  EXPECT_EQ(run("INSERT INTO w.watched VALUES (1)"), "1");  // w.part may be changed
  const std::string refused = run("INSERT INTO w.watched VALUES (2)");
  EXPECT_THAT(refused, HasSubstr("changes another one that the policy does not allow"));
  EXPECT_THAT(refused, ::testing::Not(HasSubstr("hidden")));
  EXPECT_EQ(value_of("SELECT count(*) FROM w.watched"), "1");
  EXPECT_EQ(value_of("SELECT count(*) FROM w.hidden"), "1");
  rules_ = std::make_shared<TableRules>(*rules_);
  rules_->allowed_tables = {"w.watched"};
  execute("REVOKE ALL ON ALL TABLES IN SCHEMA w FROM clerk; GRANT ALL ON w.watched TO clerk");
  execute("REVOKE ALL (id, name, price) ON w.item FROM clerk");
  EXPECT_THAT(run("INSERT INTO w.watched VALUES (1)"), HasSubstr("that the policy does not allow"));
}

TEST_F(PostgresWriteRules, RightsMustBackThem) {
  execute("GRANT SELECT ON w.hidden TO clerk");
  EXPECT_EQ(code("UPDATE w.item SET price = 1"), ErrorCode::Denied);
}

}  // namespace
}  // namespace helve::sql
