#include "toolkit/handles/row_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "toolkit/handles/row_table_layout.h"

namespace helve::toolkit {
namespace {

using rdf::Term;
using rdf::TermView;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kInteger = "http://www.w3.org/2001/XMLSchema#integer";
using Cells = std::vector<std::optional<TermView>>;

std::vector<Cells> all_kinds() {
  TermView right_to_left = TermView::lang_literal("שלום", "he");
  right_to_left.direction = rdf::Direction::Rtl;
  return {
      {TermView::iri("http://e.org/a"), TermView::literal("plain"), std::nullopt},
      {TermView::blank("b0"), TermView::literal("42", kInteger), TermView::literal("")},
      {TermView::iri("http://e.org/a"), TermView::lang_literal("plain", "en"), right_to_left},
      {TermView::literal("http://e.org/a"), TermView::lang_literal("plain", "en-GB"),
       TermView::lang_literal("שלום", "he")},
      {std::nullopt, std::nullopt, std::nullopt},
      {TermView::blank("http://e.org/a"), TermView::literal("plain", "http://e.org/en"),
       TermView::literal(std::string_view("a\0b\n\xF0\x9F\x98\x80", 8))},
  };
}

RowTablePtr table_of(const std::vector<std::string>& columns, const std::vector<Cells>& rows,
                     RowTableBuilder::Limits limits = {}) {
  RowTableBuilder builder(limits, {});
  EXPECT_TRUE(builder.columns(columns));
  for (const Cells& row : rows) EXPECT_TRUE(builder.row(row));
  return builder.finish();
}

void expect_rows(const RowTable& table, const std::vector<Cells>& rows) {
  ASSERT_EQ(table.rows(), rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      EXPECT_EQ(table.cell(row, column), rows[row][column]) << row << ", " << column;
    }
  }
}

Result<RowTablePtr> read_back(const std::string& bytes) {
  auto owner = std::make_shared<const std::string>(bytes);
  return table_from_bytes(*owner, owner);
}

TEST(RowTable, KeepsTermsOfAllKinds) {
  const auto table = table_of({"s", "name", "x"}, all_kinds());
  EXPECT_THAT(table->columns(), ElementsAre("s", "name", "x"));
  expect_rows(*table, all_kinds());
}

TEST(RowTable, IsTheSameWhenReadBack) {
  const auto table = table_of({"s", "ناм", "x"}, all_kinds());
  const auto again = read_back(table->to_bytes());
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ((*again)->columns(), table->columns());
  EXPECT_EQ((*again)->characters(), table->characters());
  expect_rows(**again, all_kinds());
  EXPECT_EQ((*again)->to_bytes(), table->to_bytes());
}

TEST(RowTable, NeedsNoAlignment) {
  const std::string bytes = "x" + table_of({"a", "b", "c"}, all_kinds())->to_bytes();
  const auto table = table_from_bytes(std::string_view(bytes).substr(1), nullptr);
  ASSERT_TRUE(table);
  expect_rows(**table, all_kinds());
}

TEST(RowTable, MayBeEmpty) {
  for (const auto& columns : {std::vector<std::string>{}, std::vector<std::string>{"x"}}) {
    const auto table = table_of(columns, {});
    const auto again = read_back(table->to_bytes());
    ASSERT_TRUE(again);
    EXPECT_EQ((*again)->rows(), 0);
    EXPECT_EQ((*again)->columns(), columns);
  }
  const auto without_columns = table_of({}, {{}, {}});
  EXPECT_EQ(without_columns->rows(), 2);
  EXPECT_EQ((*read_back(without_columns->to_bytes()))->rows(), 2);
}

TEST(RowTable, StoresARepeatedTermOnce) {
  const std::string text(10'000, 'x');
  const auto table = table_of({"x"}, std::vector<Cells>(1'000, Cells{TermView::literal(text)}));
  EXPECT_LT(table->to_bytes().size(), 10'000 + 4'000 + 200);
  EXPECT_EQ(table->characters(), 10'000'000);
}

TEST(RowTable, ListsDifferentTermsInOrder) {
  const auto table = table_of({"x"}, {{TermView::iri("b")},
                                      {std::nullopt},
                                      {TermView::iri("a")},
                                      {TermView::iri("b")},
                                      {TermView::literal("a")}});
  EXPECT_THAT(table->distinct(0, 10),
              ElementsAre(TermView::iri("b"), TermView::iri("a"), TermView::literal("a")));
  EXPECT_THAT(table->distinct(0, 2), ElementsAre(TermView::iri("b"), TermView::iri("a")));
  EXPECT_THAT(table->distinct(0, 0), ElementsAre());
}

TEST(RowTable, CountsCharactersNotBytes) {
  EXPECT_EQ(table_of({"x", "y"}, {{TermView::literal("äöü"), std::nullopt}})->characters(), 3);
}

TEST(RowTable, HoldsManyDifferentTerms) {
  RowTableBuilder builder({}, {});
  ASSERT_TRUE(builder.columns({"i", "n"}));
  for (int i = 0; i < 50'000; ++i) {
    const std::string iri = fmt::format("http://e.org/{}", i);
    const std::string number = std::to_string(i % 100);
    ASSERT_TRUE(builder.row(Cells{TermView::iri(iri), TermView::literal(number, kInteger)}));
  }
  const auto table = builder.finish();
  for (int i = 0; i < 50'000; i += 997) {
    EXPECT_EQ(table->cell(i, 0)->value, fmt::format("http://e.org/{}", i));
    EXPECT_EQ(table->cell(i, 1)->value, std::to_string(i % 100));
    EXPECT_EQ(table->cell(i, 1)->datatype, kInteger);
  }
  EXPECT_EQ(table->distinct(1, 1'000).size(), 100);
}

TEST(RowTableBuilder, StopsAtItsRows) {
  RowTableBuilder builder({.rows_max = 2}, {});
  ASSERT_TRUE(builder.columns({"x"}));
  ASSERT_TRUE(builder.row(Cells{TermView::iri("a")}));
  ASSERT_TRUE(builder.row(Cells{TermView::iri("b")}));
  EXPECT_FALSE(builder.is_full());
  const auto third = builder.row(Cells{TermView::iri("c")});
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::LimitExceeded);
  EXPECT_TRUE(builder.is_full());
  expect_rows(*builder.finish(), {{TermView::iri("a")}, {TermView::iri("b")}});
}

TEST(RowTableBuilder, StopsAtItsBytesExactly) {
  const std::string text(10, 'y');
  RowTableBuilder builder({.bytes_max = 4'000}, {});
  ASSERT_TRUE(builder.columns({"x", "y"}));
  const Cells first{TermView::literal(text), TermView::literal(text)};
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(builder.row(first));
  const std::string other(5'000, 'z');
  ASSERT_FALSE(builder.row(Cells{TermView::literal("small"), TermView::literal(other)}));
  EXPECT_TRUE(builder.is_full());
  const auto table = builder.finish();
  EXPECT_EQ(table->rows(), 100);
  EXPECT_LE(table->to_bytes().size(), 4'000);
  EXPECT_EQ(table->distinct(0, 10).size(), 1);
}

// A known term costs four bytes a cell, however long it is; whoever reads the table meets its text.
TEST(RowTableBuilder, StopsAtItsCharactersToo) {
  const std::string text(1'000, 'y');
  RowTableBuilder builder({.bytes_max = 4'000}, {});
  ASSERT_TRUE(builder.columns({"x", "y"}));
  const Cells row{TermView::literal(text), TermView::literal(text)};
  ASSERT_TRUE(builder.row(row));
  ASSERT_TRUE(builder.row(row));
  ASSERT_FALSE(builder.row(row));
  EXPECT_TRUE(builder.is_full());
  EXPECT_EQ(builder.finish()->characters(), 4'000);
}

TEST(RowTableBuilder, ChargesTheCallThenTheProcess) {
  MemoryBudget call("call", std::size_t{1} << 20, &process_memory());
  OpContext context;
  context.memory = &call;
  const std::size_t before = process_memory().bytes_used();
  RowTablePtr table;
  {
    RowTableBuilder builder({}, context);
    ASSERT_TRUE(builder.columns({"x"}));
    const std::string text(10'000, 'x');
    ASSERT_TRUE(builder.row(Cells{TermView::literal(text)}));
    EXPECT_GE(call.bytes_used(), 10'000);
    table = builder.finish();
  }
  EXPECT_EQ(call.bytes_used(), 0);
  EXPECT_EQ(process_memory().bytes_used(), before + table->memory_bytes());
  table = nullptr;
  EXPECT_EQ(process_memory().bytes_used(), before);
}

TEST(RowTableBuilder, KeepsWhatItHasWhenMemoryEnds) {
  MemoryBudget call("call", 100'000);
  OpContext context;
  context.memory = &call;
  RowTableBuilder builder({}, context);
  ASSERT_TRUE(builder.columns({"x", "y"}));
  std::uint64_t taken = 0;
  for (;; ++taken) {
    const std::string text = fmt::format("{:0100}", taken);
    const auto outcome = builder.row(Cells{TermView::iri(text), TermView::literal(text)});
    if (outcome) continue;
    EXPECT_EQ(outcome.error().code, ErrorCode::LimitExceeded);
    break;
  }
  ASSERT_GT(taken, 10);
  const auto table = builder.finish();
  ASSERT_EQ(table->rows(), taken);
  EXPECT_EQ(table->cell(taken - 1, 1)->value, fmt::format("{:0100}", taken - 1));
  EXPECT_EQ(call.bytes_used(), 0);
}

TEST(RowTableBuilder, RefusesWhatIsNoText) {
  RowTableBuilder builder({}, {});
  ASSERT_TRUE(builder.columns({"x"}));
  const auto outcome = builder.row(Cells{TermView::literal("a\xFF")});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(builder.finish()->rows(), 0);
}

// Reads every cell; sanitizers would see what goes out of bounds.
std::uint64_t walk(const RowTable& table) {
  std::uint64_t bytes = 0;
  for (std::uint64_t row = 0; row < table.rows() && !table.columns().empty(); ++row) {
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      const auto cell = table.cell(row, column);
      if (cell) bytes += rdf::to_ntriples(*cell).size();
    }
  }
  return bytes;
}

TEST(RowTableBytes, NeverServesADamagedByte) {
  const std::string bytes = table_of({"s", "name", "x"}, all_kinds())->to_bytes();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const auto table = read_back(damaged);
      ASSERT_FALSE(table) << at;
      EXPECT_EQ(table.error().code, ErrorCode::Unavailable);
    }
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(read_back(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_back(bytes + "x"));
}

// Who knows the checksum can write anything; it still must not lead out of bounds.
TEST(RowTableBytes, SurvivesHostileBytesWithARightChecksum) {
  const std::string bytes = table_of({"s", "name", "x"}, all_kinds())->to_bytes();
  std::mt19937 random(7);
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string hostile = bytes;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      const std::size_t at = kChecksumEnd + random() % (hostile.size() - kChecksumEnd);
      hostile[at] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
    }
    seal_table(hostile);
    const auto table = read_back(hostile);
    if (!table) continue;
    ++read;
    (void)walk(**table);
  }
  EXPECT_GT(read, 0);  // a changed letter, say
}

TEST(RowTableBytes, TellsOfAnotherVersion) {
  std::string bytes = table_of({"x"}, {})->to_bytes();
  bytes[7] = 2;
  EXPECT_THAT(read_back(bytes).error().message, HasSubstr("version"));
}

}  // namespace
}  // namespace helve::toolkit
