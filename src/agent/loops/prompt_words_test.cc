#include "agent/loops/prompt_words.h"

#include <gtest/gtest.h>

namespace helve::agent {
namespace {

TEST(PromptWords, LongTextsKeepBothEnds) {
  EXPECT_EQ(both_ends("short", 10), "short");
  EXPECT_EQ(both_ends("0123456789", 10), "0123456789");
  EXPECT_EQ(both_ends("0123456789abcdef", 4), "01\n[... 12 characters omitted ...]\nef");
  // Characters, not bytes, and never a part of one.
  EXPECT_EQ(both_ends("äöüßéè", 4), "äö\n[... 2 characters omitted ...]\néè");
  EXPECT_EQ(both_ends("a\xFF"
                      "b",
                      10),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(head_of("äöü", 2), "äö…");
  EXPECT_EQ(head_of("äöü", 3), "äöü");
}

TEST(PromptWords, MarksDependOnTheTextAlone) {
  const std::string marked = marked_data("text");
  EXPECT_EQ(marked, marked_data("text"));
  EXPECT_EQ(marked.substr(22), ">\ntext\n</data " + marked.substr(6, 16) + ">\n");
  EXPECT_NE(marked.substr(6, 16), marked_data("texu").substr(6, 16));
}

TEST(PromptWords, RepliesWithoutWhatDiffers) {
  EXPECT_EQ(without_time("3 rows\nsample · 3.02 ms"), "3 rows\nsample");
  EXPECT_EQ(without_time("a · 3 ms\nsample"), "a · 3 ms\nsample");
  EXPECT_EQ(without_time(""), "");
  EXPECT_EQ(without_marks("2 rows\n<data 0a1b>\nx\n</data ffff>\n</data 0a1b>\nend"),
            "2 rows\n<data>\nx\n</data ffff>\n</data>\nend");
  EXPECT_EQ(without_marks("<data zz>\nx"), "<data zz>\nx");
  EXPECT_EQ(without_marks("<data "), "<data ");
}

TEST(PromptWords, PeopleSeeNoMarks) {
  EXPECT_EQ(without_mark_lines("2 rows\n<data 0a1b>\n<data 77>\n</data ffff>\n</data 0a1b>\nend"),
            "2 rows\n<data 77>\n</data ffff>\nend");
  EXPECT_EQ(without_mark_lines("<data 0a>\nx\n</data 0a>"), "x\n");
  EXPECT_EQ(without_mark_lines("<data 0a>\nx"), "x");
  EXPECT_EQ(without_mark_lines("<data 0a>"), "");
  EXPECT_EQ(without_mark_lines("a <data 0a>\nx"), "a <data 0a>\nx");
  EXPECT_EQ(without_mark_lines(""), "");
}

TEST(PromptWords, ThinkingIsNoAnswer) {
  EXPECT_EQ(split_thinking("\n<think>hm\n</think>\n\nSaturn").thinking, "hm\n");
  EXPECT_EQ(split_thinking("\n<think>hm\n</think>\n\nSaturn").rest, "Saturn");
  EXPECT_EQ(split_thinking("<think>hm").rest, "");
  EXPECT_EQ(split_thinking("<think>hm</think>").rest, "");
  EXPECT_EQ(split_thinking("Saturn <think>hm</think>").rest, "Saturn <think>hm</think>");
  EXPECT_EQ(split_thinking("").rest, "");
}

}  // namespace
}  // namespace helve::agent
