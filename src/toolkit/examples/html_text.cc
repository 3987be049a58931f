#include "toolkit/examples/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"

namespace helve::toolkit {

namespace {

// Those that begin or end a line: words on both sides of them are two.
constexpr std::array<std::string_view, 22> kBlocks = {
    "address", "blockquote", "br", "dd", "div", "dl",  "dt", "h1", "h2",    "h3", "h4",
    "h5",      "h6",         "hr", "li", "ol",  "pre", "p",  "td", "table", "tr", "ul"};
constexpr std::array<std::string_view, 27> kInline = {
    "a",    "abbr", "b",     "body", "cite",   "code", "del", "dfn",  "em",
    "font", "head", "html",  "i",    "img",    "ins",  "kbd", "mark", "q",
    "s",    "samp", "small", "span", "strong", "sub",  "sup", "tt",   "u"};
// Whose content is not shown.
constexpr std::array<std::string_view, 2> kHidden = {"script", "style"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Named references that texts of this kind have.
constexpr std::array<std::pair<std::string_view, char32_t>, 36> kEntities = {{
    {"amp", '&'},      {"lt", '<'},       {"gt", '>'},        {"quot", '"'},     {"apos", '\''},
    {"nbsp", ' '},     {"ndash", 0x2013}, {"mdash", 0x2014},  {"lsquo", 0x2018}, {"rsquo", 0x2019},
    {"ldquo", 0x201C}, {"rdquo", 0x201D}, {"hellip", 0x2026}, {"bull", 0x2022},  {"middot", 0xB7},
    {"deg", 0xB0},     {"plusmn", 0xB1},  {"micro", 0xB5},    {"times", 0xD7},   {"le", 0x2264},
    {"ge", 0x2265},    {"ne", 0x2260},    {"larr", 0x2190},   {"rarr", 0x2192},  {"harr", 0x2194},
    {"alpha", 0x3B1},  {"beta", 0x3B2},   {"gamma", 0x3B3},   {"delta", 0x3B4},  {"epsilon", 0x3B5},
    {"kappa", 0x3BA},  {"lambda", 0x3BB}, {"mu", 0x3BC},      {"omega", 0x3C9},  {"auml", 0xE4},
    {"eacute", 0xE9},
}};

// "#38", "#x26" or "amp"; nothing for what stands for no character that may be shown.
std::optional<char32_t> character_of(std::string_view reference) {
  if (!reference.starts_with('#')) {
    for (const auto& [name, character] : kEntities) {
      if (name == reference) return character;
    }
    return std::nullopt;
  }
  reference.remove_prefix(1);
  const bool is_hex = reference.starts_with('x') || reference.starts_with('X');
  if (is_hex) reference.remove_prefix(1);
  std::uint32_t number = 0;
  const char* const end = reference.data() + reference.size();
  const auto read = std::from_chars(reference.data(), end, number, is_hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  constexpr std::uint32_t kNoBreakSpace = 0xA0;
  if (number == kNoBreakSpace || number == '\t' || number == '\n' || number == '\r') return ' ';
  const bool is_shown = number >= ' ' && (number < 0x7F || number > 0x9F) && number <= 0x10FFFF &&
                        (number < 0xD800 || number > 0xDFFF);
  return is_shown ? std::optional<char32_t>(number) : std::nullopt;
}

// One walk over the text. What is looked for ahead and is not there is remembered, so that a text
// of a million "<" costs no more than its length.
class HtmlReader {
 public:
  HtmlReader(std::string_view html, bool takes_unknown)
      : html_(html), takes_unknown_(takes_unknown) {}

  std::string read() {
    while (at_ < html_.size()) {
      const char c = html_[at_];
      if (c == '<' && take_markup()) continue;
      if (c == '&' && take_reference()) continue;
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        add_space();
      } else {
        text_ += c;
      }
      ++at_;
    }
    if (text_.ends_with(' ')) text_.pop_back();
    return std::move(text_);
  }

 private:
  void add_space() {
    if (!text_.empty() && text_.back() != ' ') text_ += ' ';
  }

  bool take_markup() {
    const std::string_view rest = html_.substr(at_);
    if (rest.starts_with("<!--")) return skip_behind("-->", comment_end_);
    std::size_t letter = 1;
    if (rest.size() > 1 && (rest[1] == '/' || (takes_unknown_ && rest[1] == '!'))) ++letter;
    if (letter >= rest.size() || !is_letter(rest[letter])) return false;
    std::size_t end = letter;
    while (end < rest.size() && is_letter_or_digit(rest[end])) ++end;
    constexpr std::size_t kLongestName = 20;
    const std::string name = ascii_lower(rest.substr(letter, std::min(end - letter, kLongestName)));
    const bool is_block = is_among(kBlocks, name);
    const bool is_hidden = is_among(kHidden, name);
    const bool is_known = is_block || is_hidden || is_among(kInline, name);
    if (!takes_unknown_ && !is_known) return false;
    if (!skip_behind(">", tag_end_)) return false;
    if (is_block) add_space();
    if (is_hidden && letter == 1) skip_content(name);
    return true;
  }

  void skip_content(const std::string& name) {
    const std::string close = "</" + name;
    std::size_t at = html_.find("</", at_);
    while (at != std::string_view::npos && ascii_lower(html_.substr(at, close.size())) != close) {
      at = html_.find("</", at + 2);
    }
    at_ = std::min(at, html_.size());
  }

  // False: it is not there. `end` is where it was found last.
  bool skip_behind(std::string_view what, std::size_t& end) {
    if (end == std::string_view::npos) return false;
    end = html_.find(what, at_);
    if (end == std::string_view::npos) return false;
    at_ = end + what.size();
    return true;
  }

  bool take_reference() {
    constexpr std::size_t kLongest = 10;
    const std::string_view near = html_.substr(at_ + 1, kLongest);
    const std::size_t close = near.find(';');
    if (close == std::string_view::npos) return false;
    const auto character = character_of(near.substr(0, close));
    if (!character) return false;
    if (*character == ' ') {
      add_space();
    } else {
      append_utf8(text_, *character);
    }
    at_ += close + 2;
    return true;
  }

  std::string_view html_;
  bool takes_unknown_;
  std::size_t at_ = 0;
  std::size_t tag_end_ = 0;
  std::size_t comment_end_ = 0;
  std::string text_;
};

}  // namespace

std::string text_of_html(std::string_view html) { return HtmlReader(html, true).read(); }

std::string text_with_some_html(std::string_view text) { return HtmlReader(text, false).read(); }

}  // namespace helve::toolkit
