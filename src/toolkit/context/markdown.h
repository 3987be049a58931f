// Markdown in sections of whole pieces, as far as extracts of guides need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::context {

struct MarkdownBlock {
  std::vector<std::string> lines;
  bool is_code = false;  // fenced, with its fences: whole or not at all. Else: one line of text
};

struct MarkdownSection {
  std::string heading;  // the line; empty before the first
  std::vector<MarkdownBlock> blocks;
};

// Sections begin at headings of any level ("# "); those without anything below are left out. The
// lines of a paragraph become one; lists and tables stay lines. Nothing in the lines steers or
// hides.
std::vector<MarkdownSection> split_markdown(std::string_view text);

// A heading without its marks.
std::string_view heading_words(std::string_view heading);

}  // namespace helve::context
