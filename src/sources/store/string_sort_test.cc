#include "sources/store/string_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace helve::store {
namespace {

void expect_sorted_like_the_standard_library(const std::vector<std::string>& texts) {
  std::vector<SortString> strings;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    strings.push_back(
        {texts[i], static_cast<std::uint32_t>((i * 7919) % 5), static_cast<std::uint32_t>(i)});
  }
  auto expected = strings;
  std::sort(expected.begin(), expected.end(), [](const SortString& a, const SortString& b) {
    return a.text != b.text ? a.text < b.text : a.tie < b.tie;
  });
  ASSERT_TRUE(sort_strings(strings, {}));
  ASSERT_EQ(strings.size(), expected.size());
  for (std::size_t i = 0; i < strings.size(); ++i) {
    ASSERT_EQ(strings[i].text, expected[i].text) << i;
    ASSERT_EQ(strings[i].tie, expected[i].tie) << i;
    ASSERT_EQ(texts[strings[i].index], strings[i].text) << i;
  }
}

TEST(StringSort, NothingAndOne) {
  expect_sorted_like_the_standard_library({});
  expect_sorted_like_the_standard_library({"a"});
}

TEST(StringSort, RandomStringsWithSharedPrefixesAndZeroBytes) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> texts;
    const std::size_t count = 1 + random() % 600;
    for (std::size_t i = 0; i < count; ++i) {
      std::string text = std::string(random() % 3 * 9, 'x');
      const std::size_t length = random() % 14;
      for (std::size_t k = 0; k < length; ++k) text += "\0\1ab\xff"[random() % 5];
      texts.push_back(text);
    }
    expect_sorted_like_the_standard_library(texts);
  }
}

TEST(StringSort, EachAPrefixOfTheNext) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 500; ++i) texts.emplace_back((i * 37) % 500 * 8, 'a');
  expect_sorted_like_the_standard_library(texts);
}

TEST(StringSort, ManyEqualStrings) {
  expect_sorted_like_the_standard_library(std::vector<std::string>(300, std::string(100, 'q')));
}

}  // namespace
}  // namespace helve::store
