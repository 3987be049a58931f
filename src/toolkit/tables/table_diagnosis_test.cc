#include "toolkit/tables/table_diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/env.h"
#include "tests/support/tables/fake_tables.h"
#include "toolkit/tables/table_probe.h"
#include "toolkit/tables/time_texts.h"

namespace helve::toolkit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EmptyRows : public ::testing::TestWithParam<SqlDialect> {
 protected:
  std::optional<TableDiagnosis> ask(const std::string& sql,
                                    const std::vector<SqlValue>& parameters = {}) {
    const auto catalogue = shop_->catalogue({}, false);
    return diagnose_empty_rows({sql, parameters, *shop_, **catalogue}, {});
  }
  TableDiagnosis must(const std::string& sql, const std::vector<SqlValue>& parameters = {}) {
    auto found = ask(sql, parameters);
    EXPECT_TRUE(found.has_value()) << sql;
    if (!found) return {};
    EXPECT_FALSE(found->says.empty());
    EXPECT_LE(found->probes, 40U);
    if (!found->suggestion.empty()) {
      EXPECT_GT(rows_of(found->suggestion), 0U) << found->suggestion;
    }
    return *std::move(found);
  }
  std::uint64_t rows_of(const std::string& sql) {
    TableProbe probe(*shop_, context_, 1);
    TableQuery query;
    query.sql = sql;
    const auto rows = probe.ask(query);
    return rows ? rows->size() : 0;
  }

  std::shared_ptr<helve::testing::FakeTables> shop_ = helve::testing::music_shop(GetParam());
  OpContext context_;
};

TEST_P(EmptyRows, ValuesInOtherLetters) {
  const auto found = must("SELECT * FROM customer WHERE country = 'germany'");
  EXPECT_EQ(found.cause, TableCause::ValueCase);
  EXPECT_THAT(found.candidates, ElementsAre("'Germany'"));
  EXPECT_EQ(found.suggestion, "SELECT * FROM customer WHERE country = 'Germany'");
  EXPECT_THAT(found.parts, ElementsAre("country = 'germany'"));
  const auto listed = must("SELECT * FROM customer c WHERE c.country IN ('xx', 'usa')");
  EXPECT_EQ(listed.cause, TableCause::ValueCase);
  EXPECT_EQ(listed.suggestion, "SELECT * FROM customer c WHERE c.country IN ('xx', 'USA')");
  EXPECT_EQ(must("SELECT * FROM customer WHERE LOWER(country) = 'USA'").cause,
            TableCause::ValueCase);
}

TEST_P(EmptyRows, ValuesWithBlanks) {
  const auto found = must("SELECT COUNT(*) FROM customer WHERE last_name = 'Harris'");
  EXPECT_EQ(found.cause, TableCause::ValueSpace);
  EXPECT_THAT(found.candidates, ElementsAre("'Harris '"));
}

TEST_P(EmptyRows, NearestValues) {
  const auto found = must("SELECT * FROM artist WHERE name = 'Aerosmiht'");
  EXPECT_EQ(found.cause, TableCause::ValueUnknown);
  EXPECT_EQ(found.candidates.front(), "'Aerosmith'");
  EXPECT_EQ(found.suggestion, "SELECT * FROM artist WHERE name = 'Aerosmith'");
  const auto within = must("SELECT * FROM artist WHERE name = 'Morissette'");
  EXPECT_THAT(within.candidates, ElementsAre("'Alanis Morissette'"));
  EXPECT_THAT(must("SELECT * FROM artist WHERE name = 'zzzzzzzzzz'").candidates,
              Contains("'Queen'"));
}

TEST_P(EmptyRows, RangesOutside) {
  const auto found = must("SELECT * FROM invoice WHERE total > 500");
  EXPECT_EQ(found.cause, TableCause::OutOfRange);
  EXPECT_THAT(found.says, HasSubstr("from 0.5 to 11.5"));
  EXPECT_EQ(must("SELECT * FROM invoice WHERE invoice_id = 99").cause, TableCause::OutOfRange);
  const auto turned = must("SELECT * FROM invoice WHERE total BETWEEN 9 AND 2");
  EXPECT_EQ(turned.cause, TableCause::OutOfRange);
  EXPECT_EQ(turned.suggestion, "SELECT * FROM invoice WHERE total BETWEEN 2 AND 9");
  const auto gap = must("SELECT * FROM track WHERE unit_price = 1.5");
  EXPECT_EQ(gap.cause, TableCause::ValueUnknown);
  EXPECT_THAT(gap.candidates, ElementsAre("0.99", "1.99"));
}

