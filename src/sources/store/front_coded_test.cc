#include "sources/store/front_coded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace helve::store {
namespace {

FrontCoded make(const std::vector<std::string>& strings) {
  FrontCodedBuilder builder;
  for (const auto& text : strings) builder.add(text);
  return builder.finish();
}

std::vector<std::string> random_sorted(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = random() % 2 == 0 ? "http://example.org/" : "";
    const std::size_t length = random() % 12 == 0 ? random() % 400 : random() % 6;
    for (std::size_t k = 0; k < length; ++k)
      text += static_cast<char>(random() % 4 + (random() % 9 == 0 ? 0 : 97));
    strings.push_back(text);
  }
  std::sort(strings.begin(), strings.end());
  return strings;
}

TEST(FrontCoded, EmptyHasNothing) {
  const FrontCoded none = make({});
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.lower_bound("x"), 0u);
}

TEST(FrontCoded, GivesBackEveryString) {
  for (const std::size_t count : {1u, 15u, 16u, 17u, 1000u}) {
    const auto strings = random_sorted(count, static_cast<unsigned>(count));
    const FrontCoded coded = make(strings);
    ASSERT_EQ(coded.size(), count);
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      coded.get(i, text);
      EXPECT_EQ(text, strings[i]);
    }
  }
}

TEST(FrontCoded, LowerBoundAgreesWithTheStandardLibrary) {
  const auto strings = random_sorted(500, 7);
  const FrontCoded coded = make(strings);
  auto probes = random_sorted(500, 8);
  probes.insert(probes.end(), strings.begin(), strings.end());
  for (const auto& probe : probes) {
    EXPECT_EQ(coded.lower_bound(probe),
              static_cast<std::uint64_t>(std::lower_bound(strings.begin(), strings.end(), probe) -
                                         strings.begin()));
  }
}

TEST(FrontCoded, WalksAnyRange) {
  const auto strings = random_sorted(100, 3);
  const FrontCoded coded = make(strings);
  for (const auto& [first, last] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 100}, {17, 64}, {33, 34}, {5, 5}, {99, 100}}) {
    std::uint64_t expected = first;
    coded.for_each(first, last, [&](std::uint64_t index, std::string_view text) {
      EXPECT_EQ(index, expected++);
      EXPECT_EQ(text, strings[index]);
    });
    EXPECT_EQ(expected, last);
  }
}

TEST(FrontCoded, SharedPrefixesAreStoredOnce) {
  std::vector<std::string> strings;
  for (int i = 1000; i < 2000; ++i)
    strings.push_back("http://example.org/entity/" + std::to_string(i));
  EXPECT_LT(make(strings).memory_bytes(), strings.size() * 8);
}

}  // namespace
}  // namespace helve::store
