#include "toolkit/context/markdown.h"

#include <algorithm>

#include "base/text.h"
#include "toolkit/context/cut_text.h"

namespace helve::context {

namespace {

bool is_heading(std::string_view line) {
  const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
  return marks > 0 && marks <= 6 && marks < line.size() && line[marks] == ' ';
}

bool is_fence(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.starts_with("```") || line.starts_with("~~~");
}

// Lines that stand for themselves: items of lists, rows of tables, quotations.
bool begins_piece(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with('|') ||
      line.starts_with('>')) {
    return true;
  }
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && line.substr(digits).starts_with(". ");
}

class Splitter {
 public:
  std::vector<MarkdownSection> split(std::string_view text) {
    sections_.emplace_back();
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(harmless_line(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::erase_if(sections_, [](const MarkdownSection& one) { return one.blocks.empty(); });
    return std::move(sections_);
  }

 private:
  void take(std::string line) {
    if (is_in_code_) {
      is_in_code_ = !is_fence(line);
      last().lines.push_back(std::move(line));
      return;
    }
    if (line.empty()) {
      is_open_ = false;
    } else if (is_fence(line)) {
      sections_.back().blocks.push_back({{std::move(line)}, true});
      is_in_code_ = true;
      is_open_ = false;
    } else if (is_heading(line)) {
      sections_.push_back({std::move(line), {}});
      is_open_ = false;
    } else if (is_open_ && !begins_piece(line)) {
      line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
      last().lines.front() += " " + line;
    } else {
      sections_.back().blocks.push_back({{std::move(line)}, false});
      is_open_ = true;
    }
  }

  MarkdownBlock& last() { return sections_.back().blocks.back(); }

  std::vector<MarkdownSection> sections_;
  bool is_in_code_ = false;
  bool is_open_ = false;  // the next line may belong to the last block
};

}  // namespace

std::vector<MarkdownSection> split_markdown(std::string_view text) {
  return Splitter().split(text);
}

std::string_view heading_words(std::string_view heading) {
  heading.remove_prefix(std::min(heading.find_first_not_of("# "), heading.size()));
  return heading;
}

}  // namespace helve::context
