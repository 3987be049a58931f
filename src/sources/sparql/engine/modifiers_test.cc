// DISTINCT and GROUP BY against the plainest way to do the same, on random rows of terms of all
// kinds; whether rows are hashed or come sorted.
#include "sources/sparql/engine/modifiers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/spill_space.h"
#include "sources/rdf/inline_value.h"
#include "sources/sparql/engine/accumulator.h"
#include "sources/sparql/engine/expression_testing.h"
#include "sources/sparql/engine/row_operators.h"
#include "sources/sparql/engine/sort_key.h"

namespace helve::sparql {
namespace {

using Row = std::vector<Id>;
using RowList = std::vector<Row>;

constexpr std::string_view kNumbers = R"(1, 2, -7, 1.5, 0.25, 2.5e0, 1.0e1,
  576460752303423487, -576460752303423487, 5764607522.0, "01"^^xsd:integer, "1.50"^^xsd:decimal,
  "1"^^xsd:byte, "NaN"^^xsd:double, "1.5"^^xsd:float)";
constexpr std::string_view kOthers = R"("a", "b", "a"@en, "b"@de, :a, :b, true, false,
  "2020-01-01"^^xsd:date, "2020-01-01T00:00:00Z"^^xsd:dateTime,
  "2020-01-01T01:00:00+01:00"^^xsd:dateTime, "2020-01-01T00:00:00"^^xsd:dateTime,
  "x"^^xsd:integer, "a"^^:type, "not in the data")";

class ModifiersTest : public ::testing::Test {
 protected:
  ModifiersTest()
      : evaluation_(R"(:a :p 1, "a", "b", "a"@en, :b, "01"^^xsd:integer, "NaN"^^xsd:double .)"),
        run_{evaluation_.op(),      evaluation_.terms(),
             evaluation_.context(), nullptr,
             PassSet::all(),        MemoryCharge(*evaluation_.op().memory, "test")} {
    evaluation_.op().memory = &memory_;
    for (const rdf::Term& term : terms_of(kNumbers)) numbers_.push_back(id_of(term));
    for (const rdf::Term& term : terms_of(kOthers)) others_.push_back(id_of(term));
    others_.emplace_back();
  }

  Id id_of(const rdf::Term& term) { return evaluation_.terms().intern(term.view()).value(); }
  Id any(const std::vector<Id>& ids, std::size_t count) {
    return ids[random_() % std::min(count, ids.size())];
  }

  static Schema schema_of(std::size_t width) {
    Schema schema;
    for (std::size_t i = 0; i < width; ++i) schema.add("c" + std::to_string(i));
    return schema;
  }

  BoundExpression column(const std::string& name, const Schema& schema) {
    auto bound = BoundExpression::bind(variable(name), schema, evaluation_.context(), {});
    return std::move(*bound);
  }

  static RowList all_rows(Operator& from) {
    RowList rows;
    Batch batch;
    while (true) {
      const auto has_rows = from.next(batch);
      EXPECT_TRUE(has_rows) << has_rows.error().to_string();
      if (!has_rows || !*has_rows) return rows;
      for (std::size_t row = 0; row < batch.rows; ++row) {
        Row ids;
        for (const auto& column : batch.columns) ids.push_back(column[row]);
        rows.push_back(std::move(ids));
      }
    }
  }
  // Twice: after a restart it must be the same.
  static RowList all_rows_twice(Operator& from) {
    RowList rows = all_rows(from);
    from.restart();
    EXPECT_EQ(all_rows(from), rows);
    return rows;
  }

  MemoryBudget memory_{"test", kGiB};
  Evaluation evaluation_;
  RunState run_;
  std::mt19937 random_{11};
  std::vector<Id> numbers_;
  std::vector<Id> others_;
};

