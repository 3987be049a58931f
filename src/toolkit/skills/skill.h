// Skill: how to go about one kind of work with the tools, as a text that is read when it is needed.
// A SKILL.md with a name and a description in front of it (YAML), as https://agentskills.io has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace helve::toolkit {

struct Skill {
  std::string name;         // letters a-z, digits and single hyphens between them
  std::string description;  // one line: what it is for and when to use it
  std::string text;         // in Markdown, without the front matter
  bool is_built_in = false;

  friend bool operator==(const Skill&, const Skill&) = default;
};

struct SkillLimits {
  std::size_t file_bytes_max = 20'000;
  std::size_t name_bytes_max = 64;
  std::size_t description_chars_max = 1'024;
  std::size_t front_lines_max = 100;
};

// Reads a SKILL.md. Of YAML it takes what front matter is written in: `key: value` with plain and
// quoted values, and blocks (`>`, `|`) of indented lines; keys other than name and description are
// passed over. What could be read in another way by others (anchors, tags, lists, tabs, a key
// twice) is refused. Errors (InvalidInput) name the line.
Result<Skill> read_skill_text(std::string_view file, const SkillLimits& limits = {});

bool is_skill_name(std::string_view name, const SkillLimits& limits = {});

}  // namespace helve::toolkit
