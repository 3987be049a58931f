#include "toolkit/sql/sql_over_handles.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/fake_env.h"
#include "toolkit/sql/sql_protocol.h"
#include "toolkit/sql/sql_testing.h"

namespace helve::toolkit {
namespace {

using rdf::TermView;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<SqlTable> proteins() {
  return {
      {"results_0",
       table_of({"protein", "name", "mass"},
                {{TermView::iri("http://e.org/P1"), TermView::lang_literal("one", "en"),
                  TermView::literal("10.50", kDecimal)},
                 {TermView::iri("http://e.org/P2"), TermView::literal("two"),
                  TermView::literal("9.5", kDecimal)},
                 {TermView::iri("http://e.org/P3"), TermView::literal("three"),
                  TermView::literal("100", kDecimal)},
                 {TermView::blank("b7"), TermView::literal("nameless"), std::nullopt}})},
      {"results_1",
       table_of(
           {"protein", "taxon", "hits"},
           {{TermView::iri("http://e.org/P2"), TermView::iri("http://e.org/T1"), integer("7")},
            {TermView::iri("http://e.org/P1"), TermView::iri("http://e.org/T1"), integer("35")},
            {TermView::iri("http://e.org/P9"), TermView::iri("http://e.org/T2"), integer("100")}})},
  };
}

std::string ask(std::string_view sql) { return ask_sql(sql, proteins()).text(); }

TEST(SqlOverHandles, JoinsAndKeepsTerms) {
  EXPECT_EQ(ask("SELECT protein, name, taxon, hits FROM results_0 JOIN results_1 USING (protein) "
                "ORDER BY hits"),
            "<http://e.org/P2> \"two\" <http://e.org/T1> "
            "\"7\"^^<http://www.w3.org/2001/XMLSchema#integer>\n"
            "<http://e.org/P1> \"one\"@en <http://e.org/T1> "
            "\"35\"^^<http://www.w3.org/2001/XMLSchema#integer>\n");
}

TEST(SqlOverHandles, GroupsAndSorts) {
  const auto answer = ask_sql(
      "SELECT taxon, sum(hits) AS hits, count(*) FROM results_1 GROUP BY taxon ORDER BY 2 DESC",
      proteins());
  EXPECT_THAT(answer.rows->columns(), ElementsAre("taxon", "hits", "count(*)"));
  EXPECT_EQ(answer.text(),
            "<http://e.org/T2> \"100\"^^<http://www.w3.org/2001/XMLSchema#integer> "
            "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>\n"
            "<http://e.org/T1> \"42\"^^<http://www.w3.org/2001/XMLSchema#integer> "
            "\"2\"^^<http://www.w3.org/2001/XMLSchema#integer>\n");
}

TEST(SqlOverHandles, Differs) {
  EXPECT_EQ(ask("SELECT protein FROM results_0 EXCEPT SELECT protein FROM results_1 ORDER BY 1"),
            "_:b7\n<http://e.org/P3>\n");
  EXPECT_EQ(
      ask("SELECT protein FROM results_1 WHERE protein NOT IN (SELECT protein FROM results_0)"),
      "<http://e.org/P9>\n");
}

TEST(SqlOverHandles, ComputedTextsAreIrisWhereTheTablesHaveThem) {
  EXPECT_EQ(ask("SELECT min(protein), coalesce(NULL, 'http://e.org/T1'), 'http://e.org/none' "
                "FROM results_1"),
            "<http://e.org/P1> <http://e.org/T1> \"http://e.org/none\"\n");
  EXPECT_EQ(ask("WITH c AS (SELECT protein AS p FROM results_1 UNION SELECT taxon FROM results_1) "
                "SELECT p FROM c ORDER BY p LIMIT 4"),
            "<http://e.org/P1>\n<http://e.org/P2>\n<http://e.org/P9>\n<http://e.org/T1>\n");
}

TEST(SqlOverHandles, DecimalsAreNumbersAndKeepTheirText) {
  EXPECT_EQ(ask("SELECT mass FROM results_0 WHERE mass > 9.75 ORDER BY mass"),
            "\"10.50\"^^<http://www.w3.org/2001/XMLSchema#decimal>\n"
            "\"100\"^^<http://www.w3.org/2001/XMLSchema#decimal>\n");
  EXPECT_EQ(ask("SELECT sum(mass), max(mass) FROM results_0"),
            "\"120\"^^<http://www.w3.org/2001/XMLSchema#double> "
            "\"100\"^^<http://www.w3.org/2001/XMLSchema#double>\n");
}

std::vector<SqlTable> numbers(const std::vector<std::string_view>& digits) {
  std::vector<Cells> rows;
  for (const std::string_view number : digits) {
    const bool is_whole = number.find('.') == std::string_view::npos;
    rows.push_back({TermView::literal(number, is_whole ? kInteger : kDecimal)});
  }
  return {{"results_0", table_of({"n"}, rows)}};
}

std::string of(std::string_view text, std::string_view type) {
  return fmt::format("\"{}\"^^<{}>", text, type);
}

TEST(SqlOverHandles, LongNumbersSortAndCompareAsNumbers) {
  const auto tables = numbers({"9", "1234567890123456789012.5", "10.25", "-99999999999999999999",
                               "574.7950000000000001", "6.5171428571428571"});
  const SqlAnswer sorted = ask_sql("SELECT n FROM results_0 ORDER BY n DESC", tables);
  EXPECT_EQ(sorted.text(), of("1234567890123456789012.5", kDecimal) + "\n" +
                               of("574.7950000000000001", kDecimal) + "\n" + of("10.25", kDecimal) +
                               "\n" + of("9", kInteger) + "\n" +
                               of("6.5171428571428571", kDecimal) + "\n" +
                               of("-99999999999999999999", kInteger) + "\n");
  EXPECT_TRUE(sorted.run.notes.empty());
  EXPECT_EQ(
      ask_sql("SELECT min(n), max(n), typeof(sum(n)) FROM results_0 WHERE n < 600", tables).text(),
      of("-1e+20", kDouble) + " " + of("574.795", kDouble) + " \"real\"\n");
  EXPECT_EQ(ask_sql("SELECT count(*) FROM results_0 WHERE n > 10", tables).text(),
            of("3", kInteger) + "\n");
}

TEST(SqlOverHandles, LongNumbersOfOneDoubleStayApart) {
  const auto tables = numbers({"12345678901234567890123", "12345678901234567890124", "5"});
  const SqlAnswer grouped = ask_sql("SELECT n, count(*) FROM results_0 GROUP BY n", tables);
  EXPECT_EQ(grouped.rows->rows(), 3U);
  ASSERT_EQ(grouped.run.notes.size(), 1U);
  EXPECT_THAT(grouped.run.notes[0], HasSubstr("CAST(n AS REAL)"));
  // One value in other digits is the same number.
  const auto same = numbers({"1.23456789012345678900", "1.234567890123456789"});
  const SqlAnswer shown = ask_sql("SELECT DISTINCT n FROM results_0", same);
  EXPECT_EQ(shown.text(), of("1.23456789012345678900", kDecimal) + "\n");
  EXPECT_TRUE(shown.run.notes.empty());
}

TEST(SqlOverHandles, SumsAreWhatTheDigitsAddUpTo) {
  std::vector<std::string_view> prices(2'240, "0.99");
  prices.resize(2'300, "1.99");
  EXPECT_EQ(
      ask_sql("SELECT sum(n), avg(n) * 2300, total(n) FROM results_0", numbers(prices)).text(),
      of("2337", kDouble) + " " + of("2337", kDouble) + " " + of("2337", kDouble) + "\n");
  EXPECT_EQ(ask_sql("SELECT sum(n) OVER (ORDER BY n ROWS 1 PRECEDING) FROM results_0",
                    numbers({"0.1", "0.2", "0.7"}))
                .text(),
            of("0.1", kDouble) + "\n" + of("0.3", kDouble) + "\n" + of("0.9", kDouble) + "\n");
  EXPECT_EQ(ask_sql("SELECT sum(n) FROM results_0", numbers({"9223372036854775807"})).text(),
            of("9223372036854775807", kInteger) + "\n");
  EXPECT_THAT(ask_sql("SELECT sum(n) FROM results_0",
                      numbers({"9223372036854775807", "9223372036854775806"}))
                  .text(),
              HasSubstr("integer overflow"));
  EXPECT_EQ(
      ask_sql("SELECT sum(n), avg(n), total(n) FROM results_0 WHERE n = 2", numbers({"1"})).text(),
      "- - " + of("0", kDouble) + "\n");
  EXPECT_EQ(ask_sql("SELECT sum(n) FROM (SELECT 1e300 AS n UNION ALL SELECT 1e-300 UNION ALL "
                    "SELECT -1e300)",
                    {})
                .text(),
            of("1e-300", kDouble) + "\n");
}

TEST(SqlOverHandles, TruthsAreNumbersAndComeBack) {
  constexpr std::string_view kBoolean = "http://www.w3.org/2001/XMLSchema#boolean";
  const std::vector<SqlTable> tables = {
      {"results_0", table_of({"b"}, {{TermView::literal("true", kBoolean)},
                                     {TermView::literal("false", kBoolean)},
                                     {TermView::literal("true", kBoolean)},
                                     {std::nullopt}})}};
  for (const auto& [condition, count] : {std::pair("b", "2"),
                                         {"b = 1", "2"},
                                         {"NOT b", "1"},
                                         {"b = false", "1"},
                                         {"b IS TRUE", "2"}}) {
    EXPECT_EQ(
        ask_sql(fmt::format("SELECT count(*) FROM results_0 WHERE {}", condition), tables).text(),
        of(count, kInteger) + "\n")
        << condition;
  }
  EXPECT_EQ(
      ask_sql("SELECT DISTINCT b FROM results_0 WHERE b IS NOT NULL ORDER BY b", tables).text(),
      of("false", kBoolean) + "\n" + of("true", kBoolean) + "\n");
}

TEST(SqlOverHandles, KeepsNumbersThatNoDoubleHolds) {
  const std::vector<SqlTable> tables = {
      {"results_0", table_of({"x"}, {{TermView::literal("0.1234567890123456789", kDecimal)},
                                     {integer("123456789012345678901234567890")},
                                     {integer("+007")},
                                     {TermView::literal("NaN", kDouble)},
                                     {TermView::literal("-INF", kDouble)},
                                     {TermView::literal("1e0", kDouble)},
                                     {TermView::literal("1.0E0", kDouble)}})}};
  EXPECT_EQ(ask_sql("SELECT x, typeof(x) AS t, x__datatype AS d FROM results_0 WHERE x = 7", tables)
                .text(),
            "\"+007\"^^<http://www.w3.org/2001/XMLSchema#integer> \"integer\" "
            "\"http://www.w3.org/2001/XMLSchema#integer\"\n");
  const auto all = ask_sql("SELECT x FROM results_0", tables);
  EXPECT_EQ(all.rows->cell(0, 0)->value, "0.1234567890123456789");
  EXPECT_EQ(all.rows->cell(1, 0)->value, "123456789012345678901234567890");
  EXPECT_EQ(all.rows->cell(3, 0), TermView::literal("NaN", kDouble));
  EXPECT_EQ(all.rows->cell(4, 0), TermView::literal("-INF", kDouble));
  // Two ways to write one number: which it was is not known any more.
  EXPECT_EQ(all.rows->cell(5, 0), TermView::literal("1", kDouble));
  EXPECT_THAT(all.run.notes, SizeIs(1));
}

TEST(SqlOverHandles, HasCompanionColumns) {
  EXPECT_EQ(ask("SELECT protein__type, name__lang, mass__datatype FROM results_0 ORDER BY rowid"),
            "\"iri\" \"en\" \"http://www.w3.org/2001/XMLSchema#decimal\"\n"
            "\"iri\" - \"http://www.w3.org/2001/XMLSchema#decimal\"\n"
            "\"iri\" - \"http://www.w3.org/2001/XMLSchema#decimal\"\n"
            "\"bnode\" - -\n");
  EXPECT_THAT(ask_sql("SELECT * FROM results_0", proteins()).rows->columns(),
              ElementsAre("protein", "name", "mass"));
}

TEST(SqlOverHandles, TellsOfTermsItCannotTellApart) {
  const auto answer =
      ask_sql("SELECT x FROM results_0",
              {{"results_0", table_of({"x"}, {{TermView::lang_literal("chat", "en")},
                                              {TermView::lang_literal("chat", "fr")},
                                              {TermView::lang_literal("dog", "en")}})}});
  EXPECT_EQ(answer.text(), "\"chat\"\n\"chat\"\n\"dog\"@en\n");
  ASSERT_THAT(answer.run.notes, SizeIs(1));
  EXPECT_THAT(answer.run.notes[0], HasSubstr("x__lang"));
}

TEST(SqlOverHandles, TakesNamesThatDifferByCaseAndDoubledOnes) {
  const auto answer = ask_sql(
      "SELECT *, Name_2, 1 AS a, 2 AS a FROM results_0",
      {{"results_0",
        table_of({"name", "Name", "odd \"name\"", "x", "x__type"},
                 {{integer("1"), integer("2"), integer("3"), integer("4"), integer("5")}})}});
  ASSERT_FALSE(answer.run.error) << answer.text();
  EXPECT_THAT(answer.rows->columns(), ElementsAre("name", "Name_2", "odd \"name\"", "x", "x__type",
                                                  "Name_2_2", "a", "a_2"));
  EXPECT_EQ(answer.rows->cell(0, 4)->value, "5");
}

TEST(SqlOverHandles, SaysWhetherThereIsMore) {
  for (const auto& [rows_max, has_more] : {std::pair(2, true), {3, false}, {4, false}, {0, true}}) {
    SqlLimits limits;
    limits.rows_max = static_cast<std::uint64_t>(rows_max);
    const auto answer = ask_sql("SELECT taxon FROM results_1", proteins(), limits);
    EXPECT_EQ(answer.run.has_more, has_more) << rows_max;
    EXPECT_EQ(answer.run.rows, std::min(rows_max, 3));
  }
}

TEST(SqlOverHandles, HelpsWithUnknownNames) {
  const auto table = ask_sql("SELECT * FROM result_0", proteins()).run.error;
  ASSERT_TRUE(table);
  EXPECT_EQ(table->code, ErrorCode::NotFound);
  EXPECT_EQ(table->full_message(), "there is no such handle of rows: 'result_0'");
  EXPECT_EQ(table->hint,
            "live handles: results_0, results_1; query_execute reads the tables of a database");
  EXPECT_THAT(table->suggestions, ElementsAre("results_0", "results_1"));
  const auto column = ask_sql("SELECT r.nmae FROM results_0 r", proteins()).run.error;
  ASSERT_TRUE(column);
  EXPECT_EQ(column->code, ErrorCode::InvalidInput);
  EXPECT_THAT(column->full_message(), AllOf(HasSubstr("there is no such column: 'r.nmae'; "),
                                            HasSubstr("results_0 has protein, name, mass")));
  EXPECT_THAT(column->suggestions, ElementsAre("name"));
  const auto text = ask_sql("SELECT \"text\"", {}).run.error;
  ASSERT_TRUE(text);
  EXPECT_THAT(text->hint, HasSubstr("single quotes"));
}

TEST(SqlOverHandles, TellsWhereTheSyntaxIsWrong) {
  const auto error = ask_sql("SELECT 1,\n  'ä' FORM x", {}).run.error;
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::InvalidInput);
  ASSERT_TRUE(error->position) << error->to_string();
  EXPECT_EQ(error->position->line, 2);
}

TEST(SqlOverHandles, JoinsLargeTablesByLookups) {
  std::vector<Cells> left;
  std::vector<Cells> right;
  std::vector<std::string> names;
  constexpr int kRows = 20'000;
  for (int i = 0; i < kRows; ++i) names.push_back(fmt::format("http://e.org/{}", i));
  for (int i = 0; i < kRows; ++i) {
    left.push_back({TermView::iri(names[i])});
    right.push_back({TermView::iri(names[kRows - 1 - i])});
  }
  // Nested loops would look at 400 million pairs.
  const auto answer = ask_sql("SELECT count(*) FROM a JOIN b ON a.x = b.y",
                              {{"a", table_of({"x"}, left)}, {"b", table_of({"y"}, right)}}, {},
                              std::chrono::seconds(20));
  EXPECT_EQ(answer.text(), "\"20000\"^^<http://www.w3.org/2001/XMLSchema#integer>\n");
}

// Whatever the index gives must be what a scan gives.
TEST(SqlOverHandles, LooksUpAsItCompares) {
  const std::vector<Cells> values = {{integer("1")},
                                     {TermView::literal("1")},
                                     {TermView::literal("1.0", kDecimal)},
                                     {TermView::literal(" 1 ")},
                                     {TermView::literal("1e0", kDouble)},
                                     {TermView::literal("+1")},
                                     {TermView::literal("a")},
                                     {TermView::iri("a")},
                                     {TermView::literal("A")},
                                     {std::nullopt},
                                     {TermView::literal("0.1", kDecimal)},
                                     {TermView::literal("0.1")},
                                     {TermView::literal("")},
                                     {TermView::literal("9007199254740993")},
                                     {integer("9007199254740993")},
                                     {TermView::literal("-0", kDouble)},
                                     {integer("0")}};
  std::vector<Cells> texts;
  for (const Cells& row : values) {
    if (row[0] && !row[0]->datatype.empty()) continue;
    texts.push_back(row);
  }
  const std::vector<SqlTable> tables = {{"a", table_of({"x"}, values)},
                                        {"b", table_of({"y"}, values)},
                                        {"c", table_of({"z"}, texts)}};
  for (const auto& [found, scanned] :
       {std::pair("a JOIN b ON a.x = b.y", "a JOIN b ON +a.x IS NOT NULL AND (a.x = b.y OR 0)"),
        {"a JOIN c ON a.x = c.z", "a JOIN c ON (a.x = c.z OR 0)"},
        {"c JOIN c d ON c.z = d.z", "c JOIN c d ON (c.z = d.z OR 0)"},
        {"a WHERE x = 1", "a WHERE (x = 1 OR 0)"},
        {"a WHERE x = '1'", "a WHERE (x = '1' OR 0)"},
        {"c WHERE z = 1", "c WHERE (z = 1 OR 0)"},
        {"a WHERE x = 'A' COLLATE NOCASE", "a WHERE (x = 'A' COLLATE NOCASE OR 0)"},
        {"a WHERE x IN (1, 'a', 0.1)", "a WHERE (x IN (1, 'a', 0.1) OR 0)"}}) {
    const auto count = [&](std::string_view from) {
      return ask_sql(fmt::format("SELECT count(*) FROM {}", from), tables).text();
    };
    EXPECT_EQ(count(found), count(scanned)) << found;
  }
}

TEST(SqlOverHandles, EndsWithTheDeadline) {
  const auto answer = ask_sql(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c", {},
      {}, std::chrono::milliseconds(300));
  ASSERT_TRUE(answer.run.error);
  EXPECT_EQ(answer.run.error->code, ErrorCode::LimitExceeded);
}

TEST(SqlOverHandles, KeepsRowsThatCameBeforeTheDeadline) {
  const auto answer = ask_sql(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) "
      "SELECT n FROM c WHERE n <= 3 OR n > 1000000000000",
      {}, {}, std::chrono::milliseconds(500));
  ASSERT_TRUE(answer.run.error);
  EXPECT_EQ(answer.run.error->code, ErrorCode::LimitExceeded);
}

TEST(SqlOverHandles, KillsAnOperationThatDoesNotEnd) {
  const auto answer = ask_sql("SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(3000000)) || '1')",
                              {}, {}, std::chrono::milliseconds(300));
  ASSERT_TRUE(answer.run.error);
  EXPECT_EQ(answer.run.error->code, ErrorCode::LimitExceeded);
}

TEST(SqlOverHandles, BoundsMemory) {
  SqlLimits limits;
  limits.memory_bytes_max = std::size_t{64} << 20;
  for (const char* sql :
       {"SELECT randomblob(2000000000)", "SELECT hex(zeroblob(900000000))",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c LIMIT 50000) "
        "SELECT group_concat(hex(randomblob(1000))) FROM c",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c LIMIT 1000000) "
        "SELECT count(*) FROM (SELECT DISTINCT n, hex(randomblob(500)) FROM c)"}) {
    const auto answer = ask_sql(sql, {}, limits);
    ASSERT_TRUE(answer.run.error) << sql;
    EXPECT_EQ(answer.run.error->code, ErrorCode::LimitExceeded) << answer.text();
  }
}

