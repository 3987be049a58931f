// A SQLite file asked through real workers: values, errors, limits, catalogue, locks.
#include "sources/sql/sqlite/sqlite_source.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "sources/sql/sqlite/sqlite_testing.h"

namespace helve::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSchema = R"sql(
  CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE album(
    id INTEGER PRIMARY KEY,
    title VARCHAR(160) NOT NULL DEFAULT 'untitled' CHECK (length(title) > 0),
    artist_id INTEGER REFERENCES artist,
    price NUMERIC(10,2), made DATETIME, day DATE, is_live BOOLEAN, notes JSON, cover BLOB,
    shout TEXT AS (upper(title)) VIRTUAL,
    UNIQUE (title, artist_id), CHECK (price >= 0 OR price IS NULL));
  CREATE INDEX album_by_lower ON album(lower(title) DESC, artist_id);
  CREATE VIEW album_names AS SELECT a.title, b.name FROM album a JOIN artist b ON b.id = a.artist_id;
  INSERT INTO artist VALUES (1, 'AC/DC'), (2, 'Accept');
  INSERT INTO album(id, title, artist_id, price, made, day, is_live, notes, cover) VALUES
    (1, 'High Voltage', 1, 0.99, '2009-01-01 00:00:00', '2009-01-01', 0, '{"a": [1]}', x'00FF'),
    (2, 'Balls', 2, 1, '2009-01-01T10:20:30.5+02:00', 'someday', 1, 'no json', NULL);
)sql";

class SqliteSourceTest : public ::testing::Test {
 protected:
  SqliteSourceTest() : path_(folder_ / "music.db") {
    make_database(path_, kSchema);
    source_ = source_of(options_for(path_), env_);
  }
  Answer run(std::string sql) { return ask(*source_, std::move(sql)); }

  TempDirectory folder_;
  std::filesystem::path path_;
  CountingEnv env_;
  std::shared_ptr<const TableSource> source_;
};

TEST_F(SqliteSourceTest, GivesTypedValues) {
  const auto answer =
      run("SELECT id, title, price, made, day, is_live, notes, cover, 1.5, NULL, "
          "9223372036854775807, 9e999, -9e999 FROM album ORDER BY id");
  const std::string xsd = "^^<http://www.w3.org/2001/XMLSchema#";
  EXPECT_EQ(answer.text,
            "\"1\"" + xsd + "integer> \"High Voltage\" \"0.99\"" + xsd +
                "decimal> \"2009-01-01T00:00:00\"" + xsd + "dateTime> \"2009-01-01\"" + xsd +
                "date> \"false\"" + xsd +
                "boolean> \"{\\\"a\\\": [1]}\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> "
                "\"00FF\"" +
                xsd + "hexBinary> \"1.5\"" + xsd + "double> - \"9223372036854775807\"" + xsd +
                "integer> \"INF\"" + xsd + "double> \"-INF\"" + xsd +
                "double>\n"
                "\"2\"" +
                xsd + "integer> \"Balls\" \"1.00\"" + xsd +
                "decimal> \"2009-01-01T10:20:30.5+02:00\"" + xsd +
                "dateTime> \"someday\" \"true\"" + xsd + "boolean> \"no json\" - \"1.5\"" + xsd +
                "double> - \"9223372036854775807\"" + xsd + "integer> \"INF\"" + xsd +
                "double> \"-INF\"" + xsd + "double>\n");
  EXPECT_EQ(answer.run.column_types[1], "VARCHAR(160)");
  EXPECT_EQ(answer.run.column_types[8], "");
  EXPECT_EQ(answer.run.rows, 2);
  EXPECT_FALSE(answer.run.has_more);
}

TEST_F(SqliteSourceTest, NamesOfColumnsAreDifferent) {
  EXPECT_THAT(run("SELECT id, id, title AS id_2, id FROM album").names,
              ElementsAre("id", "id", "id_2", "id"));
}

TEST_F(SqliteSourceTest, BrokenTextIsGivenAsBytes) {
  const auto answer = run("SELECT CAST(x'41FF' AS TEXT)");
  EXPECT_EQ(answer.text, "\"41FF\"^^<http://www.w3.org/2001/XMLSchema#hexBinary>\n");
  EXPECT_THAT(answer.run.notes, ElementsAre(HasSubstr("no UTF-8")));
}

TEST_F(SqliteSourceTest, OneWorkerServesManyCalls) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run("SELECT 'x'").text, "\"x\"\n");
  EXPECT_EQ(env_.counted.started, 1);
}

