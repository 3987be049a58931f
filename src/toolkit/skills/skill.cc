#include "toolkit/skills/skill.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "toolkit/skills/front_matter.h"

namespace helve::toolkit {

namespace {

Error invalid_skill(std::size_t line, std::string message, std::string hint = {}) {
  return {ErrorCode::InvalidInput, fmt::format("line {}: {}", line, message), std::move(hint)};
}

Result<void> check(const Skill& skill, std::size_t line, const SkillLimits& limits) {
  if (!is_skill_name(skill.name, limits)) {
    return invalid_skill(
        line,
        skill.name.empty()
            ? std::string("name is missing")
            : fmt::format("the name {} is none", elide_end(escape_for_terminal(skill.name), 80)),
        fmt::format("letters a-z, digits and single hyphens between them, {} at most",
                    limits.name_bytes_max));
  }
  if (skill.description.empty()) {
    return invalid_skill(line, "description is missing", "say in a sentence what the skill is for");
  }
  if (utf8_length(skill.description) > limits.description_chars_max) {
    return invalid_skill(line, fmt::format("the description has more than {} characters",
                                           limits.description_chars_max));
  }
  return {};
}

}  // namespace

bool is_skill_name(std::string_view name, const SkillLimits& limits) {
  const auto is_word = [](char c) { return is_lower(c) || is_digit(c); };
  return !name.empty() && name.size() <= limits.name_bytes_max && is_word(name.front()) &&
         is_word(name.back()) && name.find("--") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_word(c) || c == '-'; });
}

Result<Skill> read_skill_text(std::string_view file, const SkillLimits& limits) {
  const FrontMatterKind kind{
      "skill", {"name", "description"}, limits.file_bytes_max, limits.front_lines_max};
  HELVE_ASSIGN(FrontMatter front, read_front_matter(file, kind));
  Skill skill;
  skill.name = front.value("name");
  skill.description = front.value("description");
  HELVE_TRY(check(skill, front.last_line, limits));
  if (front.text.empty())
    return invalid_skill(front.last_line, "there is no text behind the heading");
  skill.text = std::move(front.text);
  return skill;
}

}  // namespace helve::toolkit
