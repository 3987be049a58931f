#include "toolkit/context/quoted_item.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "toolkit/context/cut_text.h"

namespace helve::context {

namespace {

constexpr std::string_view kMark = "> ";
constexpr std::size_t kFrame = 3;  // the mark and the end of a line
constexpr std::string_view kMore = "…";
constexpr std::size_t kContentMin = 20;  // characters; less says nothing

std::vector<std::string> harmless_lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = harmless_line(text.substr(0, end));
    if (!line.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string harmless_single_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return harmless_line(line);
}

class Quotation {
 public:
  explicit Quotation(std::size_t chars_max) : chars_max_(chars_max) {}

  std::size_t room() const { return chars_max_ - made_.chars; }
  // REQUIRES: room for it and kFrame.
  void add(std::string_view line) { put(std::string(kMark) + std::string(line)); }
  void put(std::string line) {
    made_.chars += utf8_length(line) + 1;
    made_.lines.push_back(std::move(line));
  }
  // Line by line; where one is not whole, an ellipsis says that there was more.
  void add_content(const std::vector<std::string>& lines) {
    constexpr std::size_t kRest = kFrame + 1;  // "> …"
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t needed = utf8_length(lines[i]) + kFrame;
      const std::size_t behind = i + 1 < lines.size() ? kRest : 0;
      if (needed + behind <= room()) {
        add(lines[i]);
        continue;
      }
      const std::size_t most = room() > kFrame ? room() - kFrame : 0;
      // A line that fits, but nothing behind it.
      const std::size_t cut_to = std::min(most, utf8_length(lines[i]) - 1);
      const std::string cut = cut_line(lines[i], cut_to);
      if (!cut.empty()) {
        add(cut);
      } else if (room() >= kRest) {
        add(kMore);
      }
      return;
    }
  }
  QuotedItem finish() && { return std::move(made_); }

 private:
  std::size_t chars_max_;
  QuotedItem made_;
};

std::size_t length_of(const std::vector<std::string>& lines) {
  std::size_t chars = 0;
  for (const std::string& line : lines) chars += utf8_length(line) + kFrame;
  return chars;
}

}  // namespace

QuotedItem quote_item(const memory::Item& item, std::string_view what, std::size_t chars_max) {
  const std::string head = fmt::format("{} [{}]:", what, item.id);
  const std::string title = harmless_single_line(item.title);
  const std::vector<std::string> content = harmless_lines_of(item.content);
  const std::size_t least = utf8_length(head) + 1 + utf8_length(title) + kFrame +
                            std::min(length_of(content), kContentMin + kFrame);
  if (least > chars_max) return {};
  Quotation quotation(chars_max);
  quotation.put(head);
  quotation.add(title);
  // When to use it; where there is no room for all, the content is worth more.
  const std::string desc = harmless_single_line(item.desc);
  const bool is_room_for_all = utf8_length(desc) + kFrame + length_of(content) <= quotation.room();
  const std::size_t desc_max = is_room_for_all ? quotation.room() : quotation.room() / 3;
  const std::string shown =
      desc.empty() || desc_max <= kFrame ? std::string() : cut_line(desc, desc_max - kFrame);
  if (!shown.empty()) quotation.add(shown);
  quotation.add_content(content);
  return std::move(quotation).finish();
}

}  // namespace helve::context