TEST_F(SqliteSourceTest, AWorkerThatDiedIsReplaced) {
  EXPECT_EQ(run("SELECT 'x'").text, "\"x\"\n");
  env_.counted.last.load()->kill();
  EXPECT_EQ(run("SELECT 'y'").text, "\"y\"\n");
  EXPECT_EQ(env_.counted.started, 2);
}

TEST_F(SqliteSourceTest, AWorkerThatDiesMidAnswerIsTold) {
  OpContext context;
  class KillingSink final : public RowSink {
   public:
    explicit KillingSink(CountingEnv& env) : env_(env) {}
    Result<void> columns(const std::vector<std::string>&) override { return {}; }
    Result<void> row(Row) override {
      if (++rows == 1) env_.counted.last.load()->kill();
      return {};
    }
    std::uint64_t rows = 0;

   private:
    CountingEnv& env_;
  } sink(env_);
  TableQuery query;
  query.sql = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c";
  query.rows_max = 100'000'000;
  const auto died = source_->run(query, sink, context);
  ASSERT_TRUE(died.error);
  EXPECT_EQ(died.error->code, ErrorCode::Unavailable);
  EXPECT_THAT(died.error->message, HasSubstr("signal 9"));
  EXPECT_EQ(died.rows, sink.rows);
  EXPECT_GT(died.rows, 0);
  EXPECT_EQ(run("SELECT 'y'").text, "\"y\"\n");
}

TEST_F(SqliteSourceTest, ASinkCanStop) {
  class FullSink final : public RowSink {
   public:
    Result<void> columns(const std::vector<std::string>&) override { return {}; }
    Result<void> row(Row) override { return Error{ErrorCode::LimitExceeded, "full"}; }
  } sink;
  TableQuery query;
  query.sql = "SELECT 1 FROM artist";
  const auto full = source_->run(query, sink, OpContext());
  ASSERT_TRUE(full.error);
  EXPECT_EQ(full.error->message, "full");
  EXPECT_EQ(full.rows, 0);
  EXPECT_EQ(run("SELECT 'y'").text, "\"y\"\n");
}

TEST_F(SqliteSourceTest, BindsParametersByType) {
  const auto literal = [](std::string_view value, std::string_view type = "") {
    const std::string datatype =
        type.empty() ? "" : "http://www.w3.org/2001/XMLSchema#" + std::string(type);
    return SqlValue(rdf::Term(rdf::TermView::literal(value, datatype)));
  };
  TableQuery query;
  query.sql = "SELECT typeof(?), typeof(?), typeof(?), typeof(?), typeof(?), typeof(?), ?, ?";
  query.parameters = {literal("12", "integer"),
                      literal("1.5", "decimal"),
                      literal("12"),
                      literal("00ff", "hexBinary"),
                      std::nullopt,
                      literal("99999999999999999999", "integer"),
                      literal("true", "boolean"),
                      literal("2009-01-01T00:00:00", "dateTime")};
  EXPECT_EQ(ask(*source_, query).text,
            "\"integer\" \"real\" \"text\" \"blob\" \"null\" \"text\" "
            "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer> \"2009-01-01 00:00:00\"\n");
  query.parameters.pop_back();
  EXPECT_EQ(ask(*source_, query).code(), ErrorCode::InvalidInput);
}

TEST_F(SqliteSourceTest, CapsAreExact) {
  TableQuery query;
  query.sql = "SELECT id FROM album";
  query.rows_max = 2;
  auto answer = ask(*source_, query);
  EXPECT_EQ(answer.run.rows, 2);
  EXPECT_FALSE(answer.run.has_more);
  query.rows_max = 1;
  answer = ask(*source_, query);
  EXPECT_EQ(answer.run.rows, 1);
  EXPECT_TRUE(answer.run.has_more);
  query.rows_max = 10;
  query.bytes_max = 8;
  answer = ask(*source_, query);
  EXPECT_EQ(answer.run.rows, 1);
  EXPECT_TRUE(answer.run.has_more);
  EXPECT_FALSE(answer.run.error);
  EXPECT_EQ(env_.counted.started, 1);
}

