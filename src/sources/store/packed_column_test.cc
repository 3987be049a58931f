#include "sources/store/packed_column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "sources/store/code_column.h"
#include "sources/store/packed_column_builder.h"

namespace helve::store {
namespace {

template <typename Value>
std::vector<Value> random_values(std::mt19937_64& random, std::size_t size, unsigned width) {
  std::vector<Value> values(size);
  const Value mask =
      width == 0 ? 0 : std::numeric_limits<Value>::max() >> (8 * sizeof(Value) - width);
  for (Value& value : values) {
    value = static_cast<Value>(random()) & mask;
    if (width < 8 * sizeof(Value)) value += static_cast<Value>(1000);
  }
  return values;
}

template <typename Value>
void check_same(const std::vector<Value>& values) {
  const PackedColumn<Value> packed = pack_column<Value>(values);
  ASSERT_EQ(packed.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(packed[i], values[i]) << i;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    ASSERT_EQ(packed.pair_at(i), std::pair(values[i], values[i + 1]));
  }
  std::vector<Value> read(values.size());
  packed.read(0, values.size(), read.data());
  ASSERT_EQ(read, values);
}

TEST(PackedColumn, GivesBackValuesOfEveryWidth) {
  std::mt19937_64 random(1);
  for (unsigned width = 0; width <= 32; ++width) {
    for (const std::size_t size : {1U, 127U, 128U, 129U, 1000U}) {
      check_same(random_values<std::uint32_t>(random, size, width));
    }
  }
  for (unsigned width = 0; width <= 64; ++width) {
    check_same(random_values<std::uint64_t>(random, 300, width));
  }
}

TEST(PackedColumn, EmptyHasNothing) {
  const auto packed = pack_column<std::uint32_t>(std::vector<std::uint32_t>());
  EXPECT_TRUE(packed.empty());
  EXPECT_EQ(packed.lower_bound(0, 0, 5), 0u);
  EXPECT_EQ(packed.seek(0, 0, 5), 0u);
}

TEST(PackedColumn, ReadsAnyRange) {
  std::mt19937_64 random(2);
  std::vector<std::uint32_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint32_t>(random()) >> (i / 100 * 3);
  }
  const auto packed = pack_column<std::uint32_t>(values);
  for (int round = 0; round < 2'000; ++round) {
    const std::size_t first = random() % values.size();
    const std::size_t last = first + random() % (values.size() - first + 1);
    std::vector<std::uint32_t> out(last - first + 1, 0xABCD);
    packed.read(first, last, out.data());
    ASSERT_TRUE(std::equal(out.begin(), out.end() - 1, values.begin() + static_cast<int>(first)));
    ASSERT_EQ(out.back(), 0xABCDU) << "wrote behind the end";
  }
}

// Ranges that ascend, one behind the other, as the second part of an order has them.
std::vector<std::uint32_t> ascending_runs(std::mt19937_64& random, std::vector<RowRange>& runs) {
  std::vector<std::uint32_t> values;
  for (int run = 0; run < 60; ++run) {
    const std::size_t size = 1 + random() % (run % 4 == 0 ? 900 : 12);
    const std::uint32_t most = run % 3 == 0 ? 5 : 5'000;
    std::vector<std::uint32_t> part(size);
    for (auto& value : part) value = 3 + static_cast<std::uint32_t>(random() % most) * 2;
    std::sort(part.begin(), part.end());
    runs.push_back({values.size(), values.size() + size});
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

TEST(PackedColumn, SearchesAgreeWithTheStandardLibrary) {
  std::mt19937_64 random(3);
  std::vector<RowRange> runs;
  const auto values = ascending_runs(random, runs);
  const auto packed = pack_column<std::uint32_t>(values);
  const CodeColumn column(packed);
  for (const RowRange& run : runs) {
    const auto* const begin = values.data();
    for (int round = 0; round < 200; ++round) {
      const auto value = static_cast<std::uint32_t>(random() % 10'010);
      const std::uint64_t from = run.first + random() % (run.size() + 1);
      const auto expected = std::equal_range(begin + from, begin + run.last, value);
      const RowRange rows{from, run.last};
      const auto first = static_cast<std::uint64_t>(expected.first - begin);
      ASSERT_EQ(packed.lower_bound(from, run.last, value), first);
      ASSERT_EQ(packed.seek(from, run.last, value), first);
      ASSERT_EQ(column.seek(rows, value), first);
      const RowRange narrowed = column.narrow(rows, value);
      ASSERT_EQ(narrowed.first, first);
      ASSERT_EQ(narrowed.last, static_cast<std::uint64_t>(expected.second - begin));
    }
  }
}

TEST(CodeColumn, NamesStandForTheirCodes) {
  std::mt19937_64 random(4);
  const std::vector<Code> names = {7, 1'000, 1'001, 2'000'000, 4'000'000'000};
  std::vector<Code> values(500);
  for (auto& value : values) value = static_cast<Code>(random() % names.size());
  std::sort(values.begin(), values.end());
  const CodeColumn column(pack_column<Code>(values), Column<Code>::own(names));
  std::vector<Code> codes(values.size());
  column.read({0, values.size()}, codes.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(codes[i], names[values[i]]);
    ASSERT_EQ(column[i], codes[i]);
  }
  for (const Code wanted : {0U, 7U, 8U, 1'001U, 1'999'999U, 4'000'000'000U, 4'000'000'001U}) {
    for (const std::size_t size : {10U, 500U}) {
      const auto expected = std::equal_range(codes.begin(), codes.begin() + size, wanted);
      const RowRange found = column.narrow({0, size}, wanted);
      EXPECT_EQ(found.first, static_cast<std::uint64_t>(expected.first - codes.begin()));
      EXPECT_EQ(found.last, static_cast<std::uint64_t>(expected.second - codes.begin()));
      EXPECT_EQ(column.seek({0, size}, wanted), found.first);
    }
  }
}

TEST(PackedColumn, SmallDistancesTakeFewBits) {
  std::vector<std::uint32_t> values(12'800);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint32_t>(1'000'000 + i * 2);
  }
  // 8 bits for distances up to 254, and a header of 8 bytes for 128 values.
  const std::size_t expected = 12'800 + 101 * 8 + 16;
  EXPECT_EQ(pack_column<std::uint32_t>(values).bytes(), expected);
}

// Says which chunks are damaged and counts how often it is asked.
class CountingGuard final : public ChunkGuard {
 public:
  CountingGuard(std::size_t chunks, std::size_t bad) : ChunkGuard(chunks), bad_(bad) {}
  mutable std::size_t checks = 0;

 protected:
  bool check(std::size_t chunk) const override {
    ++checks;
    return chunk != bad_;
  }

 private:
  std::size_t bad_;
};

TEST(PackedColumn, GuardedChunksAreCheckedOnceAndDamagedOnesReadAsZero) {
  std::vector<std::uint32_t> values(50'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i + 1);
  const auto plain = pack_column<std::uint32_t>(values);
  const CountingGuard guard(PackedColumn<std::uint32_t>::chunks_of(values.size()), 1);
  const PackedColumn<std::uint32_t> guarded(plain.headers(), plain.data(), values.size(), &guard);
  const std::size_t chunk_values = PackedColumn<std::uint32_t>::kChunkBlocks * 128;
  EXPECT_EQ(guarded[5], 6u);
  EXPECT_EQ(guarded[6], 7u);
  EXPECT_EQ(guard.checks, 1u);
  std::vector<std::uint32_t> out(values.size());
  guarded.read(0, values.size(), out.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(out[i], i / chunk_values == 1 ? 0 : values[i]);
  }
  const std::size_t chunks = PackedColumn<std::uint32_t>::chunks_of(values.size());
  EXPECT_EQ(guard.checks, chunks);
  EXPECT_EQ(guarded[chunk_values + 5], 0u);
  EXPECT_EQ(guarded.seek(0, values.size(), 49'000), 48'999u);
  EXPECT_EQ(guard.checks, chunks);
}

}  // namespace
}  // namespace helve::store
