#include "agent/llm/rules/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace helve::llm::rules {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> phrases(const Question& question) {
  std::vector<std::string> all;
  for (const Phrase& phrase : question.phrases) {
    all.push_back((phrase.is_name ? "!" : "") + question.words(phrase.from, phrase.to));
  }
  return all;
}

TEST(RulesQuestion, FormsAreTold) {
  EXPECT_EQ(read_question("List all gongs.").form, Form::List);
  EXPECT_EQ(read_question("How many gongs are there?").form, Form::Count);
  EXPECT_EQ(read_question("What is the number of gongs?").form, Form::Count);
  EXPECT_EQ(read_question("Is Low Anna a gong?").form, Form::YesNo);
  EXPECT_EQ(read_question("Who forged Low Anna?").asked, Asked::Who);
  EXPECT_EQ(read_question("Which tinkers who forge are there?").asked, Asked::Things);
  EXPECT_EQ(read_question("When was Low Anna cast?").asked, Asked::When);
  EXPECT_EQ(read_question("On which day was Low Anna cast?").asked, Asked::When);
  EXPECT_EQ(read_question("Which bells ring on that day?").asked, Asked::Things);
}

TEST(RulesQuestion, WordsAndNamesAreKept) {
  EXPECT_THAT(phrases(read_question("Which gongs did Oda Venn forge?")),
              ElementsAre("gongs", "!Oda Venn", "forge"));
  EXPECT_THAT(phrases(read_question("What is the pitch of 'low anna'?")),
              ElementsAre("pitch", "!low anna"));
  EXPECT_THAT(phrases(read_question("Does Foo 2's gong ring?")),
              ElementsAre("!Foo 2", "gong ring"));
}

TEST(RulesQuestion, BoundsHaveTheirDirection) {
  const Question question =
      read_question("Which gongs with a pitch of at least 1,200.5 Hz were cast before 1800?");
  ASSERT_EQ(question.bounds.size(), 2U);
  EXPECT_EQ(question.bounds[0].op + question.bounds[0].number, ">=1200.5");
  EXPECT_EQ(question.bounds[0].unit, "hz");
  EXPECT_EQ(question.bounds[1].op + question.bounds[1].number, "<1800");
  EXPECT_TRUE(question.bounds[1].is_year);
  EXPECT_EQ(read_question("gongs smaller than 5 m").bounds.at(0).op, "<");
  EXPECT_EQ(read_question("gongs larger than Low Anna").bounds.at(0).number, "");
  const Question range = read_question("Which gongs were cast between 1700 and 1750?");
  ASSERT_EQ(range.bounds.size(), 2U);
  EXPECT_EQ(range.bounds[0].op + range.bounds[1].op, ">=<=");
}

TEST(RulesQuestion, ExtremesGroupsAndNegations) {
  EXPECT_TRUE(read_question("Which guild has the most gongs?").extreme->is_largest);
  EXPECT_FALSE(read_question("Which is the smallest gong?").extreme->is_largest);
  EXPECT_EQ(read_question("the 3 loudest gongs").top, 3U);
  EXPECT_EQ(read_question("Which 4 gongs have the lowest pitch?").top, 4U);
  EXPECT_TRUE(read_question("How many gongs does each guild have?").group_at);
  EXPECT_FALSE(read_question("How many gongs were forged by Oda?").group_at);
  EXPECT_EQ(read_question("Which guilds have no gongs?").negations.size(), 1U);
  EXPECT_EQ(read_question("Which guilds don't have gongs?").negations.size(), 1U);
  EXPECT_EQ(read_question("What is the average pitch?").aggregate, "AVG");
}

TEST(RulesQuestion, AnythingIsRead) {
  for (const std::string text : {"", "?", "\"", "'", "than", "between", "than 5", "most", "1 2 3",
                                 "\xff\xfe", "how", "number of", "top", "at least"}) {
    EXPECT_LE(read_question(text).tokens.size(), kTokensMax) << text;
  }
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += "most than 5 ";
  EXPECT_LE(read_question(large).tokens.size(), kTokensMax);
}

}  // namespace
}  // namespace helve::llm::rules
