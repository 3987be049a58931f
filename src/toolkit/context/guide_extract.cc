#include "toolkit/context/guide_extract.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "toolkit/context/cut_text.h"
#include "toolkit/context/markdown.h"
#include "toolkit/memory/terms.h"

namespace helve::context {

namespace {

using Lines = std::vector<std::string>;

std::size_t chars_of(const Lines& lines) {
  std::size_t chars = 0;
  for (const std::string& line : lines) chars += utf8_length(line) + 1;
  return chars;
}

struct SectionWords {
  std::set<std::string> heading;
  std::set<std::string> all;
};

SectionWords section_words(const MarkdownSection& section) {
  SectionWords words;
  for (std::string& term : memory::terms_of(section.heading)) words.heading.insert(std::move(term));
  words.all = words.heading;
  for (const MarkdownBlock& block : section.blocks) {
    for (const std::string& line : block.lines) {
      for (std::string& term : memory::terms_of(line)) words.all.insert(std::move(term));
    }
  }
  return words;
}

// What each section shares with the task: a word counts less the more sections have it, and double
// in a heading. In whole numbers, so that it is the same everywhere.
std::vector<std::uint64_t> scores_of(const std::vector<MarkdownSection>& sections,
                                     std::string_view task) {
  constexpr std::uint64_t kUnit = 10'000;
  std::vector<SectionWords> words;
  words.reserve(sections.size());
  for (const MarkdownSection& section : sections) words.push_back(section_words(section));
  std::vector<std::uint64_t> scores(sections.size(), 0);
  for (const std::string& term : memory::query_terms(task)) {
    const auto having = static_cast<std::uint64_t>(
        std::count_if(words.begin(), words.end(),
                      [&](const SectionWords& one) { return one.all.contains(term); }));
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (!words[i].all.contains(term)) continue;
      scores[i] += (words[i].heading.contains(term) ? 2 : 1) * kUnit / (having * having);
    }
  }
  return scores;
}

// The section as far as it fits, with nothing where that is no more than its heading.
Lines section_lines(const MarkdownSection& section, std::size_t room, bool& is_whole) {
  Lines lines;
  is_whole = true;
  if (!section.heading.empty()) lines.push_back(section.heading);
  const std::size_t head = lines.size();
  std::size_t used = chars_of(lines);
  for (const MarkdownBlock& block : section.blocks) {
    const std::size_t needed = chars_of(block.lines);
    if (used + needed <= room) {
      lines.insert(lines.end(), block.lines.begin(), block.lines.end());
      used += needed;
      continue;
    }
    is_whole = false;
    if (block.is_code || used + 1 >= room) break;
    std::string cut = cut_line(block.lines.front(), room - used - 1);
    if (!cut.empty()) lines.push_back(std::move(cut));
    break;
  }
  if (lines.size() == head) lines.clear();
  return lines;
}

}  // namespace

LayerText pack_guide(const Guide& guide, std::string_view task, std::size_t budget) {
  const std::vector<MarkdownSection> sections = split_markdown(guide.text);
  const std::vector<std::uint64_t> scores = scores_of(sections, task);
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return scores[left] > scores[right];
  });
  std::vector<Lines> taken(sections.size());
  std::size_t room = budget;
  std::size_t left_out = 0;
  bool is_cut = false;  // one section may be, the others are whole
  for (const std::size_t at : order) {
    bool is_whole = false;
    Lines lines = section_lines(sections[at], room, is_whole);
    if (!is_whole) ++left_out;
    if (lines.empty() || (!is_whole && is_cut)) continue;
    is_cut = is_cut || !is_whole;
    room -= chars_of(lines);
    taken[at] = std::move(lines);
  }
  LayerBuilder builder(budget);
  for (std::size_t at = 0; at < taken.size(); ++at) {
    const std::string_view words = heading_words(sections[at].heading);
    for (const std::string& line : taken[at]) {
      builder.add_line(words.empty() ? std::string_view(guide.name) : words, line);
    }
  }
  LayerText made = std::move(builder).finish();
  made.left_out = left_out;
  return made;
}

}  // namespace helve::context
