#include <fmt/format.h>

#include "base/near_names.h"
#include "base/text.h"
#include "surfaces/cli/json_output.h"
#include "surfaces/cli/knowledge_command.h"
#include "surfaces/cli/open_skills.h"
#include "surfaces/cli/shown_lines.h"

namespace helve::cli {

namespace {

using toolkit::Skill;
using toolkit::SkillSet;

const char* origin_of(const Skill& skill) { return skill.is_built_in ? "built-in" : "workspace"; }

void write_heading(JsonWriter& json, const Skill& skill) {
  json.member("name", skill.name);
  json.member("description", skill.description);
  json.member("origin", origin_of(skill));
}

std::string list_text(const SkillSet& skills, const Terminal& terminal) {
  std::string text;
  for (const Skill& one : skills.all()) {
    text += fmt::format("{}{}\n  {}\n", terminal.styled(Style::Accent, one.name),
                        one.is_built_in ? "" : terminal.styled(Style::Dim, "  (workspace)"),
                        escape_for_terminal(one.description));
  }
  return text;
}

Error unknown_skill(const std::string& name, const SkillSet& skills) {
  const auto names = skills.names();
  const auto near = near_names(name, names);
  return {ErrorCode::NotFound, fmt::format("there is no skill {}", escape_for_terminal(name)),
          near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                       : fmt::format("did you mean {}?", near.front())};
}

}  // namespace

Result<std::shared_ptr<const SkillSet>> open_skills(const std::string& folder,
                                                    const CommandContext& context) {
  if (folder.empty()) return SkillSet::built_in();
  HELVE_ASSIGN(auto skills, SkillSet::with_folder(folder, context.env, context.op));
  for (const toolkit::SkillProblem& one : skills->problems()) {
    context.warn(fmt::format("{}: {}", one.file, one.message));
  }
  return skills;
}

Result<void> run_skills(const SkillsOptions& options, CommandContext& context) {
  HELVE_ASSIGN(const auto skills, open_skills(options.folder, context));
  if (options.name.empty()) {
    return context.show(options.is_json ? json_object([&](JsonWriter& json) {
      write_objects(json, "skills", skills->all(),
                    [&](const Skill& one) { write_heading(json, one); });
    })
                                        : list_text(*skills, context.out_terminal));
  }
  const Skill* skill = skills->find(options.name);
  if (skill == nullptr) return unknown_skill(options.name, *skills);
  return context.show(options.is_json ? json_object([&](JsonWriter& json) {
    write_heading(json, *skill);
    json.member("text", skill->text);
  })
                                      : shown_lines(skill->text));
}

}  // namespace helve::cli
