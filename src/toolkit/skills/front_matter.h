// Front matter: the keys and values that stand before the text of a skill or a guide, in YAML.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace helve::toolkit {

// What may stand in one kind of file.
struct FrontMatterKind {
  std::string_view what;               // "skill": for errors
  std::vector<std::string_view> keys;  // that are read; others are passed over
  std::size_t file_bytes_max = 20'000;
  std::size_t lines_max = 100;
};

struct FrontMatter {
  std::map<std::string, std::string, std::less<>> values;
  std::string text;           // behind it, with line ends of one kind; ends with one unless empty
  std::size_t last_line = 0;  // of the heading: for errors

  std::string value(std::string_view key) const;  // empty where there is none
};

// Of YAML it takes what front matter is written in: `key: value` with plain and quoted values, and
// blocks (`>`, `|`) of indented lines. What could be read in another way by others (anchors, tags,
// lists, tabs, a key twice) is refused. Errors name the line.
Result<FrontMatter> read_front_matter(std::string_view file, const FrontMatterKind& kind);

// Size, UTF-8 and no control characters; read_front_matter() has that in it.
Result<void> check_text_file(std::string_view file, const FrontMatterKind& kind);

}  // namespace helve::toolkit
