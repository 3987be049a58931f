// What statements that change may do: rules of callers, and attempts to get around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sources/sql/sqlite/sqlite_change_rules.h"
#include "sources/sql/sqlite/sqlite_guard.h"
#include "sources/sql/sqlite/sqlite_writer_testing.h"

namespace helve::sql {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kHouse =
    "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, secret TEXT, age INT,"
    " shout TEXT AS (upper(name)));"
    "CREATE TABLE hidden(id INTEGER PRIMARY KEY, person REFERENCES person(id) ON DELETE SET NULL);"
    "CREATE INDEX unseen ON hidden(person);"
    "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT);"
    "CREATE TABLE pair(a TEXT, b INT, PRIMARY KEY(a)) WITHOUT ROWID;"
    "CREATE TABLE exact(i INT, t TEXT UNIQUE ON CONFLICT REPLACE) STRICT;"
    "CREATE TABLE tree(id INTEGER PRIMARY KEY, up REFERENCES tree(id) ON DELETE CASCADE);"
    "CREATE VIEW people AS SELECT id, name FROM person;"
    "CREATE TRIGGER through INSTEAD OF UPDATE ON people BEGIN"
    " UPDATE person SET secret = new.name WHERE id = new.id; END;"
    "CREATE TABLE copied(text TEXT); CREATE TABLE copies(text TEXT);"
    "CREATE TRIGGER copy AFTER INSERT ON copied BEGIN INSERT INTO copies SELECT secret FROM person;"
    " END;"
    "CREATE TABLE page(id INTEGER PRIMARY KEY, body TEXT);"
    "CREATE VIRTUAL TABLE found USING fts5(body);"
    "CREATE TRIGGER indexed AFTER INSERT ON page BEGIN"
    " INSERT INTO found(rowid, body) VALUES (new.id, new.body); END;"
    "INSERT INTO person VALUES (1,'Ann','x',30),(2,'Bob','y',40);"
    "INSERT INTO hidden VALUES (1, 1); INSERT INTO tree VALUES (1, NULL), (2, 1), (3, 2);";

Rules rules_of(TableRules rules) { return std::make_shared<const TableRules>(std::move(rules)); }

class SqliteWriterRulesTest : public ::testing::Test {
 protected:
  // Refused by examine() and by run(), with the same words; and nothing is changed.
  void expect_refused(const std::string& sql, const std::string& why, const Rules& rules = nullptr,
                      ErrorCode code = ErrorCode::Denied) {
    SCOPED_TRACE(sql);
    SqlProblem problem;
    const auto outline = source_->writer()->examine(write_of(sql, rules), problem, in_time());
    if (outline) {
      ADD_FAILURE() << "not refused";
      return;
    }
    EXPECT_EQ(outline.error().code, code) << outline.error().to_string();
    EXPECT_THAT(outline.error().full_message(), HasSubstr(why));
    const WriteRun run = transaction().run(write_of(sql, rules), nullptr, in_time());
    if (!run.error) {
      ADD_FAILURE() << "it ran";
      return;
    }
    EXPECT_EQ(run.error->code, code);
    EXPECT_EQ(run.error->full_message(), outline.error().full_message());
  }
  std::string run(const std::string& sql, const Rules& rules = nullptr) {
    std::string outcome = changed(transaction(), sql, rules);
    EXPECT_EQ(outcome.starts_with("error"), examined(*source_, sql, rules).starts_with("error"))
        << sql;
    return outcome;
  }
  WriteTransaction& transaction() {
    if (transaction_ == nullptr) transaction_ = begun(*source_);
    return *transaction_;
  }