TEST_F(SqliteSourceTest, ManyRowsComeWhole) {
  const auto answer =
      run("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50000) "
          "SELECT n, 'row number ' || n FROM c");
  EXPECT_EQ(answer.run.rows, 50'000);
  EXPECT_THAT(answer.text, HasSubstr("\"row number 49999\""));
}

TEST_F(SqliteSourceTest, ErrorsTellNamesAndPlaces) {
  auto answer = run("SELECT id,\n nmae FROM artist");
  EXPECT_EQ(answer.code(), ErrorCode::NotFound);
  EXPECT_EQ(answer.run.problem.kind, SqlProblem::Kind::UnknownColumn);
  EXPECT_EQ(answer.run.problem.name, "nmae");
  EXPECT_EQ(answer.run.error->position, (TextPosition{2, 2}));
  EXPECT_EQ(answer.run.error->document, "sql");

  answer = run("SELECT 1 FROM artsit");
  EXPECT_EQ(answer.code(), ErrorCode::NotFound);
  EXPECT_EQ(answer.run.problem.kind, SqlProblem::Kind::UnknownTable);
  EXPECT_EQ(answer.run.problem.name, "artsit");
  EXPECT_EQ(answer.run.error->position, (TextPosition{1, 15}));

  answer = run("SELECT nvl(1, 2)");
  EXPECT_EQ(answer.run.problem.kind, SqlProblem::Kind::UnknownFunction);
  EXPECT_EQ(answer.run.problem.name, "nvl");

  answer = run("SELECT FROM artist");
  EXPECT_EQ(answer.code(), ErrorCode::InvalidInput);
  EXPECT_EQ(answer.run.problem.kind, SqlProblem::Kind::Syntax);
  EXPECT_EQ(answer.run.error->position, (TextPosition{1, 8}));

  // With double quotes it is a name, never a text.
  answer = run("SELECT * FROM artist WHERE name = \"AC/DC\"");
  EXPECT_EQ(answer.run.problem.kind, SqlProblem::Kind::UnknownColumn);
  EXPECT_EQ(env_.counted.started, 1);
}

TEST_F(SqliteSourceTest, ExplainsWithoutRunning) {
  TableQuery query;
  query.sql = "SELECT * FROM album_names WHERE title = (SELECT max(title) FROM album WHERE id < ?)";
  OpContext context;
  const auto outcome = source_->explain(query, context);
  ASSERT_FALSE(outcome.error) << outcome.error->to_string();
  EXPECT_THAT(outcome.plan.text, HasSubstr("SEARCH"));
  EXPECT_THAT(outcome.plan.text, HasSubstr("\n  SEARCH album"));  // under the scalar subquery
  ASSERT_NE(outcome.plan.tree.if_array(), nullptr);
  EXPECT_FALSE(outcome.plan.tree.if_array()->empty());
  query.sql = "EXPLAIN QUERY PLAN SELECT 1 FROM album";
  EXPECT_FALSE(source_->explain(query, context).error);
  query.sql = "DELETE FROM album";
  EXPECT_EQ(source_->explain(query, context).error->code, ErrorCode::Denied);
  query.sql = "SELECT 1 FROM gone";
  EXPECT_EQ(source_->explain(query, context).problem.name, "gone");
}

TEST_F(SqliteSourceTest, CatalogueTellsTables) {
  OpContext context;
  const auto catalogue = source_->catalogue(context);
  ASSERT_TRUE(catalogue) << catalogue.error().to_string();
  std::vector<std::string> names;
  for (const TableInfo& table : (*catalogue)->tables) names.push_back(table.name);
  EXPECT_THAT(names, ElementsAre("album", "album_names", "artist"));
  EXPECT_TRUE((*catalogue)->is_complete);
  const TableInfo& album = *(*catalogue)->find("ALBUM");
  EXPECT_EQ(album.columns.size(), 10);
  const ColumnInfo& title = *album.find_column("title");
  EXPECT_EQ(title.type, "VARCHAR(160)");
  EXPECT_FALSE(title.is_nullable);
  EXPECT_EQ(title.otherwise, "'untitled'");
  EXPECT_TRUE(album.find_column("shout")->is_generated);
  EXPECT_THAT(album.primary_key, ElementsAre("id"));
  EXPECT_FALSE(album.find_column("id")->is_nullable);
  EXPECT_THAT(album.checks, ElementsAre("length(title) > 0", "price >= 0 OR price IS NULL"));
  ASSERT_EQ(album.foreign_keys.size(), 1);
  EXPECT_EQ(album.foreign_keys[0].table, "artist");
  EXPECT_THAT(album.foreign_keys[0].columns, ElementsAre("artist_id"));
  EXPECT_THAT(album.foreign_keys[0].other_columns, ElementsAre("id"));
  ASSERT_EQ(album.indexes.size(), 3);
  EXPECT_TRUE(album.indexes[0].is_primary);
  EXPECT_EQ(album.indexes[1].name, "album_by_lower");
  EXPECT_THAT(album.indexes[1].columns, ElementsAre("(lower(title))", "artist_id"));
  EXPECT_TRUE(album.indexes[2].is_unique);
  EXPECT_EQ((*catalogue)->find("album_names")->kind, TableInfo::Kind::View);
  EXPECT_EQ((*catalogue)->find("album_names")->columns.size(), 2);
  EXPECT_FALSE(album.rows);
  EXPECT_EQ(*source_->catalogue(context), *catalogue);  // the same object
}

TEST_F(SqliteSourceTest, CatalogueFollowsChanges) {
  OpContext context;
  ASSERT_TRUE(source_->catalogue(context));
  const std::string before = source_->fingerprint();
  EXPECT_EQ(source_->fingerprint(), before);
  make_database(path_,
                "CREATE TABLE more(a); ANALYZE; CREATE VIEW broken AS SELECT * FROM gone;"
                "CREATE VIRTUAL TABLE ft USING fts5(body)");
  EXPECT_NE(source_->fingerprint(), before);
  const auto catalogue = source_->catalogue(context);
  ASSERT_TRUE(catalogue) << catalogue.error().to_string();
  EXPECT_NE((*catalogue)->find("more"), nullptr);
  EXPECT_EQ((*catalogue)->find("album")->rows, 2);
  ASSERT_NE((*catalogue)->find("broken"), nullptr);
  EXPECT_THAT((*catalogue)->find("broken")->comment, HasSubstr("gone"));
  EXPECT_EQ((*catalogue)->find("ft")->kind, TableInfo::Kind::Virtual);
  EXPECT_EQ((*catalogue)->find("ft_content"), nullptr);
  EXPECT_EQ((*catalogue)->find("album")->columns.size(), 10);
  EXPECT_EQ(env_.counted.started, 1);
}

TEST_F(SqliteSourceTest, FollowsTheSchemaWithWarmStatements) {
  EXPECT_EQ(run("SELECT * FROM artist").names.size(), 2);
  make_database(path_, "ALTER TABLE artist ADD COLUMN country TEXT");
  EXPECT_EQ(run("SELECT * FROM artist").names.size(), 3);
  make_database(path_,
                "CREATE VIRTUAL TABLE place USING rtree(id, x0, x1);"
                "INSERT INTO place VALUES (1, 2, 3);"
                "CREATE VIRTUAL TABLE ft USING fts5(body); INSERT INTO ft VALUES ('a b')");
  EXPECT_EQ(run("SELECT id FROM place WHERE x0 > 1").run.rows, 1)
      << run("SELECT * FROM place").text;
  EXPECT_EQ(run("SELECT body FROM ft WHERE ft MATCH 'b'").run.rows, 1);
  EXPECT_EQ(env_.counted.started, 1);
}

TEST_F(SqliteSourceTest, VirtualTablesAreReadable) {
  make_database(path_,
                "CREATE VIRTUAL TABLE ft USING fts5(title, content='album', content_rowid='id');"
                "INSERT INTO ft(ft) VALUES ('rebuild');"
                "CREATE VIRTUAL TABLE ft4 USING fts4(body); INSERT INTO ft4 VALUES ('x y');"
                "CREATE VIRTUAL TABLE area USING rtree(id, x0, x1);"
                "INSERT INTO area VALUES (1, 0, 5)");
  EXPECT_EQ(run("SELECT highlight(ft, 0, '[', ']') FROM ft WHERE ft MATCH 'voltage'").text,
            "\"High [Voltage]\"\n");
  EXPECT_EQ(run("SELECT title, rank FROM ft('balls') ORDER BY bm25(ft)").run.rows, 1);
  EXPECT_EQ(run("SELECT snippet(ft4) FROM ft4 WHERE body MATCH 'y'").run.rows, 1);
  EXPECT_EQ(run("SELECT id FROM area WHERE x0 <= 1").run.rows, 1);
  EXPECT_EQ(run("SELECT j.value FROM album, json_each('[1, 2]') j").run.rows, 4);
}

TEST_F(SqliteSourceTest, WalDatabasesAreRead) {
  Writer writer(path_);
  writer.run("PRAGMA journal_mode = WAL; INSERT INTO artist VALUES (3, 'Aerosmith')");
  EXPECT_EQ(run("SELECT name FROM artist WHERE id = 3").text, "\"Aerosmith\"\n");
  const std::string before = source_->fingerprint();
  writer.run("INSERT INTO artist VALUES (4, 'Alanis')");
  EXPECT_NE(source_->fingerprint(), before);
  EXPECT_EQ(run("SELECT count(*) FROM artist").text,
            "\"4\"^^<http://www.w3.org/2001/XMLSchema#integer>\n");
}

TEST_F(SqliteSourceTest, WalOfAFolderThatCannotBeWrittenIsExplained) {
  if (::geteuid() == 0) GTEST_SKIP() << "permissions do not bind root";
  { Writer(path_).run("PRAGMA journal_mode = WAL; INSERT INTO artist VALUES (3, 'Aerosmith')"); }
  ::chmod(folder_.path().c_str(), 0500);
  const auto answer = run("SELECT 1 FROM artist");
  ::chmod(folder_.path().c_str(), 0700);
  EXPECT_EQ(answer.code(), ErrorCode::Unavailable);
  EXPECT_THAT(answer.text, HasSubstr("WAL"));
}

TEST_F(SqliteSourceTest, ALockedDatabaseIsToldWithinTheDeadline) {
  Writer writer(path_);
  writer.run("BEGIN EXCLUSIVE");
  const auto answer = ask(*source_, "SELECT 1 FROM artist", std::chrono::milliseconds(300));
  EXPECT_TRUE(answer.code() == ErrorCode::Unavailable || answer.code() == ErrorCode::LimitExceeded)
      << answer.text;
  writer.run("COMMIT");
  EXPECT_EQ(run("SELECT 'x'").text, "\"x\"\n");
}

TEST_F(SqliteSourceTest, RightsAndSetupSpeakOfTheFile) {
  OpContext context;
  const auto rights = source_->rights(context);
  ASSERT_TRUE(rights);
  EXPECT_FALSE(rights->is_least);
  EXPECT_THAT(rights->beyond_reading[0], HasSubstr("music.db"));
  EXPECT_THAT(source_->setup_script(), HasSubstr("chmod"));
  EXPECT_THAT(source_->setup_script(), HasSubstr("music.db"));
}

TEST_F(SqliteSourceTest, CallsAtOnceHaveWorkersOfTheirOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n) {
        if (run("SELECT count(*) FROM album").run.rows == 1) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
  EXPECT_LE(env_.counted.started, 4);
}

TEST(SqliteOpening, WhatIsNoDatabaseIsTold) {
  const TempDirectory folder;
  EXPECT_EQ(open_sqlite(options_for(folder / "none.db"), real_env()).error().code,
            ErrorCode::NotFound);
  EXPECT_EQ(open_sqlite(options_for(folder.path()), real_env()).error().code,
            ErrorCode::InvalidInput);
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(open_sqlite(options_for(pipe), real_env()).error().code, ErrorCode::InvalidInput);

  std::ofstream(folder / "noise.db") << std::string(5'000, 'x');
  const auto noise = ask(*source_of(options_for(folder / "noise.db")), "SELECT 1");
  EXPECT_EQ(noise.code(), ErrorCode::Unavailable);
  EXPECT_THAT(noise.text, HasSubstr("no SQLite database"));

  std::ofstream(folder / "empty.db") << "";
  EXPECT_EQ(ask(*source_of(options_for(folder / "empty.db")), "SELECT 'x'").text, "\"x\"\n");
}

TEST(SqliteOpening, DamagedFilesAreTold) {
  const TempDirectory folder;
  const auto path = folder / "damaged.db";
  make_database(
      path,
      "CREATE TABLE t(a, b); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "
      "c WHERE n < 2000) INSERT INTO t SELECT n, hex(randomblob(50)) FROM c");
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4'096);
    file << std::string(40'000, '\xA5');
  }
  const auto source = source_of(options_for(path));
  const auto answer = ask(*source, "SELECT sum(length(b)) FROM t");
  EXPECT_EQ(answer.code(), ErrorCode::Unavailable);
  EXPECT_THAT(answer.text, HasSubstr("damaged"));
  EXPECT_EQ(ask(*source, "SELECT 'x'").text, "\"x\"\n");
}

TEST(SqliteOpening, OddPathsAreOnlyPaths) {
  const TempDirectory folder;
  const auto path = folder / "a?mode=rwc#b %41 'x\".db";
  make_database(path, "CREATE TABLE t(a)");
  EXPECT_EQ(ask(*source_of(options_for(path)), "SELECT name FROM sqlite_schema").text, "\"t\"\n");
  DatabaseOptions immutable = options_for(path);
  immutable.address.options = {{"immutable", "1"}};
  EXPECT_EQ(ask(*source_of(immutable), "SELECT name FROM sqlite_schema").text, "\"t\"\n");
}

}  // namespace
}  // namespace helve::sql
