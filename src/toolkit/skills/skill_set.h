// SkillSet: the skills that come with the program, and those of a folder, which win by name.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/skills/skill.h"

namespace helve::toolkit {

struct SkillProblem {
  std::string file;  // relative to the folder: "name/SKILL.md"
  std::string message;
};

struct SkillFolderLimits {
  SkillLimits skill;
  std::size_t skills_max = 200;
  std::size_t entries_max = 10'000;
  std::size_t problems_kept = 10;
};

// A value that never changes.
class SkillSet {
 public:
  static std::shared_ptr<const SkillSet> built_in();
  // Reads FOLDER/NAME/SKILL.md of all names, each named like its folder. What is broken is told of
  // in problems() and left out; a built-in skill of that name then stays. Links are passed over.
  // The texts are instructions to an agent: whoever can write there can instruct it. NotFound where
  // there is no such folder.
  static Result<std::shared_ptr<const SkillSet>> with_folder(const std::filesystem::path& folder,
                                                             Env& env, const OpContext& context,
                                                             const SkillFolderLimits& limits = {});

  std::span<const Skill> all() const { return skills_; }  // by name
  // In any case, with '_' or ' ' for '-'; null where there is none.
  const Skill* find(std::string_view name) const;
  std::vector<std::string_view> names() const;
  const std::vector<SkillProblem>& problems() const { return problems_; }

 private:
  void put(Skill skill);

  std::vector<Skill> skills_;
  std::vector<SkillProblem> problems_;
};

// Names and descriptions, a line for each, for the prompt of an agent: at most so many characters,
// cut behind a whole line, with the number of those that are left out.
std::string get_skills_summary(const SkillSet& skills, std::size_t max_chars = 2'000);

}  // namespace helve::toolkit
