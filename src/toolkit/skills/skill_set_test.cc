// Built-in skills, folders that add to them, and what stands in prompts of them.
#include "toolkit/skills/skill_set.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/utf8.h"
#include "tests/support/temp_directory.h"

namespace helve::toolkit {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class SkillSetTest : public ::testing::Test {
 protected:
  void write(const std::string& folder, std::string_view text) {
    std::filesystem::create_directories(folder_ / folder);
    std::ofstream(folder_ / folder / "SKILL.md", std::ios::binary) << text;
  }
  void write_skill(const std::string& name) {
    write(name, "---\nname: " + name + "\ndescription: of the folder\n---\ntext of " + name + "\n");
  }
  Result<std::shared_ptr<const SkillSet>> open(const SkillFolderLimits& limits = {}) {
    return SkillSet::with_folder(folder_.path(), real_env(), {}, limits);
  }

  TempDirectory folder_;
};

TEST_F(SkillSetTest, TheProgramBringsSome) {
  const auto skills = SkillSet::built_in();
  EXPECT_THAT(skills->names(), ElementsAre("analyse-a-database", "debug-empty-results",
                                           "explore-a-graph", "federate-endpoints",
                                           "join-across-sources", "tune-a-query", "write-sparql"));
  for (const Skill& one : skills->all()) {
    EXPECT_TRUE(one.is_built_in);
    EXPECT_THAT(one.description, HasSubstr("Use it")) << one.name;
    EXPECT_LE(utf8_length(one.description), 400U) << one.name;
  }
  EXPECT_EQ(skills->find("Explore_A Graph")->name, "explore-a-graph");
  EXPECT_EQ(skills->find("explore"), nullptr);
  EXPECT_EQ(skills->find(""), nullptr);
}

TEST_F(SkillSetTest, AFolderAddsAndWinsByName) {
  write_skill("write-sparql");
  write_skill("our-way");
  std::ofstream(folder_ / "README.md") << "no skill";
  std::filesystem::create_directory(folder_ / "empty");
  const auto skills = open();
  ASSERT_TRUE(skills.has_value());
  EXPECT_EQ((*skills)->all().size(), 8U);
  EXPECT_EQ((*skills)->find("write-sparql")->text, "text of write-sparql\n");
  EXPECT_FALSE((*skills)->find("write-sparql")->is_built_in);
  EXPECT_EQ((*skills)->find("our-way")->description, "of the folder");
  EXPECT_TRUE((*skills)->find("tune-a-query")->is_built_in);
  EXPECT_TRUE((*skills)->problems().empty());
  EXPECT_TRUE(SkillSet::built_in()->find("write-sparql")->is_built_in);
}

TEST_F(SkillSetTest, WhatIsBrokenIsToldOfAndLeftOut) {
  write("write-sparql", "no heading");
  write("other", "---\nname: another\ndescription: d\n---\ntext\n");
  write("large", std::string(1'000'000, 'x'));
  write("odd\x1B[2J", "x");
  const auto skills = open();
  ASSERT_TRUE(skills.has_value());
  EXPECT_TRUE((*skills)->find("write-sparql")->is_built_in);
  EXPECT_EQ((*skills)->all().size(), 7U);
  ASSERT_EQ((*skills)->problems().size(), 4U);
  EXPECT_EQ((*skills)->problems()[0].file, "large/SKILL.md");
  EXPECT_THAT((*skills)->problems()[0].message, HasSubstr("at most"));
  EXPECT_THAT((*skills)->problems()[2].message, HasSubstr("its name is another"));
  for (const SkillProblem& one : (*skills)->problems()) {
    EXPECT_EQ(one.file.find('\x1B'), std::string::npos);
  }
}

TEST_F(SkillSetTest, LinksAreNotFollowed) {
  const TempDirectory elsewhere;
  std::filesystem::create_directory(elsewhere / "linked");
  std::ofstream(elsewhere / "linked/SKILL.md") << "---\nname: linked\ndescription: d\n---\ntext\n";
  std::filesystem::create_directory_symlink(elsewhere / "linked", folder_ / "linked");
  std::filesystem::create_directory(folder_ / "file");
  std::filesystem::create_symlink("/etc/passwd", folder_ / "file/SKILL.md");
  const auto skills = open();
  ASSERT_TRUE(skills.has_value());
  EXPECT_EQ((*skills)->all().size(), 7U);
  EXPECT_TRUE((*skills)->problems().empty());
}

TEST_F(SkillSetTest, FoldersHaveLimits) {
  for (const char* name : {"a", "b", "c"}) write_skill(name);
  SkillFolderLimits limits;
  limits.skills_max = 2;
  EXPECT_EQ(open(limits).error().code, ErrorCode::LimitExceeded);
  limits = {};
  limits.entries_max = 2;
  EXPECT_EQ(open(limits).error().code, ErrorCode::LimitExceeded);
  const auto missing = SkillSet::with_folder(folder_ / "none", real_env(), {});
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
}

TEST_F(SkillSetTest, TheSummaryFitsAndSaysWhatIsLeftOut) {
  const auto skills = SkillSet::built_in();
  const std::string all = get_skills_summary(*skills, 20'000);
  for (const Skill& one : skills->all()) {
    EXPECT_THAT(all, HasSubstr("- " + one.name + ": " + one.description + "\n"));
  }
  EXPECT_LE(utf8_length(get_skills_summary(*skills)), 2'000U);
  for (std::size_t chars = 0; chars < 2'500; chars += 7) {
    const std::string some = get_skills_summary(*skills, chars);
    EXPECT_LE(utf8_length(some), chars);
    const auto lines = std::count(some.begin(), some.end(), '\n');
    if (some != all && chars >= 40) {
      EXPECT_THAT(some,
                  EndsWith(std::to_string(7 - (lines - 1)) + " more (read_skill names them)\n"));
    }
  }
}

}  // namespace
}  // namespace helve::toolkit
