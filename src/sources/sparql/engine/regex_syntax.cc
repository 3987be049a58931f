#include "sources/sparql/engine/regex_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::sparql {

namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// NameStartChar and NameChar of XML, which \i and \c stand for.
// https://www.w3.org/TR/xml/#NT-NameStartChar
constexpr CharacterRange kNameStart[] = {
    {':', ':'},       {'A', 'Z'},       {'_', '_'},       {'a', 'z'},
    {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2FF},    {0x370, 0x37D},
    {0x37F, 0x1FFF},  {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}};
constexpr CharacterRange kNameCharacters[] = {
    {'-', '.'},       {'0', ':'},       {'A', 'Z'},        {'_', '_'},       {'a', 'z'},
    {0xB7, 0xB7},     {0xC0, 0xD6},     {0xD8, 0xF6},      {0xF8, 0x37D},    {0x37F, 0x1FFF},
    {0x200C, 0x200D}, {0x203F, 0x2040}, {0x2070, 0x218F},  {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
    {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}};
constexpr CharacterRange kSpace[] = {{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}};

constexpr std::string_view kWord = R"(\p{L}\p{M}\p{N}\p{S}_)";
// All that is not in kWord: separators, others, punctuation but for the underscore.
constexpr std::string_view kNoWord =
    R"(\p{Z}\p{C}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\x{203F}\x{2040}\x{2054})"
    R"(\x{FE33}\x{FE34}\x{FE4D}-\x{FE4F}\x{FF3F})";

constexpr char32_t kLastCharacter = 0x10FFFF;
// Quantities above count as this; RE2 takes none of them.
constexpr std::uint32_t kNumberMax = 1'000'000;

void append_range(std::string& out, char32_t first, char32_t last) {
  fmt::format_to(std::back_inserter(out), "\\x{{{:X}}}-\\x{{{:X}}}", static_cast<unsigned>(first),
                 static_cast<unsigned>(last));
}

template <std::size_t kSize>
std::string ranges(const CharacterRange (&table)[kSize]) {
  std::string out;
  for (const auto& range : table) append_range(out, range.first, range.last);
  return out;
}

template <std::size_t kSize>
std::string ranges_outside(const CharacterRange (&table)[kSize]) {
  std::string out;
  char32_t next = 0;
  for (const auto& range : table) {
    if (range.first > next) append_range(out, next, range.first - 1);
    next = range.last + 1;
  }
  if (next <= kLastCharacter) append_range(out, next, kLastCharacter);
  return out;
}

// What stands between the brackets of a class for a multi-character escape; empty: there is none.
std::string class_of_escape(char32_t letter) {
  switch (letter) {
    case 'd':
      return R"(\p{Nd})";
    case 'D':
      return R"(\P{Nd})";
    case 'w':
      return std::string(kWord);
    case 'W':
      return std::string(kNoWord);
    case 's':
      return ranges(kSpace);
    case 'S':
      return ranges_outside(kSpace);
    case 'i':
      return ranges(kNameStart);
    case 'I':
      return ranges_outside(kNameStart);
    case 'c':
      return ranges(kNameCharacters);
    case 'C':
      return ranges_outside(kNameCharacters);
    default:
      return {};
  }
}

bool is_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// The character that an escape of one stands for.
std::optional<char32_t> escaped_character(char32_t letter) {
  if (letter == 'n') return U'\n';
  if (letter == 'r') return U'\r';
  if (letter == 't') return U'\t';
  if (is_punctuation(letter) || letter == ' ') return letter;
  return std::nullopt;
}

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> characters;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) characters.push_back(decode_utf8(at, end));
  return characters;
}

// The flag x: white space goes, but for that inside a class.
std::vector<char32_t> without_spaces(const std::vector<char32_t>& pattern) {
  std::vector<char32_t> kept;
  bool is_in_class = false;
  bool is_escaped = false;
  for (const char32_t c : pattern) {
    if (!is_in_class && is_space(c)) continue;
    kept.push_back(c);
    if (is_escaped) {
      is_escaped = false;
      continue;
    }
    is_escaped = c == '\\';
    if (c == '[') is_in_class = true;
    if (c == ']') is_in_class = false;
  }
  return kept;
}

// Reads a pattern from left to right. The first fault stays.
class Translator {
 public:
  Translator(std::string_view pattern, const RegexFlags& flags)
      : shown_(show_pattern(pattern)), in_(characters_of(pattern)) {
    if (flags.free_spacing) in_ = without_spaces(in_);
    std::string letters;
    if (flags.case_insensitive) letters += 'i';
    if (flags.multi_line) letters += 'm';
    if (flags.dot_all) letters += 's';
    if (!letters.empty()) out_ = "(?" + letters + ")";
  }

