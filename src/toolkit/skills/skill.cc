#include "toolkit/skills/skill.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/utf8.h"

namespace helve::toolkit {

namespace {

constexpr std::string_view kMark = "---";

Error bad(std::size_t line, std::string message, std::string hint = {}) {
  return {ErrorCode::InvalidInput, fmt::format("line {}: {}", line, message), std::move(hint)};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
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
class FrontMatter {
 public:
  FrontMatter(std::string_view file, const SkillLimits& limits) : rest_(file), limits_(limits) {}

  Result<Skill> read() {
    if (!next_line() || line_ != kMark) {
      return bad(1, "a skill begins with a line of three hyphens and ends its heading with another",
                 "write name: and description: between two lines ---");
    }
    Skill skill;
    bool is_open = next_line();
    while (is_open && line_ != kMark) {
      HELVE_ASSIGN(is_open, read_key(skill));
      if (number_ > limits_.front_lines_max) {
        return bad(number_,
                   fmt::format("the heading has more than {} lines", limits_.front_lines_max));
      }
    }
    if (!is_open) return bad(number_, "the heading has no end", "close it with a line ---");
    HELVE_TRY(check(skill));
    skill.text = body();
    if (skill.text.empty()) return bad(number_, "there is no text behind the heading");
    return skill;
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
  Result<bool> read_key(Skill& skill) {
    const std::string_view content = trimmed(line_);
    if (content.empty() || content.starts_with('#')) return next_line();
    if (is_indented()) return bad(number_, "this line belongs to no key");
    const std::size_t colon = line_.find(':');
    const std::string key(line_.substr(0, std::min(colon, line_.size())));
    const std::string_view value =
        trimmed(colon == std::string_view::npos ? std::string_view() : line_.substr(colon + 1));
    if (colon == std::string_view::npos || !is_key(key) ||
        (!value.empty() && line_[colon + 1] != ' ')) {
      return bad(number_, "a key, a colon, a space and a value are expected");
    }
    if (!keys_.insert(key).second) return bad(number_, fmt::format("{} is there twice", key));
    std::string* const place = key == "name"          ? &skill.name
                               : key == "description" ? &skill.description
                                                      : nullptr;
    if (place == nullptr) return pass_over();
    if (value == ">" || value == ">-" || value == "|" || value == "|-") return read_block(*place);
    HELVE_ASSIGN(*place, read_value(value, number_));
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
      const std::string_view part = trimmed(line_);
      if (!text.empty() && !part.empty()) text += ' ';
      text += part;
    }
    return false;
  }

  Result<void> check(const Skill& skill) const {
    if (!is_skill_name(skill.name, limits_)) {
      return bad(number_,
                 skill.name.empty() ? std::string("name is missing")
                                    : fmt::format("the name {} is none",
                                                  elide_end(escape_for_terminal(skill.name), 80)),
                 fmt::format("letters a-z, digits and single hyphens between them, {} at most",
                             limits_.name_bytes_max));
    }
    if (skill.description.empty()) {
      return bad(number_, "description is missing", "say in a sentence what the skill is for");
    }
    if (utf8_length(skill.description) > limits_.description_chars_max) {
      return bad(number_, fmt::format("the description has more than {} characters",
                                      limits_.description_chars_max));
    }
    return {};
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
  const SkillLimits& limits_;
  std::string_view line_;
  std::size_t number_ = 0;
  std::set<std::string> keys_;
};

}  // namespace

bool is_skill_name(std::string_view name, const SkillLimits& limits) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= limits.name_bytes_max && is_word(name.front()) &&
         is_word(name.back()) && name.find("--") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_word(c) || c == '-'; });
}

Result<Skill> read_skill_text(std::string_view file, const SkillLimits& limits) {
  if (file.size() > limits.file_bytes_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("it has {}, a skill at most {}", format_bytes(file.size()),
                             format_bytes(limits.file_bytes_max)),
                 "split it into several skills"};
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
  if (file.starts_with("\xEF\xBB\xBF")) file.remove_prefix(3);
  return FrontMatter(file, limits).read();
}

}  // namespace helve::toolkit
