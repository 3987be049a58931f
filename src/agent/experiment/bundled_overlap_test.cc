// Tasks that come with the program are asked with its guides and seeds in the prompt: none of these
// may be the answer to one of them.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "agent/tasks/task_set.h"
#include "base/ascii.h"
#include "base/env.h"
#include "toolkit/context/guide.h"
#include "toolkit/learning/seeds.h"

namespace helve::agent {
namespace {

constexpr double kAlike = 0.75;

std::set<std::string> words_of(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    plain += is_letter_or_digit(c) ? ascii_lower(c) : ' ';
  }
  std::istringstream in(plain);
  std::set<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  return words;
}

// Words that both have, twice, in parts of all words.
double likeness(const std::set<std::string>& left, const std::set<std::string>& right) {
  if (left.empty() || right.empty()) return 0;
  std::size_t common = 0;
  for (const std::string& word : left) common += right.count(word);
  return 2.0 * static_cast<double>(common) / static_cast<double>(left.size() + right.size());
}

// Headings of guides, titles and descriptions of seeds.
std::vector<std::string> told_texts() {
  std::vector<std::string> texts;
  for (const context::Guide& guide : context::built_in_guides()) {
    std::istringstream in(guide.text);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("#")) texts.push_back(line);
    }
  }
  for (const memory::Item& seed : learning::seed_items()) {
    texts.push_back(seed.title);
    texts.push_back(seed.desc);
  }
  return texts;
}

TEST(BundledTasks, AreNotAnsweredByGuidesAndSeeds) {
  const auto texts = told_texts();
  ASSERT_GT(texts.size(), 20U);
  for (const std::string& name : bundled_task_sets()) {
    const auto set = read_task_set("bundled:" + name, real_env(), {});
    ASSERT_TRUE(set.has_value()) << name;
    for (const TaskCase& task : set->cases) {
      const auto question = words_of(task.question);
      for (const std::string& text : texts) {
        EXPECT_LT(likeness(question, words_of(text)), kAlike)
            << name << "/" << task.id << ": " << task.question << "\n  is told by: " << text;
      }
    }
  }
}

TEST(BundledTasks, LikenessSeesCopies) {
  EXPECT_EQ(likeness(words_of("Who discovered the most moons?"),
                     words_of("### who discovered  the most moons")),
            1);
  EXPECT_GE(likeness(words_of("Which planets are larger than the Earth?"),
                     words_of("Which planets are more massive than the Earth?")),
            kAlike);
  EXPECT_LT(likeness(words_of("Which moons does Mars have?"), words_of("Count what is grouped")),
            kAlike);
}

}  // namespace
}  // namespace helve::agent