  tl::expected<std::string, RegexFault> translate() {
    while (!fault_ && at_ < in_.size()) item();
    if (fault_) return tl::unexpected(*std::move(fault_));
    return std::move(out_);
  }

 private:
  char32_t peek(std::size_t ahead = 0) const {
    return at_ + ahead < in_.size() ? in_[at_ + ahead] : 0;
  }
  bool has(std::size_t ahead = 0) const { return at_ + ahead < in_.size(); }

  void fail(std::string_view what, std::string hint, bool is_unsupported = false) {
    if (fault_) return;
    fault_ = RegexFault{
        Error(ErrorCode::InvalidInput,
              fmt::format("the regular expression \"{}\" {}", shown_, what), std::move(hint)),
        is_unsupported};
  }
  void cannot(std::string_view what, std::string hint) {
    fail(fmt::format("has {}, which cannot be run in linear time (RE2)", what), std::move(hint),
         true);
  }

  void item() {
    const char32_t c = in_[at_];
    if (c == '\\') {
      escape();
    } else if (c == '[') {
      character_class();
    } else if (c == '(') {
      group();
    } else if (c == '{') {
      quantity();
    } else {
      if (c == ']' || c == '}') out_ += '\\';  // a character, where nothing was opened
      append_utf8(out_, c);
      ++at_;
    }
  }

  void escape() {
    if (!has(1)) {
      fail("ends with a backslash", "write \\\\\\\\ in the query for a backslash itself");
      return;
    }
    const char32_t letter = peek(1);
    if (letter == 'p' || letter == 'P') {
      property();
      return;
    }
    at_ += 2;
    if (const std::string set = class_of_escape(letter); !set.empty()) {
      out_ += '[' + set + ']';
    } else if (letter == 'b' || letter == 'B') {
      out_ += '\\';
      out_ += static_cast<char>(letter);
    } else if (const auto character = escaped_character(letter)) {
      append_character(*character);
    } else {
      bad_escape(letter);
    }
  }

  void bad_escape(char32_t letter) {
    std::string shown;
    append_utf8(shown, letter);
    if (letter >= '1' && letter <= '9') {
      cannot(fmt::format("the back-reference \\{}", shown),
             "compare the parts apart, with STRBEFORE, STRAFTER or REPLACE(?x, pattern, \"$1\")");
      return;
    }
    fail(fmt::format("has \\{}, which is no escape", shown),
         "escapes are \\n \\r \\t, \\d \\D \\s \\S \\w \\W \\i \\I \\c \\C, \\p{..} \\P{..} and a "
         "backslash before punctuation");
  }

  // A category such as \p{Lu}; blocks are unknown to RE2.
  void property() {
    std::size_t end = at_ + 2;
    if (peek(2) == '{') {
      while (end < in_.size() && in_[end] != '}') ++end;
    }
    if (end >= in_.size()) {
      fail("has an unfinished \\p", "write \\p{L}, \\p{Lu}, \\p{Nd} ...");
      return;
    }
    std::string text;
    for (; at_ <= end; ++at_) append_utf8(text, in_[at_]);
    if (text.starts_with("\\p{Is") || text.starts_with("\\P{Is")) {
      fail(fmt::format("names the block {}, which RE2 does not know", text),
           "write the range of characters ([\\u0370-\\u03FF]), or a category such as \\p{L}", true);
      return;
    }
    out_ += text;
  }

  void append_character(char32_t c) {
    if (c < 0x80 && (is_punctuation(c))) out_ += '\\';
    append_utf8(out_, c);
  }

  // "(", "(?:" and "(?i)" or "(?i:"; not look-around and other extensions.
  void group() {
    if (peek(1) != '?') {
      out_ += '(';
      ++at_;
      return;
    }
    std::size_t end = at_ + 2;
    while (end < in_.size() &&
           (in_[end] == 'i' || in_[end] == 'm' || in_[end] == 's' || in_[end] == '-')) {
      ++end;
    }
    const char32_t last = end < in_.size() ? in_[end] : 0;
    if (last == ':' || (last == ')' && end > at_ + 2)) {
      for (; at_ <= end; ++at_) append_utf8(out_, in_[at_]);
      return;
    }
    const char32_t kind = peek(2);
    if (kind == '=' || kind == '!' || (kind == '<' && (peek(3) == '=' || peek(3) == '!'))) {
      cannot("look-around (?= (?! (?<= (?<!",
             "use two conditions: REGEX(?x, \"a\") && !REGEX(?x, \"b\")");
    } else if (kind == '>') {
      cannot("an atomic group (?>", "write (?:...) instead; it never backtracks here");
    } else {
      fail("has a group (? of an unknown kind", "groups are (...) and (?:...)");
    }
  }

