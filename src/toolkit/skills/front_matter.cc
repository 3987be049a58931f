#include "toolkit/skills/front_matter.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kMark = "---";

Error bad(std::size_t line, std::string message, std::string hint = {}) {
  return {ErrorCode::InvalidInput, fmt::format("line {}: {}", line, message), std::move(hint)};
}

std::string_view without_outer_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_';
  });
}

// A value that stands on the line of its key.
Result<std::string> read_value(std::string_view value, std::size_t line) {
  if (value.starts_with('"')) {
    std::string text;
    for (std::size_t i = 1; i < value.size(); ++i) {
      if (value[i] == '"') {
        if (i + 1 == value.size()) return text;
        return bad(line, "there is something behind the closing quote");
      }
      if (value[i] != '\\') {
        text += value[i];
        continue;
      }
      const char next = ++i < value.size() ? value[i] : '\0';
      if (next != '"' && next != '\\') {
        return bad(line, "only \\\" and \\\\ are known after a backslash");
      }
      text += next;
    }
    return bad(line, "the quote is not closed");
  }
  if (value.starts_with('\'')) {
    std::string text;
    for (std::size_t i = 1; i < value.size(); ++i) {
      if (value[i] != '\'') {
        text += value[i];
      } else if (i + 1 < value.size() && value[i + 1] == '\'') {
        text += value[i++];
      } else if (i + 1 == value.size()) {
        return text;
      } else {
        return bad(line, "there is something behind the closing quote");
      }
    }
    return bad(line, "the quote is not closed");
  }
  constexpr std::string_view kSpecial = "&*!|>%@`[]{}#,?:-";
  const bool begins_specially =
      !value.empty() && kSpecial.find(value.front()) != std::string_view::npos;
  if (begins_specially || value.find(": ") != std::string_view::npos || value.ends_with(':') ||
      value.find(" #") != std::string_view::npos) {
    return bad(line, "this value means something else in YAML", "put it in double quotes");
  }
  return std::string(value);
}

// Lines of the front matter, one by one.
class Reader {
 public:
  Reader(std::string_view file, const FrontMatterKind& kind) : rest_(file), kind_(kind) {}

  Result<FrontMatter> read() {
    if (!next_line() || line_ != kMark) {
      return bad(1,
                 fmt::format("a {} begins with a line of three hyphens and ends its heading with "
                             "another",
                             kind_.what),
                 fmt::format("write {}: between two lines ---", fmt::join(kind_.keys, ": and ")));
    }
    bool is_open = next_line();
    while (is_open && line_ != kMark) {
      HELVE_ASSIGN(is_open, read_key());
      if (number_ > kind_.lines_max) {
        return bad(number_, fmt::format("the heading has more than {} lines", kind_.lines_max));
      }
    }
    if (!is_open) return bad(number_, "the heading has no end", "close it with a line ---");
    made_.last_line = number_;
    made_.text = body();
    return std::move(made_);
  }

 private:
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }

  bool is_indented() const { return line_.starts_with(' ') || line_.starts_with('\t'); }

  // Reads a key with its value and goes to the line behind; false: there is none.
  Result<bool> read_key() {
    const std::string_view content = without_outer_blanks(line_);
    if (content.empty() || content.starts_with('#')) return next_line();
    if (is_indented()) return bad(number_, "this line belongs to no key");
    const std::size_t colon = line_.find(':');
    const std::string key(line_.substr(0, std::min(colon, line_.size())));
    const std::string_view value = without_outer_blanks(
        colon == std::string_view::npos ? std::string_view() : line_.substr(colon + 1));
    if (colon == std::string_view::npos || !is_key(key) ||
        (!value.empty() && line_[colon + 1] != ' ')) {
      return bad(number_, "a key, a colon, a space and a value are expected");
    }
    if (!keys_.insert(key).second) return bad(number_, fmt::format("{} is there twice", key));
    if (std::find(kind_.keys.begin(), kind_.keys.end(), key) == kind_.keys.end()) {
      return pass_over();
    }
    std::string& place = made_.values[key];
    if (value == ">" || value == ">-" || value == "|" || value == "|-") return read_block(place);
    HELVE_ASSIGN(place, read_value(value, number_));
    return next_line();
  }

  Result<bool> pass_over() {
    while (next_line()) {
      if (!is_indented() && !line_.empty() && !line_.starts_with('-')) return true;
      if (line_ == kMark) return true;
    }
    return false;
  }

  // Folded to one line, whichever block it is: both are of one line here.
  Result<bool> read_block(std::string& text) {
    while (next_line()) {
      if (line_.find('\t') != std::string_view::npos) {
        return bad(number_, "tabs do not indent in YAML", "indent with spaces");
      }
      if (!is_indented() && !line_.empty()) return true;
      const std::string_view part = without_outer_blanks(line_);
      if (!text.empty() && !part.empty()) text += ' ';
      text += part;
    }
    return false;
  }

  std::string body() const {
    std::string text;
    for (const char c : rest_) {
      if (c != '\r') text += c;
    }
    text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
    text.erase(text.find_last_not_of(" \n") + 1);
    if (!text.empty()) text += '\n';
    return text;
  }

  std::string_view rest_;
  const FrontMatterKind& kind_;
  FrontMatter made_;
  std::string_view line_;
  std::size_t number_ = 0;
  std::set<std::string> keys_;
};

}  // namespace

std::string FrontMatter::value(std::string_view key) const {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

Result<void> check_text_file(std::string_view file, const FrontMatterKind& kind) {
  if (file.size() > kind.file_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("it has {}, a {} at most {}", format_bytes(file.size()), kind.what,
                             format_bytes(kind.file_bytes_max)),
                 fmt::format("split it into several {}s", kind.what)};
  }
  if (utf8_valid_prefix(file) != file.size()) {
    return Error{ErrorCode::InvalidInput, "it is not in UTF-8"};
  }
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') ||
           c == 0x7F;
  };
  if (std::any_of(file.begin(), file.end(), is_control)) {
    return Error{ErrorCode::InvalidInput, "it has control characters"};
  }
  return {};
}

Result<FrontMatter> read_front_matter(std::string_view file, const FrontMatterKind& kind) {
  HELVE_TRY(check_text_file(file, kind));
  if (file.starts_with("\xEF\xBB\xBF")) file.remove_prefix(3);
  return Reader(file, kind).read();
}

}  // namespace helve::toolkit