TEST_P(EmptyRows, Patterns) {
  const auto bare = must("SELECT * FROM artist WHERE name LIKE 'Morissette'");
  EXPECT_EQ(bare.cause, TableCause::PatternMismatch);
  EXPECT_THAT(bare.says, HasSubstr("without %"));
  EXPECT_FALSE(bare.suggestion.empty());
  const auto star = must("SELECT * FROM artist WHERE name LIKE 'Aero*'");
  EXPECT_EQ(star.cause, TableCause::PatternMismatch);
  EXPECT_THAT(star.says, HasSubstr("not *"));
}

TEST_P(EmptyRows, Dates) {
  const auto day = must("SELECT * FROM invoice WHERE invoice_date = '2009-03-01'");
  EXPECT_EQ(day.cause, TableCause::ValueFormat);
  EXPECT_THAT(day.suggestion, HasSubstr("< '2009-03-02'"));
  const auto other = must("SELECT * FROM invoice WHERE invoice_date = '03/01/2009'");
  EXPECT_EQ(other.cause, TableCause::ValueFormat);
  EXPECT_THAT(other.says, HasSubstr("'2009-01-01 00:00:00'"));
  EXPECT_EQ(must("SELECT * FROM invoice WHERE invoice_date > '2010-01-01'").cause,
            TableCause::OutOfRange);
}

TEST_P(EmptyRows, TimesAreTextsInSqlite) {
  const std::string sql = "SELECT * FROM invoice WHERE invoice_date = '2009-01-01T00:00:00'";
  const auto ask_times = [&](const std::string& text) {
    const auto catalogue = shop_->catalogue({}, false);
    return strange_times({text, {}, *shop_, **catalogue}, context_);
  };
  if (GetParam() != SqlDialect::Sqlite) {
    EXPECT_THAT(ask_times(sql), IsEmpty());
    return;
  }
  const auto found = must(sql);
  EXPECT_EQ(found.cause, TableCause::ValueFormat);
  EXPECT_THAT(found.candidates, Contains("'2009-01-01 00:00:00'"));
  EXPECT_EQ(found.suggestion, "SELECT * FROM invoice WHERE invoice_date = '2009-01-01 00:00:00'");
  EXPECT_THAT(ask_times("SELECT * FROM invoice i WHERE i.invoice_date >= '2009-01-01T00:00:00'"),
              ElementsAre(HasSubstr("write '2009-01-01 00:00:00'")));
  const std::uint64_t before = shop_->runs();
  EXPECT_THAT(ask_times("SELECT * FROM invoice WHERE invoice_date >= '2009-01-01 00:00:00'"),
              IsEmpty());
  EXPECT_EQ(shop_->runs(), before);
}

TEST_P(EmptyRows, BoundsInWrongOrder) {
  const auto found =
      must("SELECT * FROM invoice WHERE invoice_date BETWEEN '2009-06-01' AND '2009-01-01'");
  EXPECT_EQ(found.cause, TableCause::OutOfRange);
  EXPECT_THAT(found.says, HasSubstr("lesser value first"));
  EXPECT_THAT(found.suggestion, HasSubstr("BETWEEN '2009-01-01' AND '2009-06-01'"));
  EXPECT_EQ(
      must("SELECT * FROM invoice WHERE invoice_date BETWEEN '2009-03-01' AND '2009-03-01'").cause,
      TableCause::ValueFormat);
}

TEST_P(EmptyRows, NotInWithNulls) {
  const auto found =
      must("SELECT track_id FROM track WHERE track_id NOT IN (SELECT lyrics FROM track)");
  EXPECT_EQ(found.cause, TableCause::NullComparison);
  EXPECT_THAT(found.says, HasSubstr("There are 240 rows"));
  EXPECT_THAT(found.says, HasSubstr("NOT EXISTS"));
}

TEST_P(EmptyRows, Accents) {
  const auto one = must("SELECT * FROM customer WHERE first_name = 'Léonie'");
  EXPECT_EQ(one.candidates.front(), "'Leonie'");
  const auto rows = rows_of("SELECT * FROM customer WHERE first_name = 'Leonie'");
  ASSERT_GT(rows, 0U);
}

TEST_P(EmptyRows, ListsOfValues) {
  EXPECT_THAT(must("SELECT * FROM artist WHERE name IN ('Mars', 'Venus', 'Moon')").says,
              HasSubstr("name has none of the 3 values."));
}

TEST_P(EmptyRows, Nulls) {
  const auto found = must("SELECT * FROM track WHERE lyrics = NULL");
  EXPECT_EQ(found.cause, TableCause::NullComparison);
  EXPECT_EQ(found.suggestion, "SELECT * FROM track WHERE lyrics IS NULL");
  EXPECT_EQ(must("SELECT * FROM customer WHERE email IS NULL").cause, TableCause::NoNulls);
}