TEST(SqlOverHandles, SurvivesAWorkerThatCrashes) {
  RowTableBuilder builder({}, {});
  for (const auto& command : {worker_command("crashing-worker"), {"/bin/true"}, {"/bin/false"}}) {
    const SqlOverHandles sql(real_env(), command);
    const auto run = sql.run("SELECT 1", proteins(), {}, {}, builder, {});
    ASSERT_TRUE(run.error);
    EXPECT_EQ(run.error->code, ErrorCode::Unavailable) << run.error->to_string();
  }
  const SqlOverHandles absent(real_env(), {"/nowhere/helve"});
  EXPECT_EQ(absent.run("SELECT 1", {}, {}, {}, builder, {}).error->code, ErrorCode::Unavailable);
}

std::string frames_of(const std::vector<Cells>& rows) {
  std::string bytes;
  SqlFrameWriter frames(bytes);
  frames.columns({"x"});
  for (const Cells& row : rows) frames.row(row);
  frames.done({true, {"a note"}});
  return bytes;
}

TEST(SqlFrames, AreReadInPiecesOfAnySize) {
  const std::string bytes = frames_of({{TermView::iri("a")}, {std::nullopt}, {integer("5")}});
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
    FakeEnv env;
    ProcessScript script;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      script.out.push_back(bytes.substr(at, piece));
    }
    env.processes().script(script);
    RowTableBuilder builder({}, {});
    const auto run = SqlOverHandles(env, {"worker"}).run("SELECT 1", {}, {}, {}, builder, {});
    ASSERT_FALSE(run.error) << run.error->to_string();
    EXPECT_TRUE(run.has_more);
    EXPECT_EQ(builder.rows(), 3);
    EXPECT_THAT(run.notes, ElementsAre("a note"));
  }
}

