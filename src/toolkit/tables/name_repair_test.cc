#include "toolkit/tables/name_repair.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/tables/fake_tables.h"
#include "toolkit/tables/catalogue_search.h"
#include "toolkit/tables/name_distance.h"

namespace helve::toolkit {
namespace {

using helve::testing::table_info;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A shop of our own, larger than the one that tools are tested with.
Catalogue shop() {
  Catalogue catalogue;
  catalogue.default_schema = "public";
  const std::pair<const char*, const char*> tables[] = {
      {"artist", "artist_id int key, name text, country text, formed_in int"},
      {"album", "album_id int key, title text, artist_id int, released_on date"},
      {"track",
       "track_id int key, name text, album_id int, genre_id int, media_type_id int, "
       "composer text, milliseconds int, bytes int, unit_price numeric"},
      {"genre", "genre_id int key, name text"},
      {"media_type", "media_type_id int key, name text"},
      {"customer",
       "customer_id int key, first_name text, last_name text, company text, "
       "address text, city text, state text, country text, postal_code text, phone "
       "text, email text, support_rep_id int"},
      {"employee",
       "employee_id int key, last_name text, first_name text, title text, "
       "reports_to int, birth_date date, hire_date date, email text"},
      {"invoice",
       "invoice_id int key, customer_id int, invoice_date date, billing_address text, "
       "billing_city text, billing_country text, total numeric"},
      {"invoice_line",
       "invoice_line_id int key, invoice_id int, track_id int, unit_price "
       "numeric, quantity int"},
      {"playlist", "playlist_id int key, name text"},
      {"playlist_track", "playlist_id int, track_id int"},
      {"warehouse", "warehouse_id int key, label text, opened_at timestamp"},
      {"stock_level", "warehouse_id int, track_id int, amount int, counted_at timestamp"},
      {"shipment",
       "shipment_id int key, invoice_id int, carrier text, shipped_at timestamp, "
       "weight_kg numeric"},
      {"OrderItem", "OrderItemId int key, UnitPrice numeric, ProductName text"}};
  for (const auto& [name, columns] : tables) {
    catalogue.tables.push_back(table_info(name, columns));
    catalogue.tables.back().schema = "public";
  }
  return catalogue;
}

NameRepair repair(SqlProblem::Kind kind, const std::string& name, const std::string& sql,
                  const Catalogue& catalogue, SqlDialect dialect = SqlDialect::Sqlite) {
  const auto tokens = read_sql_tokens(sql, dialect);
  EXPECT_TRUE(tokens.has_value());
  return repair_name({kind, name}, outline_of(*tokens, {}, dialect), catalogue, dialect);
}

constexpr auto kTable = SqlProblem::Kind::UnknownTable;
constexpr auto kColumn = SqlProblem::Kind::UnknownColumn;

TEST(NameRepair, FindsTables) {
  const Catalogue catalogue = shop();
  EXPECT_EQ(repair(kTable, "custmer", "SELECT * FROM custmer", catalogue).did_you_mean.front(),
            "customer");
  EXPECT_EQ(
      repair(kTable, "invoicelines", "SELECT * FROM invoicelines", catalogue).did_you_mean.front(),
      "invoice_line");
  EXPECT_EQ(repair(kTable, "artists", "SELECT * FROM artists", catalogue).did_you_mean.front(),
            "artist");
  EXPECT_EQ(
      repair(kTable, "publik.track", "SELECT * FROM publik.track", catalogue).did_you_mean.front(),
      "track");
  EXPECT_EQ(
      repair(kTable, "order_item", "SELECT * FROM order_item", catalogue, SqlDialect::PostgreSql)
          .did_you_mean.front(),
      "\"OrderItem\"");
  EXPECT_EQ(repair(kTable, "totls", "WITH totals AS (SELECT 1) SELECT * FROM totls", catalogue)
                .did_you_mean.front(),
            "totals");
}

TEST(NameRepair, FindsColumnsOfTouchedTablesFirst) {
  const Catalogue catalogue = shop();
  const auto lone = repair(kColumn, "nmae", "SELECT nmae FROM genre", catalogue);
  EXPECT_EQ(lone.did_you_mean.front(), "name");
  EXPECT_EQ(lone.tables.front()->name, "genre");
  EXPECT_EQ(
      repair(kColumn, "c.emial", "SELECT c.emial FROM customer c JOIN employee e ON 1", catalogue)
          .did_you_mean.front(),
      "c.email");
  // Two tables have it: which one is said.
  EXPECT_EQ(repair(kColumn, "emial", "SELECT emial FROM customer c JOIN employee e ON 1", catalogue)
                .did_you_mean.front(),
            "c.email");
  EXPECT_EQ(repair(kColumn, "firstName", "SELECT firstName FROM customer", catalogue)
                .did_you_mean.front(),
            "first_name");
}

TEST(NameRepair, FindsColumnsOfOtherTables) {
  const Catalogue catalogue = shop();
  const auto found = repair(kColumn, "carrier", "SELECT carrier FROM invoice", catalogue);
  EXPECT_EQ(found.did_you_mean.front(), "shipment.carrier");
  EXPECT_THAT(found.hint, HasSubstr("join"));
  EXPECT_EQ(found.tables.back()->name, "shipment");
}

TEST(NameRepair, KnowsTablesThatHaveAnotherNameHere) {
  const auto found =
      repair(kColumn, "customer.email", "SELECT customer.email FROM customer c", shop());
  EXPECT_EQ(found.did_you_mean.front(), "c.email");
  EXPECT_THAT(found.hint, HasSubstr("c.email"));
  EXPECT_EQ(repair(kColumn, "custmer.email", "SELECT custmer.email FROM customer", shop())
                .did_you_mean.front(),
            "customer.email");
}

TEST(NameRepair, KnowsFunctionsOfTheDialect) {
  const auto function = SqlProblem::Kind::UnknownFunction;
  EXPECT_THAT(repair(function, "year", "SELECT year(x) FROM track", shop()).hint,
              HasSubstr("strftime"));
  EXPECT_EQ(repair(function, "lenght", "SELECT lenght(x) FROM track", shop()).did_you_mean.front(),
            "length");
}

TEST(NameRepair, GivesNothingForNothing) {
  const auto found = repair(kColumn, "zzzzqqqq", "SELECT zzzzqqqq FROM track", shop());
  EXPECT_THAT(found.did_you_mean, IsEmpty());
  EXPECT_THAT(found.hint, HasSubstr("single quotes"));
  EXPECT_THAT(repair(kTable, std::string(100'000, 'x'), "SELECT 1", shop()).did_you_mean,
              IsEmpty());
}

std::string misspelt(std::string name, int edits, std::mt19937& random) {
  const std::string original = name;
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = random() % name.size();
    const char letter = static_cast<char>('a' + random() % 26);
    switch (random() % 4) {
      case 0:
        name[at] = letter;
        break;
      case 1:
        name.insert(at, 1, letter);
        break;
      case 2:
        if (name.size() > 2) name.erase(at, 1);
        break;
      default:
        if (at + 1 < name.size()) std::swap(name[at], name[at + 1]);
    }
  }
  return name == original ? name + "x" : name;
}

TEST(NameRepair, HasTheRightNameAmongItsSuggestions) {
  const Catalogue catalogue = shop();
  std::mt19937 random(7);
  int asked = 0;
  int found = 0;
  std::string missed;
  const auto check = [&](const NameRepair& repair, const std::string& right,
                         const std::string& wrong) {
    ++asked;
    const bool is_there = std::any_of(
        repair.did_you_mean.begin(), repair.did_you_mean.end(),
        [&](const std::string& one) { return one == right || one.ends_with("." + right); });
    found += is_there ? 1 : 0;
    if (!is_there) missed += fmt::format("{} for {}; ", wrong, right);
  };
  for (int round = 0; round < 4; ++round) {
    for (const TableInfo& table : catalogue.tables) {
      const std::string wrong = misspelt(table.name, 1 + round % 2, random);
      if (catalogue.find(wrong) != nullptr) continue;
      check(repair(kTable, wrong, "SELECT * FROM " + wrong, catalogue), table.name, wrong);
      for (const ColumnInfo& column : table.columns) {
        const std::string bad = misspelt(column.name, 1 + round % 2, random);
        if (table.find_column(bad) != nullptr) continue;
        const std::string other = table.name == "track" ? "album" : "track";
        check(repair(kColumn, bad,
                     fmt::format("SELECT {} FROM {} JOIN {} ON 1 = 1", bad, table.name, other),
                     catalogue),
              column.name, bad);
      }
    }
  }
  EXPECT_GT(asked, 300);
  EXPECT_GE(found * 100, asked * 95) << found << " of " << asked << ": " << missed;
  RecordProperty("asked", asked);
  RecordProperty("found", found);
}

TEST(NameDistance, KnowsHowNamesAreMistaken) {
  const auto distance = [](const char* a, const char* b) {
    return NameToCompare(a).distance_to(b).value_or(99);
  };
  EXPECT_EQ(distance("Name", "name"), 0);
  EXPECT_LT(distance("unitPrice", "unit_price"), 1);
  EXPECT_LT(distance("categories", "category"), 1);
  EXPECT_LE(distance("nmae", "name"), 1);
  EXPECT_LT(distance("cust", "customer"), 3);
  EXPECT_LT(distance("customer_name", "name"), 3);
  EXPECT_EQ(distance("apple", "zebra"), 99);
  EXPECT_THAT(words_of_name("unitPriceUSD_total2"), ElementsAre("unit", "price", "usd", "total2"));
}

TEST(CatalogueSearch, RanksNamesBeforeCommentsBeforeNearOnes) {
  Catalogue catalogue = shop();
  catalogue.tables[12].comment = "what lies in each store, by email of the keeper";
  const auto hits = search_catalogue("email", catalogue, 10);
  ASSERT_GE(hits.hits.size(), 3U);
  EXPECT_EQ(hits.hits[0].column->name, "email");
  EXPECT_EQ(hits.hits[2].table->name, "stock_level");
  EXPECT_EQ(search_catalogue("custmer", catalogue, 10).hits.front().table->name, "customer");
  const auto split = search_catalogue("invoice total", catalogue, 3).hits;
  ASSERT_FALSE(split.empty());
  EXPECT_EQ(split.front().column->name, "total");
  EXPECT_EQ(search_catalogue("price", catalogue, 10).hits.front().column->name, "unit_price");
  EXPECT_EQ(search_catalogue("qqqqqq", catalogue, 10).total, 0U);
  EXPECT_EQ(search_catalogue("", catalogue, 10).total, 0U);
  EXPECT_EQ(search_catalogue("name", catalogue, 1).hits.size(), 1U);
  EXPECT_GT(search_catalogue("name", catalogue, 1).total, 3U);
}

}  // namespace
}  // namespace helve::toolkit