TEST_P(EmptyRows, EmptyTables) {
  const auto found = must("SELECT * FROM invoice i JOIN refund r ON r.invoice_id = i.invoice_id");
  EXPECT_EQ(found.cause, TableCause::TableEmpty);
  EXPECT_THAT(found.says, HasSubstr("refund"));
}

TEST_P(EmptyRows, Joins) {
  const auto found =
      must("SELECT * FROM invoice i JOIN customer c ON i.buyer_code = c.support_code");
  EXPECT_EQ(found.cause, TableCause::JoinMismatch);
  EXPECT_THAT(found.says, HasSubstr("'C-1'"));
  EXPECT_THAT(found.says, HasSubstr("'17'"));
  EXPECT_THAT(found.candidates, ElementsAre("i.customer_id = c.customer_id"));
  EXPECT_EQ(must("SELECT * FROM invoice i, customer c WHERE i.buyer_code = c.email").cause,
            TableCause::JoinMismatch);
}

TEST_P(EmptyRows, FiltersThatRemoveAll) {
  const auto both = must(
      "SELECT * FROM customer WHERE country = 'USA' AND first_name = 'Leonie' AND email <> ''");
  EXPECT_EQ(both.cause, TableCause::FilterRemovesAll);
  EXPECT_THAT(both.parts, ElementsAre("country = 'USA'", "first_name = 'Leonie'"));
  const auto joined = must(
      "SELECT * FROM track t JOIN album a ON a.album_id = t.album_id WHERE t.name = 'Track 1' AND "
      "a.title = 'Album 2'");
  EXPECT_EQ(joined.cause, TableCause::FilterRemovesAll);
  const auto having =
      must("SELECT customer_id, COUNT(*) FROM invoice GROUP BY customer_id HAVING COUNT(*) > 100");
  EXPECT_THAT(having.says, HasSubstr("HAVING"));
  EXPECT_THAT(must("SELECT * FROM customer LIMIT 10 OFFSET 50").says, HasSubstr("OFFSET 50"));
  EXPECT_THAT(must("SELECT * FROM customer LIMIT 0").says, HasSubstr("LIMIT 0"));
}

TEST_P(EmptyRows, ParametersAreValuesToo) {
  const std::string mark = GetParam() == SqlDialect::PostgreSql ? "$1" : "?";
  const auto found = must("SELECT * FROM customer WHERE country = " + mark,
                          {helve::testing::text_value("germany")});
  EXPECT_EQ(found.cause, TableCause::ValueCase);
  EXPECT_THAT(found.candidates, ElementsAre("'Germany'"));
  EXPECT_EQ(found.suggestion, "");
}

TEST_P(EmptyRows, NothingIsSaidOfWhatIsNotUnderstood) {
  EXPECT_FALSE(ask("SELECT 1 WHERE 1 = 0").has_value());
  EXPECT_FALSE(ask("SELECT 1 FROM artist WHERE 0 UNION SELECT 2 FROM album WHERE 0").has_value());
  EXPECT_FALSE(ask("not SQL at all").has_value());
  EXPECT_FALSE(ask("SELECT '").has_value());
}

TEST_P(EmptyRows, TimeAndNumberAreBounded) {
  OpContext late;
  late.deadline = Deadline(real_env().clock(), Duration(0));
  const auto catalogue = shop_->catalogue({}, false);
  const std::vector<SqlValue> none;
  const std::uint64_t before = shop_->runs();
  EXPECT_FALSE(diagnose_empty_rows(
                   {"SELECT * FROM artist WHERE name = 'x'", none, *shop_, **catalogue}, late)
                   .has_value());
  EXPECT_EQ(shop_->runs(), before);
  std::string many = "SELECT * FROM customer WHERE country = 'USA'";
  for (int i = 0; i < 100; ++i) many += " AND email <> 'x" + std::to_string(i) + "'";
  ask(many + " AND first_name = 'Leonie'");
  EXPECT_LE(shop_->runs() - before, 40U);
}

TEST_P(EmptyRows, SamplesAreFewAndDifferent) {
  const auto catalogue = *shop_->catalogue({}, false);
  const auto samples = sample_values(*shop_, *catalogue->find("track"), *catalogue, 3, {});
  ASSERT_EQ(samples.size(), 6U);
  EXPECT_EQ(samples[3].column, "unit_price");
  EXPECT_EQ(samples[3].values.size(), 2U);
  EXPECT_EQ(samples[0].values.size(), 3U);
  EXPECT_EQ(shop_->runs(), 1U);
  EXPECT_TRUE(sample_values(*shop_, *catalogue->find("refund"), *catalogue, 3, {}).empty());
}

INSTANTIATE_TEST_SUITE_P(Dialects, EmptyRows,
                         ::testing::Values(SqlDialect::Sqlite, SqlDialect::PostgreSql,
                                           SqlDialect::MySql));

}  // namespace
}  // namespace helve::toolkit