TEST_F(ModifiersTest, DistinctGivesTheFirstOfEqualRows) {
  for (const std::size_t width : {0, 1, 2, 3, 5}) {
    for (const std::size_t choice : {1, 3, 100}) {
      RowList rows(5'000, Row(width));
      for (Row& row : rows) {
        for (Id& id : row) id = any(others_, choice);
      }
      for (const bool is_sorted : {false, true}) {
        if (is_sorted) std::sort(rows.begin(), rows.end());
        RowList expected;
        std::set<Row> seen;
        for (const Row& row : rows) {
          if (seen.insert(row).second) expected.push_back(row);
        }
        const OperatorPtr distinct =
            make_distinct(make_rows(schema_of(width), rows), run_, is_sorted);
        EXPECT_EQ(all_rows_twice(*distinct), expected) << width << " columns of " << choice;
      }
    }
  }
}

TEST_F(ModifiersTest, DistinctOfManyRowsFindsThemAgain) {
  RowList rows;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    rows.push_back({Id(rdf::Tag::Integer, i * 7'919 % 60'000), Id(rdf::Tag::Iri, i % 2)});
  }
  const OperatorPtr distinct = make_distinct(make_rows(schema_of(2), rows), run_);
  EXPECT_EQ(all_rows_twice(*distinct).size(), 60'000U);
}

class SortTest : public ModifiersTest {
 protected:
  // Rows of ids by number, as SortKeys have them.
  RowList expected(RowList rows, const std::vector<std::size_t>& by, bool is_descending) {
    const auto key = [&](Id id) {
      return SortKey::of(id.is_defined() ? Value(id) : Value(), evaluation_.context());
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      for (const std::size_t column : by) {
        const auto order = key(a[column]).compare(key(b[column]));
        if (std::is_eq(order)) continue;
        return is_descending ? std::is_gt(order) : std::is_lt(order);
      }
      return false;
    });
    return rows;
  }

  OperatorPtr sort(const RowList& rows, const std::vector<std::size_t>& by, bool is_descending,
                   bool is_computed, std::optional<std::uint64_t> wanted) {
    const Schema schema = schema_of(rows[0].size());
    std::vector<SortColumn> columns;
    for (const std::size_t number : by) {
      Expression key = variable("c" + std::to_string(number));
      if (is_computed) key = operation(Function::Coalesce, {std::move(key)});
      auto bound = BoundExpression::bind(key, schema, evaluation_.context(), {});
      columns.push_back({std::move(*bound), is_descending});
    }
    return make_sort(make_rows(schema, rows), std::move(columns), wanted, run_);
  }
};

