// The tables that most tests of SQL tools ask about.
#include "tests/support/tables/fake_tables.h"

#include <fmt/format.h>

namespace helve::testing {

namespace {

constexpr int kTracks = 240;

ForeignKeyInfo refers(const std::string& column, const std::string& table) {
  return {column + "_fk", {column}, "", table, {column}};
}

FakeTable artists() {
  FakeTable table{table_info("artist", "artist_id integer key, name text"), {}};
  table.info.comment = "who made the music";
  const char* const names[] = {"AC/DC", "Accept", "Aerosmith", "Alanis Morissette", "Queen"};
  for (int i = 0; i < 5; ++i) table.rows.push_back({integer_value(i + 1), text_value(names[i])});
  return table;
}

FakeTable albums() {
  FakeTable table{table_info("album", "album_id integer key, title text, artist_id integer"), {}};
  table.info.foreign_keys = {refers("artist_id", "artist")};
  table.info.indexes.push_back({"album_artist", {"artist_id"}, false, false});
  for (int i = 0; i < 10; ++i) {
    table.rows.push_back({integer_value(i + 1), text_value(fmt::format("Album {}", i + 1)),
                          integer_value(i % 5 + 1)});
  }
  return table;
}

FakeTable tracks() {
  FakeTable table{table_info("track",
                             "track_id integer key, name text, album_id integer, "
                             "unit_price numeric, milliseconds integer, lyrics text"),
                  {}};
  table.info.foreign_keys = {refers("album_id", "album")};
  table.info.checks = {"unit_price >= 0"};
  table.info.columns[4].comment = "how long it plays";
  for (int i = 0; i < kTracks; ++i) {
    table.rows.push_back({integer_value(i + 1), text_value(fmt::format("Track {}", i + 1)),
                          integer_value(i % 10 + 1), double_value(i % 2 == 0 ? 0.99 : 1.99),
                          integer_value(180'000 + i * 1'000),
                          i % 20 == 0 ? text_value(std::string(3'000, 'w')) : null_value()});
  }
  return table;
}

FakeTable customers() {
  FakeTable table{table_info("customer",
                             "customer_id integer key, first_name text, last_name text, "
                             "email text, country text, support_code text"),
                  {}};
  const char* const rows[][5] = {{"Luis", "Gonçalves", "luis@example.org", "Brazil", "17"},
                                 {"Leonie", "Köhler", "leonie@example.org", "Germany", "4"},
                                 {"Frank", "Harris ", "frank@example.org", "USA", "9"},
                                 {"Bjørn", "Hansen", "bjorn@example.org", "Norway", "23"}};
  int id = 0;
  for (const auto& row : rows) {
    std::vector<SqlValue> values = {integer_value(++id)};
    for (const char* text : row) values.push_back(text_value(text));
    table.rows.push_back(std::move(values));
  }
  return table;
}

FakeTable invoices() {
  FakeTable table{table_info("invoice",
                             "invoice_id integer key, customer_id integer, "
                             "invoice_date timestamp, total numeric, buyer_code text"),
                  {}};
  table.info.foreign_keys = {refers("customer_id", "customer")};
  for (int i = 0; i < 12; ++i) {
    table.rows.push_back({integer_value(i + 1), integer_value(i % 4 + 1),
                          text_value(fmt::format("2009-{:02}-01 00:00:00", i + 1)),
                          double_value(i + 0.5), text_value(fmt::format("C-{}", i % 4 + 1))});
  }
  return table;
}

}  // namespace

std::shared_ptr<FakeTables> music_shop(SqlDialect dialect, std::string name) {
  FakeTable empty{table_info("refund", "refund_id integer key, invoice_id integer, reason text"),
                  {}};
  empty.info.foreign_keys = {refers("invoice_id", "invoice")};
  return std::make_shared<FakeTables>(
      std::move(name), dialect,
      std::vector<FakeTable>{artists(), albums(), tracks(), customers(), invoices(),
                             std::move(empty)});
}

}  // namespace helve::testing