  TempDirectory folder_;
  std::filesystem::path path_ = folder_ / "house.db";
  std::shared_ptr<const TableSource> source_ = (make_database(path_, kHouse), writable(path_));
  std::unique_ptr<WriteTransaction> transaction_;
};

TEST_F(SqliteWriterRulesTest, OneStatementThatChanges) {
  expect_refused("SELECT 1", "does not change data");
  expect_refused("EXPLAIN DELETE FROM note", "does not change data");
  expect_refused("WITH x AS (SELECT 1) SELECT * FROM x", "does not change data");
  expect_refused("DELETE FROM note; DELETE FROM person", "several statements", nullptr,
                 ErrorCode::InvalidInput);
  expect_refused("", "no statement", nullptr, ErrorCode::InvalidInput);
  expect_refused("-- nothing", "no statement", nullptr, ErrorCode::InvalidInput);
  for (const char* sql :
       {"PRAGMA writable_schema = ON", "PRAGMA foreign_keys = OFF", "PRAGMA journal_mode = OFF",
        "ATTACH '/tmp/x.db' AS x", "DETACH main", "BEGIN", "COMMIT", "END", "ROLLBACK",
        "SAVEPOINT x", "RELEASE helve_1", "ROLLBACK TO helve_1"}) {
    expect_refused(sql, "does not change data");
  }
  for (const char* sql : {"VACUUM", "VACUUM INTO '/tmp/x.db'", "REINDEX", "ANALYZE", "REINDEX note",
                          "ANALYZE note"}) {
    expect_refused(sql, "keeps the file up");
  }
  EXPECT_EQ(run("INSERT INTO note(text) VALUES ('a'); -- the end"), "1 affected");
}

TEST_F(SqliteWriterRulesTest, SqliteKeepsItsOwnTables) {
  expect_refused("DELETE FROM sqlite_master", "sqlite_master");
  expect_refused("UPDATE sqlite_schema SET sql = 'x'", "is SQLite's own");
  expect_refused("INSERT INTO sqlite_master VALUES ('table','x','x',2,'CREATE TABLE x(a)')",
                 "sqlite_master");
  expect_refused("UPDATE main.sqlite_master SET sql = NULL WHERE name = 'note'", "sqlite_master");
  expect_refused("DELETE FROM temp.sqlite_master", "the schema 'temp'");
  expect_refused("CREATE TABLE sqlite_own(a)", "is SQLite's own");
  expect_refused("INSERT INTO found_content VALUES (1, 'x')", "found_content");
  expect_refused("DELETE FROM found_data", "found_data");
  expect_refused("UPDATE found_config SET v = 1", "found_config");
  expect_refused("DROP TABLE found_idx", "found_idx");
  expect_refused("INSERT INTO found(found) VALUES ('delete-all')", "is a virtual table");
  expect_refused("INSERT INTO found(body) VALUES ('x')", "is a virtual table");
  expect_refused("DROP TABLE found", "virtual tables cannot be made or dropped");
  expect_refused("ALTER TABLE found RENAME TO lost", "virtual table");
}

TEST_F(SqliteWriterRulesTest, CodeAndOtherPlacesAreRefused) {
  expect_refused("CREATE TRIGGER bad AFTER INSERT ON note BEGIN DELETE FROM person; END",
                 "triggers cannot");
  expect_refused("CREATE TEMP TRIGGER bad AFTER INSERT ON note BEGIN SELECT 1; END",
                 "temporary tables");
  expect_refused(
      "CREATE /* x */ TRIGGER IF NOT EXISTS bad AFTER INSERT ON note BEGIN SELECT 1; END",
      "triggers cannot");
  expect_refused("DROP TRIGGER copy", "triggers cannot");
  expect_refused("CREATE VIRTUAL TABLE v USING fts5(a)", "virtual tables cannot");
  expect_refused("CREATE VIRTUAL TABLE v USING csv('/etc/passwd')", "virtual tables cannot");
  expect_refused("CREATE TEMP TABLE t(a)", "temporary tables");
  expect_refused("CREATE TEMPORARY VIEW t AS SELECT 1", "temporary tables");
  expect_refused("CREATE TABLE temp.t(a)", "the schema 'temp'");
  expect_refused("INSERT INTO temp.t VALUES (1)", "the schema 'temp'");
  expect_refused("INSERT INTO note(text) VALUES (load_extension('/tmp/x.so'))", "load_extension");
  expect_refused("INSERT INTO note(text) SELECT readfile('/etc/passwd')", "readfile", nullptr,
                 ErrorCode::NotFound);
  expect_refused("INSERT INTO note(text) SELECT sqlite_source_id()", "sqlite_source_id");
  expect_refused(
      "UPDATE note SET text = (SELECT sqlite_rename_test('main', 'x', 'y', 'z', 0, 0, 0))",
      "sqlite_rename_test");
  expect_refused("CREATE TABLE t(a DEFAULT (fts3_tokenizer('x')))", "fts3_tokenizer");
  expect_refused("CREATE VIEW v AS SELECT load_extension('x')", "load_extension");
  expect_refused("INSERT INTO note(text) SELECT name FROM pragma_database_list", "");
}

TEST_F(SqliteWriterRulesTest, TablesByTheRules) {
  const Rules rules = rules_of({{{"note", "page", "people", "t"}}, {}, {}});
  EXPECT_EQ(run("INSERT INTO NOTE(text) VALUES ('a')", rules), "1 affected");
  expect_refused("DELETE FROM person", "the table 'person' may not be changed", rules);
  expect_refused("INSERT INTO note(text) SELECT secret FROM person", "'person' may not be read",
                 rules);
  expect_refused("UPDATE note SET text = 'x' WHERE id IN (SELECT id FROM hidden)",
                 "'hidden' may not be read", rules);
  expect_refused("DELETE FROM note WHERE (SELECT count(*) FROM hidden) > 0",
                 "'hidden' may not be read", rules);
  expect_refused("INSERT INTO note(text) SELECT sql FROM sqlite_master", "may not be read", rules);
  expect_refused("CREATE TABLE t AS SELECT sql FROM sqlite_master", "sqlite_master", rules);
  expect_refused("INSERT INTO page(body) VALUES ('x')", "the trigger 'indexed' would do it", rules);
  EXPECT_EQ(run("INSERT INTO note(text) SELECT name FROM people", rules), "2 affected");
  const Rules denied = rules_of({std::nullopt, {"hidden", "main.note"}, {}});
  expect_refused("DELETE FROM note", "the table 'note' may not be changed", denied);
  // A foreign key would change a table that is hidden, and tell of its rows.
  expect_refused("DELETE FROM person", "hidden", denied);
  EXPECT_EQ(run("INSERT INTO pair VALUES ('a', 1)", denied), "1 affected");
}

TEST_F(SqliteWriterRulesTest, ColumnsByTheRules) {
  const Rules rules = rules_of({std::nullopt, {}, {"person.secret"}});
  EXPECT_EQ(run("UPDATE person SET age = age + 1", rules), "2 affected");
  EXPECT_EQ(run("INSERT INTO person(id, name) VALUES (7, 'Gus') RETURNING name", rules),
            "1 affected\n\"Gus\"\n");
  const char* refusal = "'person.secret' may not be changed";
  expect_refused("UPDATE person SET secret = 'z'", refusal, rules);
  expect_refused("UPDATE person SET (name, secret) = ('a', 'b')", refusal, rules);
  expect_refused("INSERT INTO person(id, SECRET) VALUES (8, 'z')", "may not be changed", rules);
  expect_refused("INSERT INTO person VALUES (8, 'a', 'z', 1)", "has to name them", rules);
  expect_refused("INSERT INTO person VALUES (1, 'a', 'z', 1) ON CONFLICT(id) DO UPDATE SET age = 2",
                 "has to name them", rules);
  expect_refused("INSERT INTO person DEFAULT VALUES", "has to name them", rules);
  expect_refused("INSERT INTO person('secret') VALUES ('z')", "", rules, ErrorCode::InvalidInput);
  expect_refused("INSERT INTO person(rowid, name) VALUES (9, 'z')", "person.rowid", rules);
  expect_refused("UPDATE person SET rowid = 9 WHERE id = 1", "may not be changed", rules);
  expect_refused("INSERT INTO person(id) VALUES (1) ON CONFLICT(id) DO UPDATE SET secret = 'z'",
                 "may not be changed", rules);
  expect_refused("REPLACE INTO person(id, name) VALUES (1, 'z')", "may not be replaced", rules);
  expect_refused("UPDATE OR REPLACE person SET id = 1", "may not be replaced", rules);
  expect_refused("UPDATE person SET age = 1 WHERE secret = 'x'", "may not be read", rules);
  expect_refused("UPDATE person SET name = secret", "may not be read", rules);
  expect_refused("DELETE FROM person WHERE secret LIKE 'x%'", "may not be read", rules);
  expect_refused("DELETE FROM person RETURNING *", "may not be read", rules);
  expect_refused("DELETE FROM person RETURNING shout", "may not be read",
                 rules_of({std::nullopt, {}, {"person.name"}}));
  expect_refused("UPDATE note SET text = p.secret FROM person p", "may not be read", rules);
  expect_refused("UPDATE people SET name = 'z'", "is a view", rules);
  expect_refused("UPDATE people SET name = 'z'", "is a view");
  expect_refused("INSERT INTO copied VALUES ('a')", "the trigger 'copy' would do it", rules);
  const Rules shown = rules_of({std::nullopt, {}, {}, {{"person.name"}}});
  EXPECT_EQ(run("UPDATE person SET name = 'N'", shown), "3 affected");
  expect_refused("UPDATE person SET age = 1", "'person.age' may not be changed", shown);
  expect_refused("INSERT INTO person(name, age) VALUES ('a', 1)", "may not be changed", shown);
}

TEST_F(SqliteWriterRulesTest, DefinitionsCannotUncoverWhatIsHidden) {
  const Rules columns = rules_of({std::nullopt, {"hidden"}, {"person.secret"}});
  for (const char* sql :
       {"ALTER TABLE person RENAME TO other", "ALTER TABLE person RENAME COLUMN secret TO open",
        "ALTER TABLE person ADD COLUMN also AS (secret)", "ALTER TABLE person DROP COLUMN secret",
        "CREATE INDEX i ON person(secret)", "CREATE UNIQUE INDEX i ON person(age)",
        "DROP TABLE person"}) {
    expect_refused(sql, "not all of its columns may be read", columns);
  }
  expect_refused("CREATE VIEW v AS SELECT secret FROM person", "may not be read", columns);
  expect_refused("CREATE VIEW v(a) AS SELECT * FROM person", "may not be read", columns);
  expect_refused("CREATE VIEW v AS WITH x AS (SELECT id FROM hidden) SELECT * FROM x",
                 "may not be read", columns);
  expect_refused("CREATE TABLE t AS SELECT secret FROM person", "may not be read", columns);
  expect_refused("ALTER TABLE hidden RENAME TO shown", "of the name 'hidden'", columns);
  expect_refused("DROP TABLE hidden", "of the name 'hidden'", columns);
  expect_refused("CREATE INDEX i ON hidden(person)", "of the name 'hidden'", columns);
  expect_refused("DROP INDEX unseen", "the index 'unseen' may not be dropped", columns);
  expect_refused("CREATE OR REPLACE VIEW people AS SELECT secret FROM person", "no view", columns,
                 ErrorCode::InvalidInput);
  expect_refused("CREATE TABLE t(a REFERENCES hidden(id), b AS (a))",
                 "'hidden' may not be referred to", columns);
}

TEST_F(SqliteWriterRulesTest, ErrorsOfAlterNameNothingThatIsHidden) {
  Writer(path_).run("CREATE VIEW peek AS SELECT text FROM note");
  const char* sql = "ALTER TABLE note DROP COLUMN text";
  EXPECT_THAT(changed(transaction(), sql), HasSubstr("peek"));
  const std::string told = changed(transaction(), sql, rules_of({{{"note"}}, {}, {}}));
  EXPECT_THAT(told, HasSubstr("other definitions of the database refer"));
}

TEST_F(SqliteWriterRulesTest, DefinitionsTakeAllowedNamesAlone) {
  const Rules rules = rules_of({{{"note", "people", "mine"}}, {}, {}});
  expect_refused("CREATE TABLE other(a)", "of the name 'other'", rules);
  expect_refused("CREATE VIEW other AS SELECT 1", "of the name 'other'", rules);
  expect_refused("ALTER TABLE note RENAME TO other", "of the name 'other'", rules);
  expect_refused("ALTER TABLE note RENAME TO 'other'", "of the name 'other'", rules);
  expect_refused("DROP TABLE person", "of the name 'person'", rules);
  EXPECT_EQ(run("CREATE TABLE mine(id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE, CHECK (a > 0))",
                rules),
            "done");
  EXPECT_TRUE(transaction().undo(in_time()));
  EXPECT_EQ(run("DROP VIEW people", rules), "done; its triggers are dropped too: 'through'");
  // What the view may show, who asks may not.
  EXPECT_THAT(changed(transaction(), "CREATE VIEW people AS SELECT * FROM person", rules),
              HasSubstr("may not be read"));
}

TEST_F(SqliteWriterRulesTest, DefinitionsOfAllKinds) {
  for (const Rules& rules : {Rules(), rules_of({std::nullopt, {"hidden"}, {}})}) {
    for (const char* sql :
         {"CREATE TABLE made(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT UNIQUE, b AS (a || 1), "
          "d VARCHAR(9) DEFAULT (lower(hex(randomblob(4)))), e DEFAULT (CAST((1) AS TEXT)))",
          "CREATE INDEX by_b ON made(b) WHERE a IS NOT NULL",
          "CREATE VIEW seen AS SELECT a FROM made", "INSERT INTO made(a) VALUES ('x')",
          "ALTER TABLE made ADD COLUMN c NOT NULL DEFAULT 1 CHECK (c > 0)",
          "ALTER TABLE made RENAME COLUMN a TO aa", "ALTER TABLE made RENAME TO remade",
          "ALTER TABLE remade DROP COLUMN c", "DROP INDEX by_b", "DROP VIEW seen",
          "CREATE TABLE copied_too AS SELECT name FROM person", "DROP TABLE remade",
          "CREATE TABLE IF NOT EXISTS note(a)", "DROP INDEX IF EXISTS by_b",
          "CREATE TABLE narrow(a TEXT PRIMARY KEY) STRICT, WITHOUT ROWID"}) {
      EXPECT_THAT(changed(transaction(), sql, rules), AnyOf(StartsWith("done"), "1 affected"))
          << sql;
    }
    EXPECT_TRUE(transaction().roll_back(in_time()));
    transaction_.reset();
  }
  EXPECT_THAT(examined(*source_, "DROP TABLE copied"),
              HasSubstr("its triggers are dropped too: 'copy'"));
  EXPECT_THAT(examined(*source_, "DROP TABLE person"), HasSubstr("'hidden' (foreign keys)"));
}

TEST_F(SqliteWriterRulesTest, TablesOfAllKinds) {
  EXPECT_EQ(run("INSERT INTO pair VALUES ('a', 1), ('b', 2)"), "2 affected");
  EXPECT_EQ(run("INSERT INTO pair VALUES ('a', 5) ON CONFLICT(a) DO UPDATE SET b = excluded.b"),
            "1 affected");
  EXPECT_EQ(run("UPDATE pair SET a = a || '!' ORDER BY a LIMIT 1"), "1 affected");
  EXPECT_THAT(changed(transaction(), "INSERT INTO exact VALUES ('no', 'x')"),
              HasSubstr("cannot store TEXT value in INT column"));
  EXPECT_THAT(examined(*source_, "INSERT INTO exact VALUES (1, 'x')"), StartsWith("replace exact"));
  EXPECT_THAT(run("UPDATE person SET shout = 'x'"), HasSubstr("generated column"));
  EXPECT_EQ(run("DELETE FROM tree WHERE id = 1"),
            "1 affected; rows that refer to deleted ones are deleted too, in 'tree' (ON DELETE "
            "CASCADE); triggers, foreign keys and search indexes changed 2 more rows");
}

TEST_F(SqliteWriterRulesTest, SearchIndexesFollowTheirTriggers) {
  EXPECT_THAT(run("INSERT INTO page(body) VALUES ('the quick fox')"),
              StartsWith("1 affected; the trigger 'indexed' runs and changes 'found'"));
  EXPECT_THAT(seen(transaction(), "SELECT rowid FROM found WHERE found MATCH 'quick'"),
              HasSubstr("\"1\""));
  EXPECT_TRUE(transaction().undo(in_time()));
  EXPECT_EQ(seen(transaction(), "SELECT rowid FROM found WHERE found MATCH 'quick'"), "");
  EXPECT_THAT(
      run("INSERT INTO page(body) VALUES ('lazy dog')", rules_of({{{"page", "found"}}, {}, {}})),
      StartsWith("1 affected"));
  EXPECT_FALSE(transaction().commit(in_time()).error);
  EXPECT_THAT(ask(*source_, "SELECT rowid FROM found WHERE found MATCH 'lazy'").text,
              HasSubstr("\"1\""));
}

TEST_F(SqliteWriterRulesTest, HintsFitStatementsThatChange) {
  const Rules rules = rules_of({std::nullopt, {"hidden"}, {}});
  for (const char* sql : {"DELETE FROM person WHERE id IN (SELECT id FROM hidden)",
                          "INSERT INTO note(text) VALUES (load_extension('/tmp/x.so'))"}) {
    EXPECT_THAT(examined(*source_, sql, rules), HasSubstr("(leave it out of the statement)"));
  }
}

TEST(SqliteWriteShapeTest, ViewsAreReadBehindTheFirstAs) {
  EXPECT_EQ(view_body("CREATE VIEW v AS SELECT 1"), " SELECT 1");
  EXPECT_EQ(view_body("create view if not exists \"as\"(a, \"as\") as select 1 as b, 2"),
            " select 1 as b, 2");
  EXPECT_EQ(view_body("CREATE TABLE v AS SELECT 1"), "");
  EXPECT_EQ(view_body("CREATE VIEW v"), "");
  EXPECT_EQ(view_body("'"), "");
}

}  // namespace
}  // namespace helve::sql
