#include "surfaces/cli/agent/chat_history.h"

#include <gtest/gtest.h>

namespace helve::cli {
namespace {

TEST(ChatHistory, DropsTheOldestTurnsWhole) {
  ChatHistory history(20);
  EXPECT_EQ(history.add({"aaaaa", "bbbbb"}), 0U);
  EXPECT_EQ(history.add({"ccccc", "ddddd"}), 0U);
  EXPECT_EQ(history.chars(), 20U);
  EXPECT_EQ(history.add({"e", ""}), 1U);
  const auto messages = history.messages();
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0].text, "ccccc");
  EXPECT_EQ(messages[0].role, llm::Role::User);
  EXPECT_EQ(messages[3].text, "(no answer)");
  EXPECT_EQ(messages[3].role, llm::Role::Assistant);
}

TEST(ChatHistory, ATurnThatIsTooLongLeavesNothing) {
  ChatHistory history(20);
  EXPECT_EQ(history.add({"aaaaa", "bbbbb"}), 0U);
  EXPECT_EQ(history.add({std::string(21, 'x'), ""}), 2U);
  EXPECT_TRUE(history.messages().empty());
  EXPECT_EQ(history.chars(), 0U);
}

TEST(ChatHistory, CountsCharactersNotBytes) {
  ChatHistory history(4);
  EXPECT_EQ(history.add({"\xC3\xA4\xC3\xB6", "\xC3\xBC\xC3\xA9"}), 0U);
  EXPECT_EQ(history.chars(), 4U);
}

}  // namespace
}  // namespace helve::cli