TEST_F(SortTest, IsStableAndInTheOrderOfSortKeys) {
  std::vector<Id> all = numbers_;
  all.insert(all.end(), others_.begin(), others_.end());
  const std::vector<std::vector<Id>> choices = {
      all, numbers_, others_, {numbers_.begin(), numbers_.begin() + 3}, {others_[0], others_[1]}};
  for (const std::vector<Id>& choice : choices) {
    RowList rows;
    for (std::uint64_t i = 0; i < 1'500; ++i) {
      rows.push_back({any(choice, 99), any(choice, 99), Id(rdf::Tag::Integer, i)});
    }
    for (const std::vector<std::size_t>& by : {std::vector<std::size_t>{0}, {1, 0}}) {
      for (const bool is_descending : {false, true}) {
        const RowList whole = expected(rows, by, is_descending);
        for (const bool is_computed : {false, true}) {
          EXPECT_EQ(all_rows_twice(*sort(rows, by, is_descending, is_computed, {})), whole);
          for (const std::size_t wanted : {0, 10, 200, 1'500}) {
            const RowList found =
                all_rows_twice(*sort(rows, by, is_descending, is_computed, wanted));
            ASSERT_EQ(found.size(), wanted);
            EXPECT_TRUE(std::equal(found.begin(), found.end(), whole.begin())) << wanted;
          }
        }
      }
    }
  }
}

TEST_F(SortTest, AFewRowsOfManyAreCheap) {
  RowList rows;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    rows.push_back({Id(rdf::Tag::Integer, i * 7'919 % 200'003)});
  }
  const std::size_t before = memory_.bytes_used();
  EXPECT_EQ(all_rows(*sort(rows, {0}, true, false, 10)).size(), 10U);
  EXPECT_LT(memory_.bytes_peak() - before, 500'000U);
}

TEST_F(SortTest, WhatItKeepsForTheNextStartStaysCharged) {
  constexpr std::size_t kRows = 10'000;
  RowList rows;
  for (std::uint64_t i = 0; i < kRows; ++i) rows.push_back({Id(rdf::Tag::Integer, i)});
  const std::size_t before = memory_.bytes_used();
  {
    const OperatorPtr sorted = sort(rows, {0}, true, true, {});
    EXPECT_EQ(all_rows(*sorted).size(), kRows);
    sorted->restart();
    EXPECT_GE(memory_.bytes_used() - before, kRows * (2 * sizeof(Id) + sizeof(SortKey)));
  }
  EXPECT_EQ(memory_.bytes_used(), before);
}

struct Aggregates {
  std::vector<Aggregate> all;

  explicit Aggregates(const Expression& argument) {
    for (const auto kind :
         {AggregateKind::Count, AggregateKind::Sum, AggregateKind::Min, AggregateKind::Max,
          AggregateKind::Avg, AggregateKind::Sample, AggregateKind::GroupConcat}) {
      for (const bool is_distinct : {false, true}) {
        all.push_back({kind, is_distinct, {argument}, {}});
      }
    }
    for (const bool is_distinct : {false, true}) {
      all.push_back({AggregateKind::Count, is_distinct, {}, {}});
    }
  }
};

class GroupTest : public ModifiersTest {
 protected:
  static constexpr std::size_t kValue = 3;  // the column of values, behind those of keys

  // What a group has depends on its first key, so that there are groups of all kinds.
  RowList random_rows(std::size_t count) {
    RowList rows(count, Row(kValue + 1));
    for (Row& row : rows) {
      const std::size_t profile = random_() % 12;
      row[0] = Id(rdf::Tag::Integer, profile);
      row[1] = any(others_, 4);
      row[2] = any(others_, 40);
      if (profile < 8) {
        row[kValue] = numbers_[profile < 7 ? random_() % (2 * profile + 1) : 7 + random_() % 2];
      } else {
        row[kValue] = any(others_, profile < 10 ? 2 : 40);
      }
    }
    return rows;
  }

  RowList expected(const RowList& rows, std::size_t keys, const Aggregates& aggregates,
                   BoundExpression& argument) {
    std::vector<Row> order;
    std::map<Row, std::vector<Accumulator>> groups;
    std::set<Row> seen;
    std::set<std::pair<Row, Id>> values_seen;
    Batch batch;
    const auto group_of = [&](const Row& key) -> std::vector<Accumulator>& {
      auto& group = groups[key];
      if (!group.empty()) return group;
      order.push_back(key);
      for (const Aggregate& aggregate : aggregates.all) {
        group.emplace_back(aggregate, evaluation_.context());
      }
      return group;
    };
    if (keys == 0) group_of({});
    for (const Row& row : rows) {
      const Row key(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys));
      auto& group = group_of(key);
      batch.reset(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) batch.columns[i].push_back(row[i]);
      batch.rows = 1;
      const bool is_new_row = seen.insert(row).second;
      const Value value = argument.value(batch, 0, evaluation_.context());
      const bool is_new_value =
          values_seen.insert({key, evaluation_.context().to_id(value)}).second;
      for (std::size_t i = 0; i < group.size(); ++i) {
        const Aggregate& aggregate = aggregates.all[i];
        const bool is_of_rows = aggregate.argument.empty();
        if (aggregate.is_distinct && !(is_of_rows ? is_new_row : is_new_value)) continue;
        EXPECT_TRUE(
            group[i].add(is_of_rows ? rdf::XsdValue::boolean(true) : value, evaluation_.context()));
      }
    }
    RowList result;
    for (const Row& key : order) {
      Row row = key;
      for (Accumulator& accumulator : groups[key]) {
        row.push_back(evaluation_.context().to_id(accumulator.finish(evaluation_.context())));
      }
      result.push_back(std::move(row));
    }
    return result;
  }

  OperatorPtr group(const RowList& rows, std::size_t keys, const Aggregates& aggregates,
                    const Expression& argument, GroupMode mode) {
    const Schema schema = schema_of(kValue + 1);
    std::vector<GroupColumn> key_columns;
    for (std::size_t i = 0; i < keys; ++i) {
      const std::string name = "c" + std::to_string(i);
      key_columns.push_back({name, column(name, schema)});
    }
    std::vector<AggregateColumn> columns;
    for (const Aggregate& aggregate : aggregates.all) {
      std::optional<BoundExpression> bound;
      if (!aggregate.argument.empty()) {
        bound = *BoundExpression::bind(argument, schema, evaluation_.context(), {});
      }
      columns.push_back({"a" + std::to_string(columns.size()), aggregate, std::move(bound)});
    }
    return make_group(make_rows(schema, rows), std::move(key_columns), std::move(columns), run_,
                      mode);
  }

  void expect_groups(const Expression& argument) {
    const Aggregates aggregates(argument);
    auto bound = BoundExpression::bind(argument, schema_of(kValue + 1), evaluation_.context(), {});
    for (const std::size_t keys : {0, 1, 2, 3}) {
      for (const std::size_t count : {0, 1, 40, 2'500}) {
        RowList rows = random_rows(count);
        for (const GroupMode mode : {GroupMode::Hashed, GroupMode::Sorted}) {
          if (mode == GroupMode::Sorted) std::stable_sort(rows.begin(), rows.end());
          const OperatorPtr made = group(rows, keys, aggregates, argument, mode);
          EXPECT_EQ(all_rows_twice(*made), expected(rows, keys, aggregates, *bound))
              << keys << " keys, " << count << " rows";
          EXPECT_FALSE(evaluation_.context().failure());
        }
      }
    }
  }
};

TEST_F(GroupTest, ColumnsAreAggregatedLikeOneValueAfterTheOther) { expect_groups(variable("c3")); }

TEST_F(GroupTest, ComputedValuesToo) {
  expect_groups(operation(Function::Add, {variable("c3"), constant("1.5")}));
  expect_groups(operation(Function::Str, {variable("c3")}));
}

TEST_F(GroupTest, SumsThatGrowBeyond64BitsStayExact) {
  RowList rows;
  for (int i = 0; i < 100; ++i) {
    rows.push_back({Id(), Id(), Id(), evaluation_.id("576460752303423487")});
  }
  const Aggregates aggregates(variable("c3"));
  const RowList found = all_rows(*group(rows, 0, aggregates, variable("c3"), GroupMode::Hashed));
  EXPECT_EQ(evaluation_.show_id(found.at(0).at(2)),
            "\"57646075230342348700\"^^<http://www.w3.org/2001/XMLSchema#integer>");
}

// As many as the table holds at a time: a key that comes late again gets a row of its own.
TEST_F(GroupTest, PreliminaryGroupsHoldLittle) {
  RowList rows;
  constexpr std::uint64_t kKeys = 50'000;
  for (std::uint64_t i = 0; i < 2 * kKeys; ++i) {
    rows.push_back({Id::from_bits(i % kKeys / 2 + 1), Id(), Id(), Id()});
  }
  Aggregates aggregates(variable("c3"));
  aggregates.all.resize(1);
  const std::size_t before = memory_.bytes_used();
  const RowList found =
      all_rows(*group(rows, 1, aggregates, variable("c3"), GroupMode::Preliminary));
  EXPECT_EQ(found.size(), kKeys);  // each key's two rows stand together, twice
  EXPECT_LT(memory_.bytes_peak() - before, kMiB);
}

TEST_F(GroupTest, PreliminaryGroupsOfNothingAreNone) {
  const Aggregates aggregates(variable("c3"));
  EXPECT_TRUE(all_rows(*group({}, 0, aggregates, variable("c3"), GroupMode::Preliminary)).empty());
}

// Sorted groups leave nothing behind, whatever the number of rows.
TEST_F(GroupTest, SortedGroupsHoldLittle) {
  RowList rows;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    rows.push_back({Id(rdf::Tag::Integer, i / 10), Id(), Id(), Id(rdf::Tag::Integer, i)});
  }
  Aggregates aggregates(variable("c3"));
  aggregates.all.resize(2);  // COUNT and COUNT(DISTINCT)
  const std::size_t before = memory_.bytes_used();
  const OperatorPtr sorted = group(rows, 1, aggregates, variable("c3"), GroupMode::Sorted);
  EXPECT_EQ(all_rows(*sorted).size(), 20'000U);
  EXPECT_LT(memory_.bytes_peak() - before, 2'000'000U);
  const OperatorPtr hashed = group(rows, 1, aggregates, variable("c3"), GroupMode::Hashed);
  EXPECT_EQ(all_rows(*hashed).size(), 20'000U);
  EXPECT_GT(memory_.bytes_peak() - before, 4'000'000U);
}

// A large group, some that share a batch, a large one: what was set aside is counted once.
TEST_F(GroupTest, SortedGroupsCountDistinctValuesOnDiskToo) {
  RowList rows;
  for (const std::uint64_t group : {1, 2, 3, 4, 5}) {
    const std::uint64_t count = group == 1 || group == 4 ? 30'000 : 300;
    for (std::uint64_t i = 0; i < 2 * count; ++i) {
      rows.push_back({Id(rdf::Tag::Integer, group), Id(), Id(), Id(rdf::Tag::Integer, i % count)});
    }
  }
  FakeEnv env;
  SpillSpace space(env.files(), "/", kGiB);
  MemoryBudget small("test", 700 * kKiB);
  for (const Expression& argument :
       {variable("c3"), operation(Function::Add, {variable("c3"), constant("1")})}) {
    Aggregates aggregates(argument);
    aggregates.all = {aggregates.all[1], aggregates.all.back()};  // COUNT(DISTINCT), of * too
    for (const GroupMode mode : {GroupMode::Sorted, GroupMode::Hashed}) {
      const std::uint64_t before = space.bytes_written();
      evaluation_.op().spill = &space;
      evaluation_.op().memory = &small;
      {
        const OperatorPtr made = group(rows, 1, aggregates, argument, mode);
        const RowList found = all_rows_twice(*made);
        ASSERT_EQ(found.size(), 5U);
        for (const Row& row : found) {
          const std::uint64_t key = row[0].bits() - Id(rdf::Tag::Integer, 0).bits();
          EXPECT_EQ(rdf::inlined_number(row[1]), key == 1 || key == 4 ? 30'000 : 300) << key;
          EXPECT_EQ(row[1], row[2]);
        }
      }
      evaluation_.op().spill = nullptr;
      evaluation_.op().memory = &memory_;
      EXPECT_GT(space.bytes_written(), before);
      EXPECT_EQ(small.bytes_used(), 0U);
    }
  }
}

}  // namespace
}  // namespace helve::sparql
