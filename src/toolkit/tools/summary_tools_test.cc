#include <gmock/gmock.h>

#include "base/utf8.h"
#include "toolkit/skills/skill_set.h"
#include "toolkit/tools/tool_testing.h"

namespace helve::toolkit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using SummaryToolsTest = ToolTest;

TEST_F(SummaryToolsTest, ASourceIsSummedUpInItsLayers) {
  const JsonValue reply = call("get_schema_summary", "{}");
  const std::string summary = text(reply, "text");
  EXPECT_THAT(summary, StartsWith("# L0 Source\n"));
  EXPECT_THAT(summary, HasSubstr("\n# L1 Schema\n"));
  EXPECT_THAT(summary, Not(HasSubstr("# L3")));
  EXPECT_LE(utf8_length(summary), 1'600u);
  EXPECT_EQ(number(reply, "sz"), static_cast<std::int64_t>(utf8_length(summary)));
  EXPECT_FALSE(text(reply, "schema_fingerprint").empty());
  EXPECT_EQ(text(call("get_schema_summary", "{}"), "text"), summary);
}

TEST_F(SummaryToolsTest, LessRoomGivesAWholeTextThatIsShorter) {
  for (const int chars : {300, 600, 1'000, 1'500, 2'500}) {
    const JsonValue reply = call("get_schema_summary",
                                 R"({"guide": true, "max_chars": )" + std::to_string(chars) + "}");
    const std::string summary = text(reply, "text");
    EXPECT_EQ(number(reply, "sz"), static_cast<std::int64_t>(utf8_length(summary))) << chars;
  }
}

TEST_F(SummaryToolsTest, SkillsAreListedForAPrompt) {
  const JsonValue reply = call("get_skills_summary", "{}");
  const auto skills = SkillSet::built_in();
  EXPECT_EQ(text(reply, "text"), get_skills_summary(*skills, 4'000));
  EXPECT_EQ(number(reply, "skills"), static_cast<std::int64_t>(skills->all().size()));
  for (const std::string_view name : skills->names()) {
    EXPECT_THAT(text(reply, "text"), HasSubstr(std::string(name)));
  }
}

}  // namespace
}  // namespace helve::toolkit
