#include "sources/store/chunk_sums.h"

#include <gtest/gtest.h>

namespace helve::store {
namespace {

std::vector<std::uint64_t> some_sums(std::uint64_t count) {
  std::vector<std::uint64_t> sums;
  for (std::uint64_t i = 0; i < count; ++i) sums.push_back(i * 0x9E3779B97F4A7C15U);
  return sums;
}

TEST(ChunkSumsTest, GivesWhatWasWritten) {
  for (const std::uint64_t count : {0U, 1U, 511U, 512U, 513U, 1'500U}) {
    const auto sums = some_sums(count);
    const auto front = ChunkSums::with_pages(sums);
    EXPECT_EQ(front.size() * sizeof(std::uint64_t), ChunkSums::all_bytes(count));
    const ChunkSums read(front.data(), count);
    for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(read.at(i), sums[i]);
  }
}

TEST(ChunkSumsTest, DamageIsThatOfItsPage) {
  constexpr std::uint64_t kCount = 1'500;
  const auto sums = some_sums(kCount);
  const auto good = ChunkSums::with_pages(sums);
  const std::uint64_t pages = ChunkSums::pages_of(kCount);
  ASSERT_EQ(pages, 3U);
  for (const std::uint64_t place : {std::uint64_t{1}, pages + 512, pages + 700, pages + 1'023}) {
    auto front = good;
    front[place] ^= 1;
    const ChunkSums read(front.data(), kCount);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(read.at(i).has_value(), i < 512 || i >= 1'024) << place << " " << i;
    }
  }
}

// What is not used is not read: that is what lets a file of any size be opened at once.
TEST(ChunkSumsTest, PagesAreCheckedWhenTheyAreUsed) {
  const auto sums = some_sums(1'500);
  auto front = ChunkSums::with_pages(sums);
  const ChunkSums read(front.data(), sums.size());
  EXPECT_TRUE(read.at(0));
  front[ChunkSums::pages_of(sums.size())] ^= 1;
  front.back() ^= 1;
  EXPECT_TRUE(read.at(0)) << "it was good when it was checked";
  EXPECT_TRUE(read.at(600));
  EXPECT_FALSE(read.at(1'499)) << "this was not checked before";
}

}  // namespace
}  // namespace helve::store