  // {n}, {n,} or {n,m}. XPath has no other meaning for a brace.
  void quantity() {
    std::size_t end = at_ + 1;
    const auto least = number(end);
    auto most = least;
    if (least && end < in_.size() && in_[end] == ',') most = number(++end);
    const bool has_end = most.has_value();
    if (!least || end >= in_.size() || in_[end] != '}') {
      fail("has a { that begins no quantity", "write {2}, {2,} or {2,5}; \\\\{ for the character");
    } else if (has_end && *least > *most) {
      fail("has a quantity whose minimum is above its maximum", "swap the two");
    } else {
      out_ += has_end ? fmt::format("{{{},{}}}", *least, *most) : fmt::format("{{{},}}", *least);
      at_ = end + 1;
    }
  }

  // The number at a place, which moves behind it; nullopt where there is none.
  std::optional<std::uint32_t> number(std::size_t& place) const {
    if (place >= in_.size() || !is_digit(in_[place])) return std::nullopt;
    std::uint32_t value = 0;
    for (; place < in_.size() && is_digit(in_[place]); ++place) {
      value = std::min(kNumberMax, value * 10 + static_cast<std::uint32_t>(in_[place] - '0'));
    }
    return value;
  }

  void character_class() {
    out_ += '[';
    ++at_;
    if (peek() == '^') {
      out_ += '^';
      ++at_;
    }
    const std::size_t begin = at_;
    while (!fault_) {
      if (!has()) {
        fail("has a [ that is not closed", "write \\\\[ for the character");
      } else if (peek() == ']') {
        if (at_ == begin) fail("has an empty class []", "write \\\\] for the character");
        break;
      } else {
        class_item();
      }
    }
    out_ += ']';
    ++at_;
  }

  void class_item() {
    if (peek() == '-' && peek(1) == '[') {
      fail("subtracts a class from another ([a-z-[aeiou]]), which RE2 cannot",
           "write what remains as ranges ([b-df-hj-np-tv-z])", true);
      return;
    }
    if (peek() == '[') {
      fail("has a [ inside a class", "write \\\\[ for the character; classes do not nest");
      return;
    }
    if (peek() == '\\') {
      if (peek(1) == 'p' || peek(1) == 'P') {
        property();
        return;
      }
      if (const std::string set = class_of_escape(peek(1)); !set.empty()) {
        out_ += set;
        at_ += 2;
        return;
      }
    }
    const auto first = class_character();
    if (!first) return;
    const bool is_range = peek() == '-' && has(1) && peek(1) != ']' && peek(1) != '[';
    if (!is_range) {
      append_range(out_, *first, *first);
      return;
    }
    ++at_;
    const auto last = class_character();
    if (!last) return;
    if (*last < *first) {
      fail("has a range whose end comes before its start", "swap the two");
      return;
    }
    append_range(out_, *first, *last);
  }

  std::optional<char32_t> class_character() {
    const char32_t c = peek();
    if (c != '\\') {
      ++at_;
      return c;
    }
    if (!has(1)) {
      fail("ends with a backslash", "write \\\\\\\\ in the query for a backslash itself");
      return std::nullopt;
    }
    const auto character = escaped_character(peek(1));
    if (!character) {
      bad_escape(peek(1));
      return std::nullopt;
    }
    at_ += 2;
    return character;
  }

  std::string shown_;
  std::vector<char32_t> in_;
  std::size_t at_ = 0;
  std::string out_;
  std::optional<RegexFault> fault_;
};

}  // namespace

std::string show_pattern(std::string_view pattern) {
  constexpr std::size_t kBytes = 256;
  return elide_end(escape_for_terminal(pattern.substr(0, kBytes)), 80);
}

Result<RegexFlags> parse_regex_flags(std::string_view flags) {
  RegexFlags parsed;
  for (const char flag : flags) {
    switch (flag) {
      case 's':
        parsed.dot_all = true;
        break;
      case 'm':
        parsed.multi_line = true;
        break;
      case 'i':
        parsed.case_insensitive = true;
        break;
      case 'x':
        parsed.free_spacing = true;
        break;
      case 'q':
        parsed.quoted = true;
        break;
      default:
        return Error(ErrorCode::InvalidInput,
                     fmt::format("the flags \"{}\" of a regular expression are not known", flags),
                     "flags are i (any case), s (dot matches line ends), m (^ and $ at lines), x "
                     "(spaces do not count) and q (no special characters)");
    }
  }
  return parsed;
}

tl::expected<std::string, RegexFault> to_re2_syntax(std::string_view pattern,
                                                    const RegexFlags& flags) {
  return Translator(pattern, flags).translate();
}

}  // namespace helve::sparql
