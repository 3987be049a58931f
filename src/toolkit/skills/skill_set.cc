#include "toolkit/skills/skill_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/ascii.h"
#include "base/check.h"
#include "base/text.h"
#include "base/utf8.h"
#include "toolkit/skills/built_in_texts.h"

namespace helve::toolkit {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "SKILL.md";

// Of the file, at most so many bytes and one more.
Result<std::string> read_start(const fs::path& path, std::size_t bytes_max, Env& env) {
  HELVE_ASSIGN(const auto file, env.files().open_read(path));
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() <= bytes_max) {
    HELVE_ASSIGN(const std::size_t count, file->read(buffer));
    if (count == 0) break;
    text.append(buffer.data(), count);
  }
  return text;
}

Result<Skill> read_skill_file(const fs::path& folder, const std::string& name,
                              const SkillLimits& limits, Env& env) {
  HELVE_ASSIGN(const std::string text,
               read_start(folder / name / kFile, limits.file_bytes_max, env));
  HELVE_ASSIGN(Skill skill, read_skill_text(text, limits));
  if (skill.name != name) {
    return Error{ErrorCode::InvalidInput, fmt::format("its name is {}, and that of its folder {}",
                                                      skill.name, escape_for_terminal(name))};
  }
  return skill;
}

// Names of folders that have a SKILL.md, neither being a link.
Result<std::vector<std::string>> skill_folders(const fs::path& folder,
                                               const SkillFolderLimits& limits,
                                               const OpContext& context) {
  std::error_code failed;
  fs::directory_iterator at(folder, failed);
  if (failed) {
    return Error{ErrorCode::NotFound,
                 fmt::format("there is no folder {}", escape_for_terminal(folder.native())),
                 "name a folder that has a folder with a SKILL.md for each skill"};
  }
  std::vector<std::string> names;
  std::size_t entries = 0;
  while (at != fs::directory_iterator()) {
    HELVE_TRY(context.check());
    const fs::path path = at->path();
    if (++entries > limits.entries_max) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("{} has more than {} entries", escape_for_terminal(folder.native()),
                               format_count(limits.entries_max))};
    }
    const bool is_folder = fs::is_directory(fs::symlink_status(path, failed));
    const bool has_file =
        is_folder && fs::is_regular_file(fs::symlink_status(path / kFile, failed));
    if (has_file) names.push_back(path.filename().string());
    at.increment(failed);
    if (failed) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string folded(std::string_view name) {
  std::string lower = ascii_lower(name);
  std::replace(lower.begin(), lower.end(), '_', '-');
  std::replace(lower.begin(), lower.end(), ' ', '-');
  return lower;
}

}  // namespace

void SkillSet::put(Skill skill) {
  const auto place =
      std::lower_bound(skills_.begin(), skills_.end(), skill,
                       [](const Skill& a, const Skill& b) { return a.name < b.name; });
  if (place != skills_.end() && place->name == skill.name) {
    *place = std::move(skill);
  } else {
    skills_.insert(place, std::move(skill));
  }
}

std::shared_ptr<const SkillSet> SkillSet::built_in() {
  static const std::shared_ptr<const SkillSet> made = [] {
    auto set = std::make_shared<SkillSet>();
    for (const auto text :
         {built_in::explore_a_graph, built_in::write_sparql, built_in::debug_empty_results,
          built_in::federate_endpoints, built_in::analyse_a_database, built_in::tune_a_query,
          built_in::join_across_sources}) {
      auto skill = read_skill_text(text());
      HELVE_CHECK(skill.has_value());
      skill->is_built_in = true;
      set->put(*std::move(skill));
    }
    return set;
  }();
  return made;
}

Result<std::shared_ptr<const SkillSet>> SkillSet::with_folder(const fs::path& folder, Env& env,
                                                              const OpContext& context,
                                                              const SkillFolderLimits& limits) {
  HELVE_ASSIGN(const auto names, skill_folders(folder, limits, context));
  if (names.size() > limits.skills_max) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("{} has {} skills, {} at most are read", escape_for_terminal(folder.native()),
                    format_count(names.size()), limits.skills_max)};
  }
  auto set = std::make_shared<SkillSet>(*built_in());
  for (const std::string& name : names) {
    HELVE_TRY(context.check());
    auto skill = read_skill_file(folder, name, limits.skill, env);
    if (skill) {
      set->put(*std::move(skill));
    } else if (set->problems_.size() < limits.problems_kept) {
      constexpr std::size_t kMessageMax = 300;
      set->problems_.push_back(
          {escape_for_terminal(name) + "/" + kFile,
           elide_end(escape_for_terminal(skill.error().message), kMessageMax)});
    }
  }
  return set;
}

const Skill* SkillSet::find(std::string_view name) const {
  const std::string wanted = folded(name);
  const auto found = std::find_if(skills_.begin(), skills_.end(),
                                  [&](const Skill& one) { return one.name == wanted; });
  return found == skills_.end() ? nullptr : &*found;
}

std::vector<std::string_view> SkillSet::names() const {
  std::vector<std::string_view> names;
  for (const Skill& one : skills_) names.emplace_back(one.name);
  return names;
}

std::string get_skills_summary(const SkillSet& skills, std::size_t max_chars) {
  constexpr std::size_t kRoomForRest = 40;  // "... 200 more (read_skill names them)\n"
  std::string text;
  std::size_t used = 0;
  std::size_t shown = 0;
  const auto all = skills.all();
  for (const Skill& one : all) {
    const std::string line = fmt::format("- {}: {}\n", one.name, one.description);
    const std::size_t room = shown + 1 < all.size() ? kRoomForRest : 0;
    if (used + utf8_length(line) + room > max_chars) break;
    used += utf8_length(line);
    text += line;
    ++shown;
  }
  if (shown < all.size() && max_chars >= kRoomForRest) {
    text += fmt::format("... {} more (read_skill names them)\n", all.size() - shown);
  }
  return text;
}

}  // namespace helve::toolkit
