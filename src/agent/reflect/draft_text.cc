#include "agent/reflect/draft_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::agent {

namespace {

constexpr std::size_t kAboutColumns = 200;

std::vector<std::string> read_tags(std::string_view text) {
  std::vector<std::string> tags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (const auto tag = trimmed(text.substr(0, end)); !tag.empty()) tags.emplace_back(tag);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tags;
}

// Of one line; false: there is no such field.
bool take_field(std::string_view key, std::string_view value, memory::Item& item) {
  if (key == "title") {
    item.title = value;
  } else if (key == "desc") {
    item.desc = value;
  } else if (key == "domain") {
    item.domain = value;
  } else if (key == "tags") {
    item.tags = read_tags(value);
  } else {
    return false;
  }
  return true;
}

Error wrong_line(std::size_t number) {
  return {ErrorCode::InvalidInput,
          fmt::format("line {} of the draft is neither a comment nor a field", number),
          "title:, desc:, tags:, domain:, and content: with all that follows"};
}

}  // namespace

std::string draft_text(const memory::Item& item, std::string_view about) {
  return fmt::format(
      "# {}\n"
      "# title: at most ten words. desc: one sentence, when to use it and when not. tags: with\n"
      "# commas. content: all that follows. No constants of the question. An empty file gives it "
      "up.\n"
      "title: {}\n"
      "desc: {}\n"
      "tags: {}\n"
      "domain: {}\n"
      "content:\n"
      "{}{}",
      elide_end(escape_for_terminal(about), kAboutColumns), escape_for_terminal(item.title),
      escape_for_terminal(item.desc),
      escape_for_terminal(fmt::format("{}", fmt::join(item.tags, ", "))),
      escape_for_terminal(item.domain), item.content, item.content.ends_with('\n') ? "" : "\n");
}

Result<memory::Item> read_draft(std::string_view text, memory::Item item) {
  if (text.size() > kDraftBytesMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the draft is longer than {}", format_bytes(kDraftBytesMax)),
                 "say it shorter"};
  }
  if (utf8_valid_prefix(text) != text.size()) {
    return Error{ErrorCode::InvalidInput, "the draft is no UTF-8", "save it as UTF-8"};
  }
  item.title.clear();
  const std::string before = std::exchange(item.content, {});
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return wrong_line(number);
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (key == "content") {
      item.content = trimmed(fmt::format("{}\n{}", value, text));
      // What was only looked at stays as it was, to the letter.
      if (trimmed(before) == item.content) item.content = before;
      break;
    }
    if (!take_field(key, value, item)) return wrong_line(number);
  }
  if (item.title.empty()) {
    return Error{ErrorCode::InvalidInput, "the draft has no title", "write one behind title:"};
  }
  return item;
}

}  // namespace helve::agent
