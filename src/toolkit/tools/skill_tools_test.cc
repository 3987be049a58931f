#include <gmock/gmock.h>

#include "base/utf8.h"
#include "toolkit/skills/skill_set.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;

using SkillToolsTest = ToolTest;

TEST_F(SkillToolsTest, EverySkillIsReadWholeByDefault) {
  for (const Skill& skill : SkillSet::built_in()->all()) {
    const JsonValue read = call("read_skill", R"({"name": ")" + skill.name + R"("})");
    EXPECT_EQ(text(read, "name"), skill.name);
    EXPECT_EQ(text(read, "text"), skill.text);
    EXPECT_EQ(text(read, "origin"), "built-in");
    EXPECT_EQ(number(read, "sz"), static_cast<std::int64_t>(utf8_length(skill.text)));
  }
}

TEST_F(SkillToolsTest, NamesAreReadForgivingly) {
  EXPECT_EQ(text(call("read_skill", R"({"skill": "Write_SPARQL"})"), "name"), "write-sparql");
}

TEST_F(SkillToolsTest, UnknownNamesAreAnsweredByTheNearestAndAll) {
  const JsonValue unknown = call("read_skill", R"({"name": "explore-graph"})", false);
  const JsonValue& error = *unknown.find("error");
  EXPECT_EQ(text(error, "code"), "not_found");
  EXPECT_THAT(to_json(*error.find("did_you_mean")), HasSubstr("explore-a-graph"));
  for (const std::string_view name : SkillSet::built_in()->names()) {
    EXPECT_THAT(text(error, "hint"), HasSubstr(std::string(name)));
  }
}

// What the reply has no room for is behind a handle.
TEST_F(SkillToolsTest, ALongSkillGoesOnBehindAHandle) {
  const JsonValue part = call("read_skill", R"({"name": "write-sparql", "max_chars": 1000})");
  const std::string whole = SkillSet::built_in()->find("write-sparql")->text;
  EXPECT_LT(text(part, "text").size(), whole.size());
  const JsonValue rest = call("ctx_slice", R"({"key": "text_0", "end": -1, "max_chars": 20000})");
  EXPECT_EQ(text(rest, "text"), whole);
  call("read_skill", R"({"name": "write-sparql", "max_chars": 1000})");
  const JsonValue second = call("ctx_stats", R"({"key": "text_1"})", false);
  EXPECT_EQ(text(*second.find("error"), "code"), "not_found");  // the same text, one handle
}

}  // namespace
}  // namespace helve::toolkit