TEST(SqlFrames, SurviveHostileBytes) {
  const std::string bytes = frames_of({{TermView::lang_literal("a", "en")}, {integer("5")}});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string hostile = bytes;
      hostile[at] = static_cast<char>(hostile[at] ^ change);
      RowTableBuilder builder({}, {});
      SqlFrameReader reader(builder);
      (void)reader.take(hostile);
      EXPECT_LE(builder.rows(), 3);
    }
    RowTableBuilder builder({}, {});
    SqlFrameReader reader(builder);
    (void)reader.take(bytes.substr(0, at));
    EXPECT_FALSE(reader.done());
  }
}

TEST(SqlRequests, ReadBackAndSurviveHostileBytes) {
  SqlRequest request;
  request.rows_max = 7;
  request.time = std::chrono::seconds(3);
  request.sql = "SELECT 1";
  request.known_tables = {"results_0"};
  request.tables = {{"results_0", "bytes"}};
  const std::string bytes = encode(request);
  const auto read = decode_request(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows_max, 7);
  EXPECT_EQ(read->time, request.time);
  EXPECT_EQ(read->tables, request.tables);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_FALSE(decode_request(bytes.substr(0, at)));
    std::string hostile = bytes;
    hostile[at] = static_cast<char>(0xFF);
    (void)decode_request(hostile);
  }
}

}  // namespace
}  // namespace helve::toolkit
