// Front matter as it is, as it is not, and as somebody hostile writes it.
#include "toolkit/skills/skill.h"

#include <gmock/gmock.h>

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGood = "---\nname: my-skill\ndescription: what it is for\n---\n\n# Text\n";

std::string with(const std::string& heading) { return "---\n" + heading + "\n---\ntext\n"; }

std::string error(const std::string& file) {
  const auto skill = read_skill_text(file);
  EXPECT_FALSE(skill.has_value()) << file;
  return skill ? std::string() : skill.error().message;
}

std::string description(const std::string& heading) {
  const auto skill = read_skill_text(with("name: a\n" + heading));
  EXPECT_TRUE(skill.has_value()) << heading << ": " << skill.error().message;
  return skill ? skill->description : std::string();
}

TEST(SkillText, HasANameADescriptionAndAText) {
  const auto skill = read_skill_text(kGood);
  ASSERT_TRUE(skill.has_value());
  EXPECT_EQ(skill->name, "my-skill");
  EXPECT_EQ(skill->description, "what it is for");
  EXPECT_EQ(skill->text, "# Text\n");
  EXPECT_FALSE(skill->is_built_in);
  std::string crlf = "\xEF\xBB\xBF";
  for (const char c : std::string(kGood))
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(*read_skill_text(crlf), *skill);
}

TEST(SkillText, ValuesArePlainQuotedOrBlocks) {
  EXPECT_EQ(description("description: a 'b' \"c\" it's http://x"), "a 'b' \"c\" it's http://x");
  EXPECT_EQ(description(R"(description: "a: \"b\" \\ #c")"), R"(a: "b" \ #c)");
  EXPECT_EQ(description("description: 'it''s: a'"), "it's: a");
  EXPECT_EQ(description("description: >\n  one\n  two\n\n  three"), "one two three");
  EXPECT_EQ(description("description: |-\n  one\n  two\nlicense: x"), "one two");
}

TEST(SkillText, OtherKeysArePassedOver) {
  EXPECT_EQ(description("# a comment\nlicense: Apache-2.0\nmetadata:\n  name: not-this\n  - x\n"
                        "allowed-tools:\n- a\n- b: c\ndescription: d"),
            "d");
}

TEST(SkillText, WhatMeansSomethingElseIsRefused) {
  for (const char* value : {"[a, b]", "{a: b}", "&a b", "*a", "!tag a", "a: b", "a #b", "- a", "%a",
                            "@a", "`a`", "|2", "b:"}) {
    EXPECT_THAT(error(with("name: a\ndescription: " + std::string(value))),
                HasSubstr("line 3: this value means something else"))
        << value;
  }
  EXPECT_THAT(error(with("name: a\ndescription: \"a")), HasSubstr("not closed"));
  EXPECT_THAT(error(with("name: a\ndescription: 'a")), HasSubstr("not closed"));
  EXPECT_THAT(error(with("name: a\ndescription: \"a\" b")), HasSubstr("behind the closing quote"));
  EXPECT_THAT(error(with("name: a\ndescription: \"\\x41\"")), HasSubstr("after a backslash"));
  EXPECT_THAT(error(with("name: a\ndescription: >\n\tx")), HasSubstr("tabs"));
  EXPECT_THAT(error(with("name: a\nname: b\ndescription: c")),
              HasSubstr("line 3: name is there twice"));
  EXPECT_THAT(error(with("  name: a")), HasSubstr("belongs to no key"));
  EXPECT_THAT(error(with("name:a")), HasSubstr("a colon, a space"));
  EXPECT_THAT(error(with("just words")), HasSubstr("a key, a colon"));
}

TEST(SkillText, WhatIsMissingIsTold) {
  EXPECT_THAT(error(""), HasSubstr("three hyphens"));
  EXPECT_THAT(error("# Text\n"), HasSubstr("three hyphens"));
  EXPECT_THAT(error("---\nname: a\ndescription: b\n"), HasSubstr("has no end"));
  EXPECT_THAT(error("---\nname: a\ndescription: b\n---\n \n\n"), HasSubstr("no text"));
  EXPECT_THAT(error(with("description: b")), HasSubstr("name is missing"));
  EXPECT_THAT(error(with("name: a")), HasSubstr("description is missing"));
  EXPECT_THAT(error(with("name: a\ndescription:")), HasSubstr("description is missing"));
}

TEST(SkillText, NamesAreThoseOfFolders) {
  for (const char* name : {"A", "a_b", "\"-a\"", "a-", "a--b", "../a", "a/b", "\"a b\"", "ä"}) {
    EXPECT_THAT(error(with("name: " + std::string(name) + "\ndescription: d")), HasSubstr("name"))
        << name;
  }
  EXPECT_TRUE(is_skill_name("a1-b2"));
  EXPECT_TRUE(is_skill_name(std::string(64, 'a')));
  EXPECT_FALSE(is_skill_name(std::string(65, 'a')));
  EXPECT_FALSE(is_skill_name(""));
}

TEST(SkillText, LimitsHold) {
  const auto large = read_skill_text(kGood + std::string(20'000, 'x'));
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(error(with("name: a\ndescription: " + std::string(1'025, 'x'))),
              HasSubstr("1024 characters"));
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += "#\n";
  EXPECT_THAT(error(with(lines + "name: a\ndescription: b")), HasSubstr("more than 100 lines"));
  EXPECT_THAT(error(std::string(kGood) + '\0'), HasSubstr("control characters"));
  EXPECT_THAT(error(std::string(kGood) + "\x1B[2J"), HasSubstr("control characters"));
  EXPECT_THAT(error(std::string(kGood) + "\xC3\x28"), HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace helve::toolkit
